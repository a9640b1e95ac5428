import type { ListPart, Readable } from '../ports/browse.js';
import type { WorldRecord, WorldSnapshot } from '../ports/worlds.js';
import { READABLE } from './lineage.js';
import { headsOf } from './state-heads.js';
import { firstScenarioOf, type NewWorld, toText } from './world-scenarios.js';
import { type HotStatement, prepare, run, type Runner, toTimestamp, type Values } from './statement.js';
import { readContents, readWorld } from './world-snapshot.js';

// Turn 0 is written out of the stored scenario, so that every later turn is a row like any other. An entity is taken apart
// once, and not for each of its memories.
const CREATE = prepare(
  'create_world',
  `WITH world AS (
     INSERT INTO worlds (world_slug, root_world_slug, scenario_hash, created_at)
     VALUES (:world_slug, :world_slug, :scenario_hash, :created_at::timestamptz)
     ON CONFLICT DO NOTHING RETURNING world_slug, scenario_hash),
   start AS (
     INSERT INTO turns (world_slug, turn, simulation_time, committed_at)
     SELECT world_slug, 0, :start_time::timestamptz, :created_at::timestamptz FROM world),
   scenario AS (
     SELECT world_slug, content FROM world JOIN scenarios ON scenarios.hash = world.scenario_hash),
   environments AS (
     INSERT INTO environment_contents (world_slug, environment_label, turn, content)
     SELECT world_slug, environment->>'label', 0, environment->>'content'
     FROM scenario, json_array_elements(content->'environments') AS row (environment)),
   states AS (
     INSERT INTO entity_states (world_slug, entity_id, turn, state)
     SELECT world_slug, entity->>'id', 0, entity->>'state'
     FROM scenario, json_array_elements(content->'entities') AS row (entity)),
   remembering AS MATERIALIZED (
     SELECT world_slug, entity->>'id' AS entity_id, coalesce(entity->'memory', '[]') AS memories
     FROM scenario, json_array_elements(content->'entities') AS row (entity)),
   memories AS (
     INSERT INTO entity_memories (world_slug, entity_id, turn, memory_seq, content, origin)
     SELECT world_slug, entity_id, 0, memory_seq, memory, 'scenario'
     FROM remembering, json_array_elements_text(memories) WITH ORDINALITY AS item (memory, memory_seq)),
   ${headsOf('scenario')},
   ${firstScenarioOf('world', '0')}
   SELECT count(*) AS created FROM world`,
);

/** Writes a scenario's start as rows. @returns false where the slug is taken */
export async function createWorld(runner: Runner, world: NewWorld & { readonly start_time: string }): Promise<boolean> {
  const [row] = await run<{ created: number }>(runner, CREATE, {
    world_slug: world.world_slug,
    scenario_hash: world.scenario_hash,
    start_time: world.start_time,
    created_at: toTimestamp(world.created_at),
    files: toText(world.files),
  });
  return row?.created === 1;
}

// A fork's parent is the ancestor that has all the others for its own.
const selectWorlds = (condition: string, more = ''): string =>
  `SELECT worlds.world_slug, worlds.scenario_hash, scenarios.content->>'label' AS scenario_label,
          worlds.turn, turns.simulation_time, worlds.created_at, parent_slug, parent_turn${more}
   FROM worlds JOIN scenarios ON scenarios.hash = worlds.scenario_hash JOIN turns USING (world_slug, turn)
     LEFT JOIN LATERAL (
       SELECT ancestor_slug AS parent_slug, until_turn AS parent_turn FROM world_lineage
       WHERE world_lineage.world_slug = worlds.world_slug
       ORDER BY (SELECT count(*) FROM world_lineage elder WHERE elder.world_slug = world_lineage.ancestor_slug) DESC
       LIMIT 1) AS parent ON true
   WHERE ${condition}
   ORDER BY worlds.world_slug`;

const FIND = prepare('find_world', selectWorlds('worlds.world_slug = :world_slug'));
const LIST = prepare('list_worlds', selectWorlds('true'));

interface WorldRow extends Omit<WorldRecord, 'forked_from'> {
  readonly parent_slug: string | null;
  readonly parent_turn: number | null;
}

export const findWorld = async (runner: Runner, world_slug: string): Promise<WorldRecord | undefined> =>
  (await readWorlds(runner, FIND, { world_slug }))[0];

/** All worlds, by name. */
export const listWorlds = (runner: Runner): Promise<readonly WorldRecord[]> => readWorlds(runner, LIST, {});

