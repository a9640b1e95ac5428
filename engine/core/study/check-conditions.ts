import type { Json, JsonObject } from '../../contract/json.js';
import { type Problem, problem } from '../../contract/problem.js';
import type { Probe } from '../../generated/probe.js';
import type { Study, StudyLevel } from '../../generated/study.js';
import type { CognitionWorkflow } from '../../generated/workflow.js';
import { findAt, isList, isObject, overlaps, pointerTokens, toPointer } from '../content/json-pointer.js';
import { among } from '../content/nearest-name.js';
import { complainIf, type DocumentProblem } from '../protocol/document-problem.js';
import { findHistoryProblems } from '../world/shared-history.js';
import { type ComposedScenario, composeScenario, resolveReplaced, type StudyFiles } from './compose.js';
import { type Condition, type Levels, listConditions } from './design.js';
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
  const alone = composeAlone(study);
  const changes = alone.flatMap((one) => checkLevel(study, base, alone, one));
  if (changes.length > 0) {
    const composed = alone.flatMap((one) => one.composed ?? []);
    return inStudy(study, [...changes, ...checkReadings(study, [base, ...composed])]);
  }
  const conditions = listConditions(study.study).flatMap((condition) => {
    const composed = composeScenario(study, condition.levels);
    return composed === undefined ? [] : [{ condition, composed }];
  });
  const unread = listUnread(study.study, alone);
  return [
    ...inStudy(study, [
      ...unread.map((variable) =>
        problem('VARIABLE_UNREAD', { variable }, { pointer: toPointer(['variables', variable]) }),
      ),
      ...findEqual(conditions, unread),
      ...checkReadings(study, [base, ...conditions.map(({ composed }) => composed)]),
    ]),
    ...findBroken(study, base, conditions, checkComposed),
    ...findShown(conditions.map(({ composed }) => composed)),
  ];
}

function inStudy({ path }: StudyFiles, problems: readonly Problem[]): readonly FileProblem[] {
  return problems.map((one) => ({ path, problem: one }));
}

/** A level of one variable, and the scenario that has it alone. */
interface LevelAlone {
  readonly variable: string;
  readonly from_turn: number;
  readonly level: StudyLevel;
  readonly place: readonly string[];
  readonly composed: ComposedScenario | undefined;
}

function composeAlone(study: StudyFiles): readonly LevelAlone[] {
  return Object.entries(study.study.variables ?? {}).flatMap(([variable, { levels, from_turn = 1 }]) =>
    Object.entries(levels).map(([name, level]) => ({
      variable,
      from_turn,
      level,
      place: ['variables', variable, 'levels', name],
      composed: composeScenario(study, { [variable]: name }),
    })),
  );
}

