import { type Problem, problem } from '../../contract/problem.js';
import type { Study, Variants } from '../../generated/study.js';
import { toPointer } from '../content/json-pointer.js';
import type { DocumentProblem } from '../protocol/document-problem.js';
import { checkLevel, findSetting, type LevelAlone, type PlacedLevel } from './check-level.js';
import { checkReadings } from './check-readings.js';
import { type ComposedScenario, composeScenario, type StudyFiles } from './compose.js';
import { type Condition, listConditions } from './design.js';
import { hashOfReadable } from './readable.js';

/** A problem, and the file that has it. */
export interface FileProblem {
  readonly path: string;
  readonly problem: Problem;
}

/** Gives the problems of a scenario, of its schema first. */
type CheckComposed = (composed: ComposedScenario) => readonly DocumentProblem[];

/**
 * Checks a study together with its scenario: what its levels change, the scenario of each condition, and what its measures
 * read. What keeps the written scenario from being composed is reported of that file.
 */
export function checkConditions(study: StudyFiles, checkComposed: CheckComposed): readonly FileProblem[] {
  const base = composeScenario(study, {});
  if (base === undefined) return [];
  const levels = listLevels(study);
  const variants = listAuthored(study);
  const composed = levels.flatMap((one) => one.composed ?? []);
  const changes = [...levels, ...variants].flatMap((one) => {
    const others = levels.flatMap(({ place, composed: other }) => (place[1] === one.place[1] ? [] : (other ?? [])));
    return checkLevel(
      study,
      base,
      [base, ...others].flatMap(({ documents }) => documents),
      one,
    );
  });
  if (changes.length > 0) return inStudy(study, [...changes, ...checkReadings(study, [base, ...composed])]);
  const conditions = listConditions(study.study).flatMap((condition) => compose(study, condition));
  const varied = variants.map((variant) => ({
    variant,
    conditions: listConditions(study.study).flatMap((condition) => compose(study, condition, variant)),
  }));
  const unread = listUnread(study.study, levels);
  return [
    ...inStudy(study, [
      ...unread.map((variable) =>
        problem('VARIABLE_UNREAD', { variable }, { pointer: toPointer(['variables', variable]) }),
      ),
      ...findEqual(conditions, unread),
      ...varied.flatMap((one) => findIdle(conditions, one)),
      ...checkReadings(study, [base, ...conditions.map((one) => one.composed)]),
    ]),
    ...findBroken(study, checkComposed, base, [...conditions, ...varied.flatMap((one) => one.conditions)]),
    ...findShown(conditions.map((one) => one.composed)),
  ];
}

function inStudy({ path }: StudyFiles, problems: readonly Problem[]): readonly FileProblem[] {
  return problems.map((one) => ({ path, problem: one }));
}

function listLevels(study: StudyFiles): readonly LevelAlone[] {
  return Object.entries(study.study.variables ?? {}).flatMap(([variable, { levels, from_turn = 1 }]) =>
    Object.entries(levels).map(([name, level]) => ({
      place: ['variables', variable, 'levels', name],
      level,
      from_turn,
      composed: composeScenario(study, { [variable]: name }),
    })),
  );
}

/** The variants of an audit that the author wrote. */
function listAuthored(study: StudyFiles): readonly LevelAlone[] {
  const { audit = {} } = study.study;
  return Object.entries<Variants>({ ...audit }).flatMap(([perturbation, variants]) =>
    Object.entries(variants).map(([name, level]) => ({
      place: ['audit', perturbation, name],
      level,
      from_turn: 1,
      composed: composeScenario(study, {}, undefined, level),
    })),
  );
}

/** A condition with its scenario and all that it has changed. */
interface ComposedCondition {
  readonly condition: Condition;
  readonly levels: readonly PlacedLevel[];
  readonly composed: ComposedScenario;
}

function compose(study: StudyFiles, condition: Condition, variant?: PlacedLevel): readonly ComposedCondition[] {
  const composed = composeScenario(study, condition.levels, undefined, variant?.level);
  const levels = Object.entries(condition.levels).map(([variable, name]) => ({
    place: ['variables', variable, 'levels', name],
    level: study.study.variables?.[variable]?.levels[name] ?? {},
  }));
  return composed === undefined ? [] : [{ condition, composed, levels: variant ? [variant, ...levels] : levels }];
}