const AFTER = `worlds.world_slug > coalesce(:after::text COLLATE "C", '')`;
// What reading a world takes for granted of its scenario.
const IS_READABLE = `, coalesce(json_typeof(scenarios.content->'environments') = 'array'
            AND json_typeof(scenarios.content->'entities') = 'array', false) AS is_readable`;
const PART = prepare('browse_worlds', `${selectWorlds(AFTER, IS_READABLE)} LIMIT :limit`);
const PART_BY_SCENARIO = prepare(
  'browse_worlds_of_scenario',
  `${selectWorlds(
    `${AFTER} AND worlds.world_slug IN (SELECT world_slug FROM world_scenarios WHERE scenario_hash = :scenario_hash)`,
    IS_READABLE,
  )} LIMIT :limit`,
);

/** Worlds by name, after one of them. @param scenario_hash only those that have, or had, this scenario */
export function listWorldsAfter(
  runner: Runner,
  { after, limit }: ListPart,
  scenario_hash?: string,
): Promise<readonly (WorldRecord & Readable)[]> {
  const values = { after: after ?? null, limit };
  if (scenario_hash === undefined) return readWorlds<Readable>(runner, PART, values);
  return readWorlds<Readable>(runner, PART_BY_SCENARIO, { ...values, scenario_hash });
}

// By two indexes, however many worlds there are.
const FAMILY = prepare(
  'browse_family',
  selectWorlds(
    `worlds.world_slug IN (
       WITH origin AS (SELECT root_world_slug FROM worlds WHERE world_slug = :world_slug)
       SELECT root_world_slug FROM origin
       UNION ALL SELECT world_slug FROM world_lineage JOIN origin ON ancestor_slug = root_world_slug)`,
  ).concat(' LIMIT :limit'),
);

/** The worlds that share turns with a world, itself among them, by name. */
export function listFamily(runner: Runner, world_slug: string, limit: number): Promise<readonly WorldRecord[]> {
  return readWorlds(runner, FAMILY, { world_slug, limit });
}

async function readWorlds<More = object>(
  runner: Runner,
  statement: HotStatement,
  values: Values,
): Promise<readonly (WorldRecord & More)[]> {
  const rows = await run<WorldRow & More>(runner, statement, values);
  return rows.map(({ parent_slug, parent_turn, ...row }) => ({
    ...(row as Omit<WorldRow, 'parent_slug' | 'parent_turn'> & More),
    ...(parent_slug === null || parent_turn === null
      ? {}
      : { forked_from: { world_slug: parent_slug, turn: parent_turn } }),
  }));
}

// A root's first scenario counts from its start; every other counts from the first turn that it could play.
const FIND_TURN = prepare(
  'find_turn_of_world',
  `WITH ${READABLE}
   SELECT simulation_time, scenario_hash, scenarios.content->>'label' AS scenario_label
   FROM (SELECT simulation_time FROM readable JOIN turns USING (world_slug) WHERE turns.turn = :turn LIMIT 1) AS time,
     (SELECT world_scenarios.scenario_hash
      FROM readable JOIN worlds USING (world_slug) JOIN world_scenarios USING (world_slug),
        LATERAL (SELECT CASE WHEN scenario_seq = 1 AND root_world_slug = worlds.world_slug THEN 0 ELSE from_turn END)
          AS counted (first_turn)
      WHERE first_turn <= until_turn ORDER BY first_turn DESC, scenario_seq DESC LIMIT 1) AS played
     JOIN scenarios ON scenarios.hash = scenario_hash`,
);

type TurnRow = Pick<WorldRecord, 'simulation_time' | 'scenario_hash' | 'scenario_label'>;

/**
 * A world as it stands, by the scenario of its next turn; at a turn, by the scenario of that turn.
 * @returns undefined for an unknown world or a turn that it has not reached
 */
export async function readSnapshot(
  runner: Runner,
  world_slug: string,
  wanted?: number,
): Promise<WorldSnapshot | undefined> {
  const world = await findWorld(runner, world_slug);
  if (!world) return undefined;
  const turn = wanted ?? world.turn;
  if (!Number.isSafeInteger(turn) || turn < 0 || turn > world.turn) return undefined;
  const contents = await readContents(runner, world_slug, turn);
  if (wanted === undefined) return { ...world, ...contents };
  const [found] = await run<TurnRow>(runner, FIND_TURN, { world_slug, turn });
  return { ...world, turn, ...found, ...contents };
}

/** The events of the latest turns of a world, oldest first. @param event_turns how many turns */
export async function listEvents(runner: Runner, world_slug: string, event_turns: number) {
  const world = await findWorld(runner, world_slug);
  if (world === undefined) return [];
  return (await readWorld(runner, { world_slug, turn: world.turn, event_turns })).events;
}
