import type { Scenario } from '../../generated/scenario.js';
import { suggestName } from '../content/nearest-name.js';
import { isBlank } from '../world/blank-text.js';
import { isCanonicalEntityId, normaliseEntityId } from '../world/entity-id.js';
import { longestChronon, parseMoment } from '../world/simulation-time.js';
import { type Complaint, complainIf, complainOfTwins } from '../protocol/document-problem.js';

type Entity = Scenario['entities'][number];

/** Checks of a scenario beyond its schema: ids, names and subjects. */
export function checkScenario(scenario: Scenario): readonly Complaint[] {
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

function checkTime({ start_time, chronon_seconds }: Scenario): readonly Complaint[] {
  const start = parseMoment(start_time);
  if (!start.ok)
    return [
      {
        code: 'START_TIME_UNUSABLE',
        message: `${JSON.stringify(start_time)} ${start.reason}.`,
        pointer: '/start_time',
        repair: 'Write a time such as "2026-05-01T09:00:00Z".',
      },
    ];
  const longest = longestChronon(start.milliseconds, TURNS_TIMED);
  return complainIf(chronon_seconds > longest, {
    code: 'CHRONON_TOO_LONG',
    message: `Turns of ${chronon_seconds} seconds reach the year 9999 before turn ${TURNS_TIMED}.`,
    pointer: '/chronon_seconds',
    repair: longest > 0 ? `Write at most ${longest}, or an earlier start_time.` : 'Write an earlier start_time.',
  });
}

/** Each environment and each entity has a name of its own. */
function checkNames({ environments, entities }: Scenario): readonly Complaint[] {
  const labels = environments.map(({ label }) => label);
  const ids = entities.map(({ id }) => id);
  return [
    ...complainOfTwins('ENVIRONMENT_TWICE', labels, { pointer: '/environments', member: 'label', noun: 'environment' }),
    ...complainOfTwins('ENTITY_TWICE', ids, { pointer: '/entities', member: 'id', noun: 'entity' }),
  ];
}

function checkEntity(scenario: Scenario, entity: Entity, index: number): readonly Complaint[] {
  const { id, environment } = entity;
  const pointer = `/entities/${index}`;
  const kept = (['memory', 'goal'] as const).filter((member) => entity[member] !== undefined);
  return [
    ...checkEntityId(id, `${pointer}/id`),
    ...(environment === undefined ? [] : checkEnvironmentLabel(scenario, environment, `${pointer}/environment`)),
    ...kept.flatMap((member) =>
      complainIf(entity.kind === 'prop', {
        code: 'AGENT_ONLY',
        message: `${id} is a prop and cannot have a ${member}.`,
        pointer: `${pointer}/${member}`,
        repair: `Remove the ${member}, or make ${id} an agent.`,
      }),
    ),
  ];
}

/** A text that no patch may write is refused in a scenario too. */
function checkTexts({ environments, entities }: Scenario): readonly Complaint[] {
  const contents = environments.map(({ content }, index) => [`/environments/${index}/content`, content] as const);
  const ofEntities = entities.flatMap(({ name, state, goal, memory = [] }, index) => [
    [`/entities/${index}/name`, name] as const,
    [`/entities/${index}/state`, state] as const,
    ...(goal === undefined ? [] : [[`/entities/${index}/goal`, goal] as const]),
    ...memory.map((content, at) => [`/entities/${index}/memory/${at}`, content] as const),
  ]);
  return [...contents, ...ofEntities]
    .filter(([, text]) => isBlank(text))
    .map(([pointer]) => ({
      code: 'BLANK_TEXT',
      message: 'This text has no visible character.',
      pointer,
      repair: 'Write some text, or remove the field if it is optional.',
    }));
}

/** Documents carry canonical ids; the repair names the canonical form. */
export function checkEntityId(id: string, pointer: string): readonly Complaint[] {
  if (isCanonicalEntityId(id)) return [];
  const normalised = normaliseEntityId(id);
  const repair = normalised.ok
    ? `Write ${JSON.stringify(normalised.id)}.`
    : 'Use lower-case letters, digits, _ and -, in parts joined by dots.';
  const why = normalised.ok ? '' : `: ${normalised.reason}`;
  const message = `${JSON.stringify(id)} is not a canonical entity id${why}.`;
  return [{ code: 'ENTITY_ID_NOT_CANONICAL', message, pointer, repair }];
}

/** A named environment must exist. */
export function checkEnvironmentLabel(scenario: Scenario, label: string, pointer: string): readonly Complaint[] {
  const { labels } = rosterOf(scenario);
  if (labels.has(label)) return [];
  const message = `The scenario has no environment ${JSON.stringify(label)}.`;
  return [{ code: 'ENVIRONMENT_UNKNOWN', message, pointer, repair: suggest(label, [...labels]) }];
}

/** A named entity must exist. */
export function checkEntityExists(scenario: Scenario, id: string, pointer: string): readonly Complaint[] {
  const notCanonical = checkEntityId(id, pointer);
  if (notCanonical.length > 0) return notCanonical;
  if (findEntity(scenario, id) !== undefined) return [];
  const message = `The scenario has no entity ${JSON.stringify(id)}.`;
  const { canonical } = rosterOf(scenario);
  return [{ code: 'ENTITY_UNKNOWN', message, pointer, repair: suggest(id, [...canonical.keys()]) }];
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

function checkSubjects(scenario: Scenario): readonly Complaint[] {
  const places = scenario.cognition.flatMap((cognition, index) =>
    cognition.subjects.map((id, subject) => ({ id, pointer: `/cognition/${index}/subjects/${subject}` })),
  );
  const listed = new Set<string>();
  const complaints = places.flatMap(({ id, pointer }): readonly Complaint[] => {
    const missing = checkEntityExists(scenario, id, pointer);
    if (missing.length > 0) return missing;
    const is_twin = listed.has(id);
    listed.add(id);
    if (is_twin) {
      return [
        {
          code: 'SUBJECT_TWICE',
          message: `The subject ${id} is listed a second time here; a subject thinks once a turn.`,
          pointer,
          repair: 'Remove it from one of the two lists.',
        },
      ];
    }
    return complainIf(findEntity(scenario, id)?.kind !== 'agent', {
      code: 'SUBJECT_NOT_AGENT',
      message: `The subject ${id} is a prop; only agents think.`,
      pointer,
      repair: `Make ${id} an agent, or remove it from the subjects.`,
    });
  });
  // A subject that is misspelt is one complaint, and not two.
  return complaints.length > 0 ? complaints : noteIdle(scenario, new Set(places.map(({ id }) => canonicalOf(id))));
}

/** An agent may be there to be met and to remember; more often its author has forgotten it. */
function noteIdle({ entities }: Scenario, subjects: ReadonlySet<string>): readonly Complaint[] {
  return entities.flatMap(({ id, kind }, index) =>
    complainIf(kind === 'agent' && !subjects.has(canonicalOf(id)), {
      code: 'AGENT_NEVER_ACTS',
      message: `The agent ${id} never acts: no profile of "cognition" has it as a subject.`,
      pointer: `/entities/${index}/id`,
      repair: 'Add it to the "subjects" of a profile, or keep it if it is not to act.',
      severity: 'note',
    }),
  );
}

function suggest(written: string, known: readonly string[]): string {
  return known.length === 0 ? 'Add it to the scenario.' : suggestName(written, known);
}
