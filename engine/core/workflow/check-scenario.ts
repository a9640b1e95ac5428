import { type Problem, problem } from '../../contract/problem.js';
import type { Scenario } from '../../generated/scenario.js';
import { among } from '../content/nearest-name.js';
import { isBlank } from '../world/blank-text.js';
import { isCanonicalEntityId, normaliseEntityId } from '../world/entity-id.js';
import { longestChronon, parseMoment } from '../world/simulation-time.js';
import { complainIf, complainOfTwins } from '../protocol/document-problem.js';

type Entity = Scenario['entities'][number];

/** Checks of a scenario beyond its schema: ids, names and subjects. */
export function checkScenario(scenario: Scenario): readonly Problem[] {
  return [
    ...checkTime(scenario),
    ...checkNames(scenario),
    ...scenario.entities.flatMap((entity, index) => checkEntity(scenario, entity, index)),
    ...checkTexts(scenario),
    ...checkSubjects(scenario),
  ];
}

/** So many turns at least must have a time. */
const TURNS_TIMED = 10_000;

function checkTime({ start_time, chronon_seconds }: Scenario): readonly Problem[] {
  const start = parseMoment(start_time);
  if (!start.ok)
    return [problem('START_TIME_UNUSABLE', { start_time, reason: start.reason }, { pointer: '/start_time' })];
  const longest = longestChronon(start.milliseconds, TURNS_TIMED);
  const facts = { chronon_seconds, longest, turns: TURNS_TIMED };
  return complainIf(chronon_seconds > longest, problem('CHRONON_TOO_LONG', facts, { pointer: '/chronon_seconds' }));
}

/** Each environment and each entity has a name of its own. */
function checkNames({ environments, entities }: Scenario): readonly Problem[] {
  const labels = environments.map(({ label }) => label);
  const ids = entities.map(({ id }) => id);
  return [
    ...complainOfTwins('ENVIRONMENT_TWICE', labels, (index) => `/environments/${index}/label`),
    ...complainOfTwins('ENTITY_TWICE', ids, (index) => `/entities/${index}/id`),
  ];
}

function checkEntity(scenario: Scenario, entity: Entity, index: number): readonly Problem[] {
  const { id, environment } = entity;
  const pointer = `/entities/${index}`;
  const kept = (['memory', 'goal'] as const).filter((member) => entity[member] !== undefined);
  return [
    ...checkEntityId(id, `${pointer}/id`),
    ...(environment === undefined ? [] : checkEnvironmentLabel(scenario, environment, `${pointer}/environment`)),
    ...kept.flatMap((member) =>
      complainIf(entity.kind === 'prop', problem('AGENT_ONLY', { id, member }, { pointer: `${pointer}/${member}` })),
    ),
  ];
}

/** A text that no patch may write is refused in a scenario too. */
function checkTexts({ environments, entities }: Scenario): readonly Problem[] {
  const contents = environments.map(({ content }, index) => [`/environments/${index}/content`, content] as const);
  const ofEntities = entities.flatMap(({ name, state, goal, memory = [] }, index) => [
    [`/entities/${index}/name`, name] as const,
    [`/entities/${index}/state`, state] as const,
    ...(goal === undefined ? [] : [[`/entities/${index}/goal`, goal] as const]),
    ...memory.map((content, at) => [`/entities/${index}/memory/${at}`, content] as const),
  ]);
  return [...contents, ...ofEntities]
    .filter(([, text]) => isBlank(text))
    .map(([pointer]) => problem('BLANK_TEXT', undefined, { pointer }));
}

/** Documents carry canonical ids; the repair names the canonical form. */
function checkEntityId(id: string, pointer: string): readonly Problem[] {
  if (isCanonicalEntityId(id)) return [];
  return [problem('ENTITY_ID_NOT_CANONICAL', { written: id, ...normaliseEntityId(id) }, { pointer })];
}

/** A named environment must exist. */
export function checkEnvironmentLabel(scenario: Scenario, label: string, pointer: string): readonly Problem[] {
  const { labels } = rosterOf(scenario);
  if (labels.has(label)) return [];
  return [problem('ENVIRONMENT_UNKNOWN', { name: label, ...among(label, [...labels]) }, { pointer })];
}

/** A named entity must exist. */
export function checkEntityExists(scenario: Scenario, id: string, pointer: string): readonly Problem[] {
  const notCanonical = checkEntityId(id, pointer);
  if (notCanonical.length > 0) return notCanonical;
  if (findEntity(scenario, id) !== undefined) return [];
  const known = [...rosterOf(scenario).canonical.keys()];
  return [problem('ENTITY_UNKNOWN', { name: id, ...among(id, known) }, { pointer })];
}

/** An entity whose own id is not canonical is found by its canonical id: that is one complaint, and not two. */
function findEntity(scenario: Scenario, id: string): Entity | undefined {
  const { written, canonical } = rosterOf(scenario);
  return written.get(id) ?? canonical.get(id);
}

/** The names of a scenario. Of several entities with one id the first counts. */
interface Roster {
  readonly labels: ReadonlySet<string>;
  readonly written: ReadonlyMap<string, Entity>;
  readonly canonical: ReadonlyMap<string, Entity>;
}

/** A scenario may have a hundred thousand entities, and as many places that name one: its names are listed once. */
const rosters = new WeakMap<Scenario, Roster>();

function rosterOf(scenario: Scenario): Roster {
  const { environments, entities } = scenario;
  const roster = rosters.get(scenario) ?? {
    labels: new Set(environments.map(({ label }) => label)),
    written: new Map(entities.toReversed().map((entity) => [entity.id, entity])),
    canonical: new Map(entities.toReversed().map((entity) => [canonicalOf(entity.id), entity])),
  };
  rosters.set(scenario, roster);
  return roster;
}

function canonicalOf(id: string): string {
  const normalised = normaliseEntityId(id);
  return normalised.ok ? normalised.id : id;
}

function checkSubjects(scenario: Scenario): readonly Problem[] {
  const places = scenario.cognition.flatMap((cognition, index) =>
    cognition.subjects.map((id, subject) => ({ id, pointer: `/cognition/${index}/subjects/${subject}` })),
  );
  const listed = new Set<string>();
  const complaints = places.flatMap(({ id, pointer }): readonly Problem[] => {
    const missing = checkEntityExists(scenario, id, pointer);
    if (missing.length > 0) return missing;
    const is_twin = listed.has(id);
    listed.add(id);
    if (is_twin) return [problem('SUBJECT_TWICE', { id }, { pointer })];
    return complainIf(findEntity(scenario, id)?.kind !== 'agent', problem('SUBJECT_NOT_AGENT', { id }, { pointer }));
  });
  // A subject that is misspelt is one complaint, and not two.
  return complaints.length > 0 ? complaints : noteIdle(scenario, new Set(places.map(({ id }) => canonicalOf(id))));
}

/** An agent may be there to be met and to remember; more often its author has forgotten it. */
function noteIdle({ entities }: Scenario, subjects: ReadonlySet<string>): readonly Problem[] {
  return entities.flatMap(({ id, kind }, index) =>
    complainIf(
      kind === 'agent' && !subjects.has(canonicalOf(id)),
      problem('AGENT_NEVER_ACTS', { id }, { pointer: `/entities/${index}/id` }),
    ),
  );
}
