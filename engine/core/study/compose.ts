import type { Json, JsonObject } from '../../contract/json.js';
import type { Scenario, ScenarioEntity } from '../../generated/scenario.js';
import type { Study, StudyLevel } from '../../generated/study.js';
import { contentHash } from '../content/canonical.js';
import { isList, isObject, pointerTokens } from '../content/json-pointer.js';
import type { ComponentReference } from '../protocol/component.js';
import { type DocumentToLink, linkDocuments, type LinkedDocument } from '../workflow/link.js';
import type { ResolvePath } from '../workflow/link/resolve-path.js';
import { type Levels, shuffleRoster } from './design.js';

/** A study among the files that it names. */
export interface StudyFiles {
  /** Of the study's own file. */
  readonly path: string;
  readonly study: Study;
  readonly files: readonly DocumentToLink[];
  readonly resolve_path: ResolvePath;
}

/** The scenario of a condition. */
export interface ComposedScenario {
  readonly hash: string;
  readonly scenario: Scenario;
  /** The scenario and all that it refers to, each after its references. */
  readonly documents: readonly LinkedDocument[];
  /** The ids of its subjects, in the order in which they act. */
  readonly roster: readonly string[];
}

/**
 * The scenario of a study with the levels of its variables: files replaced, members set, and by a seed the agents in that
 * seed's order, where the study shuffles them.
 * @param last what differs once more, after the levels
 * @returns undefined where a document of it is missing, is out of reach or cannot be linked
 */
export function composeScenario(
  { path, study, files, resolve_path }: StudyFiles,
  levels: Levels,
  seed?: number,
  last: StudyLevel = {},
): ComposedScenario | undefined {
  const chosen = [...listChosen(study, levels), last];
  const named = chosen.flatMap(({ replace = {} }) => Object.entries(replace).flat());
  if (named.some((file) => !resolve_path(path, file).ok)) return undefined;
  const replaced = chosen.reduce(
    (before, level) => replaceAgain(before, resolveReplaced({ path, resolve_path }, [level])),
    new Map<string, string>(),
  );
  const { linked } = linkDocuments(files, replacing(resolve_path, replaced));
  const written = resolve_path(path, study.scenario);
  const scenarioPath = written.ok ? (replaced.get(written.value) ?? written.value) : undefined;
  const base = linked.find((document) => document.path === scenarioPath && document.kind === 'scenario');
  if (base === undefined) return undefined;
  const set = chosen.flatMap((level) => Object.entries(level.set ?? {}));
  const content = set.reduce<Json>(
    (whole, [pointer, value]) => put(whole, pointerTokens(pointer), value),
    base.content,
  );
  const isShuffled = study.roster === 'shuffled' && seed !== undefined;
  const set_up = content as unknown as Scenario;
  const scenario = isShuffled ? orderAgents(set_up, (agents) => shuffleRoster(agents, seed)) : set_up;
  const hash = contentHash(scenario as unknown as Json);
  const document = { ...base, hash, content: scenario as unknown as JsonObject };
  const below = listReferred(linked, base);
  return { hash, scenario, documents: [...below, document], roster: rosterOf(scenario) };
}

/** The levels of the variables that are named, in the order of the variables' names. */
export function listChosen({ variables = {} }: Study, levels: Levels): readonly StudyLevel[] {
  return Object.keys(levels)
    .toSorted()
    .flatMap((name) => variables[name]?.levels[levels[name] ?? ''] ?? []);
}

/** The files in place of others, by the paths of those. */
export function resolveReplaced(
  { path, resolve_path }: Pick<StudyFiles, 'path' | 'resolve_path'>,
  chosen: readonly StudyLevel[],
): ReadonlyMap<string, string> {
  const pairs = chosen.flatMap(({ replace = {} }) =>
    Object.entries(replace).flatMap(([before, after]) => {
      const [from, to] = [resolve_path(path, before), resolve_path(path, after)];
      return from.ok && to.ok ? [[from.value, to.value] as const] : [];
    }),
  );
  return new Map(pairs);
}

/** A file that stands in the place of another may be replaced in its turn. */
function replaceAgain(before: ReadonlyMap<string, string>, next: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...next, ...[...before].map(([from, to]) => [from, next.get(to) ?? to] as const)]);
}

/** A file may refer to the one in whose place it stands. */
function replacing(resolvePath: ResolvePath, replaced: ReadonlyMap<string, string>): ResolvePath {
  return (from, written) => {
    const resolved = resolvePath(from, written);
    const other = resolved.ok ? replaced.get(resolved.value) : undefined;
    return other === undefined || other === from ? resolved : { ok: true, value: other };
  };
}

/** A value with another at a place below it; unchanged where nothing holds the place. */
function put(whole: Json, [token, ...rest]: readonly string[], value: Json): Json {
  if (token === undefined) return value;
  if (isList(whole)) {
    const inner = whole[Number(token)];
    return inner === undefined ? whole : whole.with(Number(token), put(inner, rest, value));
  }
  if (!isObject(whole)) return whole;
  const inner = Object.hasOwn(whole, token) ? whole[token] : undefined;
  if (inner === undefined && rest.length > 0) return whole;
  return { ...whole, [token]: put(inner ?? null, rest, value) };
}

/** A scenario with its agents in another order: both as they are listed, and as they act. Subjects of one profile stay together. */
export function orderAgents(scenario: Scenario, orderOf: (agents: readonly string[]) => readonly string[]): Scenario {
  const agents = orderOf(scenario.entities.filter(({ kind }) => kind === 'agent').map(({ id }) => id));
  const rank = new Map(agents.map((id, index) => [id, index]));
  const rankOf = (id: string): number => rank.get(id) ?? agents.length;
  const entities = new Map(scenario.entities.map((entity) => [entity.id, entity]));
  const next = agents.values();
  const cognition = scenario.cognition
    .map((entry) => ({ ...entry, subjects: entry.subjects.toSorted((one, other) => rankOf(one) - rankOf(other)) }))
    .toSorted(({ subjects: [one = ''] }, { subjects: [other = ''] }) => rankOf(one) - rankOf(other));
  const listed = scenario.entities.map(
    (entity): ScenarioEntity => (entity.kind === 'agent' ? (entities.get(next.next().value ?? '') ?? entity) : entity),
  );
  return { ...scenario, entities: listed, cognition };
}

/** The ids of the subjects of a scenario, in the order in which they act. */
export function rosterOf({ cognition }: Scenario): readonly string[] {
  return cognition.flatMap(({ subjects }) => subjects);
}

/** What a document refers to, and what that does, each after its references. */
function listReferred(linked: readonly LinkedDocument[], document: LinkedDocument): readonly LinkedDocument[] {
  const keyOf = ({ kind, hash }: ComponentReference): string => `${kind} ${hash}`;
  const wanted = new Set(document.refers_to.map(keyOf));
  const referred = linked.toReversed().filter((one) => {
    const isWanted = one !== document && wanted.has(keyOf(one));
    for (const reference of isWanted ? one.refers_to : []) wanted.add(keyOf(reference));
    return isWanted;
  });
  return referred.toReversed();
}
