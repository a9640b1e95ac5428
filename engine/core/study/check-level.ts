import type { Json } from '../../contract/json.js';
import { type Problem, problem } from '../../contract/problem.js';
import type { StudyLevel } from '../../generated/study.js';
import { findAt, isList, isObject, overlaps, pointerTokens, toPointer } from '../content/json-pointer.js';
import { among } from '../content/nearest-name.js';
import { complainIf } from '../protocol/document-problem.js';
import { findHistoryProblems } from '../world/shared-history.js';
import { type ComposedScenario, resolveReplaced, type StudyFiles } from './compose.js';

/** A level, where it stands in its study. */
export interface PlacedLevel {
  readonly place: readonly string[];
  readonly level: StudyLevel;
}

/** A level, and the scenario that has it alone. */
export interface LevelAlone extends PlacedLevel {
  readonly from_turn: number;
  readonly composed: ComposedScenario | undefined;
}

/**
 * Checks what a level changes.
 * @param base the scenario without levels
 * @param used the documents that it may replace
 */
export function checkLevel(
  study: StudyFiles,
  base: ComposedScenario,
  used: ComposedScenario['documents'],
  { place, level, from_turn, composed }: LevelAlone,
): readonly Problem[] {
  return [
    ...Object.entries(level.replace ?? {}).flatMap(([before, after]) =>
      checkReplaced(study, used, { before, after, pointer: toPointer([...place, 'replace', before]) }),
    ),
    ...Object.entries(level.set ?? {}).flatMap(([member, value]) =>
      checkSet(composed ?? base, member, value, toPointer([...place, 'set', member])),
    ),
    ...(from_turn === 1 || composed === undefined
      ? []
      : findHistoryProblems(base.scenario, composed.scenario).map(({ pointer = '' }) => {
          const at = findSetting({ place, level }, pointer) ?? toPointer(place);
          return problem('SET_AFTER_THE_START', { from_turn, member: pointer }, { pointer: at });
        })),
  ];
}

interface Replaced {
  readonly before: string;
  readonly after: string;
  readonly pointer: string;
}

function checkReplaced(
  { path, files, resolve_path }: StudyFiles,
  used: ComposedScenario['documents'],
  { before, after, pointer }: Replaced,
): readonly Problem[] {
  const [[from, to] = []] = resolveReplaced({ path, resolve_path }, [{ replace: { [before]: after } }]);
  if (from === undefined) {
    const resolved = resolve_path(path, before);
    return resolved.ok ? [] : resolved.problems.map((one) => ({ ...one, pointer, of_name: true }));
  }
  const replaced = used.find((document) => document.path === from);
  if (replaced === undefined) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const known = used.flatMap((one) => (one.path.startsWith(folder) ? [`./${one.path.slice(folder.length)}`] : []));
    const facts = { kind: 'file', name: before, ...among(before, [...new Set(known)]) } as const;
    return [problem('STUDY_NAMES_NOTHING', facts, { pointer, of_name: true })];
  }
  const found = files.find((file) => file.path === to)?.kind;
  return found === undefined || found === replaced.kind
    ? []
    : [problem('WRONG_KIND', { wanted: replaced.kind, found }, { pointer })];
}

function checkSet({ scenario }: ComposedScenario, member: string, value: Json, pointer: string): readonly Problem[] {
  const path = findPath(value);
  const isThere = findAt(scenario as unknown as Json, pointerTokens(member)) !== undefined;
  const facts = { kind: 'member', name: member, nearest: undefined, known: [] } as const;
  return [
    ...complainIf(!isThere, problem('STUDY_NAMES_NOTHING', facts, { pointer, of_name: true })),
    ...(path === undefined ? [] : [problem('SET_NAMES_A_FILE', { path }, { pointer })]),
  ];
}

function findPath(value: Json): string | undefined {
  if (isList(value)) return value.map(findPath).find((path) => path !== undefined);
  if (!isObject(value)) return undefined;
  const { path } = value;
  return typeof path === 'string' && Object.keys(value).length === 1 ? path : findPath(Object.values(value));
}

/** The place in a study of what a level sets at a place of the scenario. @returns undefined where it sets nothing there */
export function findSetting({ place, level: { set = {} } }: PlacedLevel, pointer: string): string | undefined {
  const tokens = pointerTokens(pointer);
  const member = Object.keys(set).find(
    (one) => overlaps(pointerTokens(one), tokens) || overlaps(tokens, pointerTokens(one)),
  );
  if (member === undefined) return undefined;
  return toPointer([...place, 'set', member, ...tokens.slice(pointerTokens(member).length)]);
}