function checkLevel(
  study: StudyFiles,
  base: ComposedScenario,
  alone: readonly LevelAlone[],
  { variable, from_turn, level, place, composed }: LevelAlone,
): readonly Problem[] {
  const others = alone.flatMap((one) => (one.variable === variable ? [] : [one.composed]));
  const used = [base, ...others].flatMap((one) => one?.documents ?? []);
  return [
    ...Object.entries(level.replace ?? {}).flatMap(([before, after]) =>
      checkReplaced(study, used, { before, after, pointer: toPointer([...place, 'replace', before]) }),
    ),
    ...Object.entries(level.set ?? {}).flatMap(([member, value]) =>
      checkSet(composed ?? base, member, value, toPointer([...place, 'set', member])),
    ),
    ...(from_turn === 1 || composed === undefined
      ? []
      : findHistoryProblems(base.scenario, composed.scenario).map(({ pointer = '' }) =>
          problem('SET_AFTER_THE_START', { from_turn, member: pointer }, { pointer: placeOf(place, level, pointer) }),
        )),
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

/** The place in a study of what a level sets at a place of the scenario; else that of the level. */
function placeOf(place: readonly string[], { set = {} }: StudyLevel, pointer: string): string {
  const tokens = pointerTokens(pointer);
  const member = Object.keys(set).find(
    (one) => overlaps(pointerTokens(one), tokens) || overlaps(tokens, pointerTokens(one)),
  );
  if (member === undefined) return toPointer(place);
  return toPointer([...place, 'set', member, ...tokens.slice(pointerTokens(member).length)]);
}

/** Variables with levels that no agent can tell from each other. */
function listUnread({ variables = {} }: Study, alone: readonly LevelAlone[]): readonly string[] {
  return Object.keys(variables).filter((name) => {
    const composed = alone.filter(({ variable }) => variable === name).map((one) => one.composed);
    const known = composed.filter((one) => one !== undefined);
    return known.length === composed.length && new Set(known.map(hashOfReadable)).size === 1;
  });
}

interface ComposedCondition {
  readonly condition: Condition;
  readonly composed: ComposedScenario;
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

/** Problems of conditions that the written scenario does not have: each once, where its level or its document says it. */
function findBroken(
  { path, study }: StudyFiles,
  base: ComposedScenario,
  conditions: readonly ComposedCondition[],
  checkComposed: CheckComposed,
): readonly FileProblem[] {
  const keyOf = (composed: ComposedScenario, { code, document, pointer, message }: DocumentProblem): string => {
    const found = composed.documents.find(({ kind, hash }) => kind === document.kind && hash === document.hash);
    return `${found?.path} ${code} ${pointer} ${message}`;
  };
  const known = new Set(checkComposed(base).map((one) => keyOf(base, one)));
  return conditions.flatMap(({ condition, composed }) =>
    checkComposed(composed).flatMap((one) => {
      const key = keyOf(composed, one);
      if (known.has(key)) return [];
      known.add(key);
      const { document, ...found } = one;
      const said = { ...found, message: `${found.message} (in the condition ${condition.id})` };
      const place = document.kind === 'scenario' ? findSetting(study, condition.levels, one.pointer) : undefined;
      if (place !== undefined) return [{ path, problem: { ...said, pointer: place } }];
      const file = composed.documents.find(({ kind, hash }) => kind === document.kind && hash === document.hash);
      return [file === undefined ? { path, problem: { ...said, pointer: '' } } : { path: file.path, problem: said }];
    }),
  );
}

function findSetting({ variables = {} }: Study, levels: Levels, pointer: string): string | undefined {
  const places = Object.entries(levels).flatMap(([name, chosen]) => {
    const level = variables[name]?.levels[chosen] ?? {};
    const place = ['variables', name, 'levels', chosen];
    const found = placeOf(place, level, pointer);
    return found === toPointer(place) ? [] : [found];
  });
  return places[0];
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

/** Checks the names in what measures read. */
function checkReadings(study: StudyFiles, composed: readonly ComposedScenario[]): readonly Problem[] {
  const scenarios = composed.map(({ scenario }) => scenario);
  const entities = listDistinct(scenarios, ({ entities: all }) => all.map(({ id }) => id));
  const subjects = listDistinct(scenarios, ({ cognition }) => cognition.flatMap((entry) => entry.subjects));
  const tools = listDistinct(composed, ({ documents }) =>
    documents.flatMap(({ kind, content }) => (kind === 'cognition_workflow' ? listTools(content) : [])),
  );
  const find = (kind: 'entity' | 'subject' | 'tool', known: readonly string[], name: string, pointer: string) =>
    known.includes(name) ? [] : [problem('STUDY_NAMES_NOTHING', { kind, name, ...among(name, known) }, { pointer })];
  return study.study.measures.flatMap(({ read }, index) => {
    const pointer = `/measures/${index}/read`;
    const named = 'subjects' in read ? (read.subjects ?? []) : [];
    return [
      ...('state_of' in read ? find('entity', entities, read.state_of, `${pointer}/state_of`) : []),
      ...('tool' in read ? find('tool', tools, read.tool, `${pointer}/tool`) : []),
      ...('probe' in read ? checkQuestion(study, read, `${pointer}/question`) : []),
      ...named.flatMap((name, at) => find('subject', subjects, name, `${pointer}/subjects/${at}`)),
    ];
  });
}

function checkQuestion(
  { path, files, resolve_path }: StudyFiles,
  { probe, question }: { readonly probe: string; readonly question: string },
  pointer: string,
): readonly Problem[] {
  const resolved = resolve_path(path, probe);
  const file = resolved.ok ? files.find((one) => one.path === resolved.value) : undefined;
  if (file?.kind !== 'probe' || !file.is_sound) return [];
  const known = (file.value as unknown as Probe).questions.map(({ id }) => id);
  if (known.includes(question)) return [];
  return [
    problem('STUDY_NAMES_NOTHING', { kind: 'question', name: question, probe, ...among(question, known) }, { pointer }),
  ];
}

function listTools(workflow: JsonObject): readonly string[] {
  const { nodes } = workflow as unknown as CognitionWorkflow;
  return nodes.flatMap((node) => (node.type === 'llm_tool_loop' ? node.available_tools.map(({ name }) => name) : []));
}

function listDistinct<Item>(items: readonly Item[], listOf: (item: Item) => readonly string[]): readonly string[] {
  return [...new Set(items.flatMap(listOf))];
}