/** Variables with levels that no agent can tell from each other. */
function listUnread({ variables = {} }: Study, levels: readonly LevelAlone[]): readonly string[] {
  return Object.keys(variables).filter((name) => {
    const composed = levels.filter(({ place }) => place[1] === name).map((one) => one.composed);
    const known = composed.filter((one) => one !== undefined);
    return known.length === composed.length && new Set(known.map(hashOfReadable)).size === 1;
  });
}

function findEqual(conditions: readonly ComposedCondition[], unread: readonly string[]): readonly Problem[] {
  const first = new Map<string, Condition>();
  const places = new Set<string>();
  return conditions.flatMap(({ condition, composed: { hash } }) => {
    const other = first.get(hash);
    first.set(hash, other ?? condition);
    if (other === undefined) return [];
    const differing = Object.keys(condition.levels).filter((name) => condition.levels[name] !== other.levels[name]);
    if (differing.every((name) => unread.includes(name))) return [];
    const [only, more] = differing;
    const pointer =
      only === undefined || more !== undefined
        ? '/variables'
        : toPointer(['variables', only, 'levels', condition.levels[only] ?? '']);
    if (places.has(pointer)) return [];
    places.add(pointer);
    return [problem('CONDITIONS_EQUAL', { conditions: [other.id, condition.id] }, { pointer })];
  });
}

/** A variant of an audit that changes no condition. */
function findIdle(
  conditions: readonly ComposedCondition[],
  { variant, conditions: varied }: { readonly variant: PlacedLevel; readonly conditions: readonly ComposedCondition[] },
): readonly Problem[] {
  const hashes = new Set(conditions.map(({ composed }) => hashOfReadable(composed)));
  if (varied.length === 0 || varied.some(({ composed }) => !hashes.has(hashOfReadable(composed)))) return [];
  const [, perturbation = '', name = ''] = variant.place;
  return [problem('VARIABLE_UNREAD', { variable: `${perturbation}/${name}` }, { pointer: toPointer(variant.place) })];
}

/** Problems of conditions that the written scenario does not have: each once, where its level or its document says it. */
function findBroken(
  { path }: StudyFiles,
  checkComposed: CheckComposed,
  base: ComposedScenario,
  conditions: readonly ComposedCondition[],
): readonly FileProblem[] {
  const known = new Set(checkComposed(base).map((one) => keyOf(base, one)));
  return conditions.flatMap(({ condition, levels, composed }) =>
    checkComposed(composed).flatMap((one) => {
      const key = keyOf(composed, one);
      if (known.has(key)) return [];
      known.add(key);
      const { document, ...found } = one;
      const said = { ...found, message: `${found.message} (in the condition ${condition.id})` };
      const settings =
        document.kind === 'scenario' ? levels.flatMap((level) => findSetting(level, one.pointer) ?? []) : [];
      const [setting] = settings;
      if (setting !== undefined) return [{ path, problem: { ...said, pointer: setting } }];
      const file = findFile(composed, one);
      return [file === undefined ? { path, problem: { ...said, pointer: '' } } : { path: file, problem: said }];
    }),
  );
}

function keyOf(composed: ComposedScenario, found: DocumentProblem): string {
  return `${findFile(composed, found)} ${found.code} ${found.pointer} ${found.message}`;
}

function findFile({ documents }: ComposedScenario, { document }: DocumentProblem): string | undefined {
  return documents.find(({ kind, hash }) => kind === document.kind && hash === document.hash)?.path;
}

/** Documents with which agents are shown the name of their world. */
function findShown(conditions: readonly ComposedScenario[]): readonly FileProblem[] {
  const documents = conditions.flatMap(({ documents }) => documents);
  const showing = documents.filter(({ content }) => /\{\{\s*world\.slug\s*\}\}/.test(JSON.stringify(content)));
  return [...new Set(showing.map(({ path }) => path))].map((path) => {
    const file = path.slice(path.lastIndexOf('/') + 1);
    return { path, problem: problem('CONDITION_SHOWN', { file }, { pointer: '' }) };
  });
}
