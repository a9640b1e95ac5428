import { present } from '../contract/present.js';
import type { WorldContents } from '../core/world/diff-worlds.js';
import { EFFECT_OPERATIONS, type EffectParts, effectOf, PATCH_OPERATIONS } from '../core/world/patch-operations.js';
import { type Origins, ofPatch } from '../core/prompt/origins.js';
import { composeWorld, type Entity, type World } from '../core/world/world.js';
import type { EffectOperation } from '../core/world/world-patch.js';
import { type HotStatement, prepare, run, type Runner, type Values } from './statement.js';

/**
 * The CTEs that lead from one row of a CTE `place (world_slug, turn)` to what can be read there.
 * A fork reads its ancestors' rows up to where it left them; its own rows are all later, so the latest one holds.
 */
export const AT_PLACE = `
  readable (world_slug, until_turn) AS (
    SELECT world_slug, turn FROM place
    UNION ALL
    SELECT ancestor_slug, least(until_turn, turn) FROM place JOIN world_lineage USING (world_slug)),
  setting AS (
    SELECT content FROM place JOIN worlds USING (world_slug) JOIN scenarios ON scenarios.hash = worlds.scenario_hash)`;

// Of each world that it reads, the latest row is found by one step in the index: all rows since the beginning are not.
/** The origins of the patch that wrote a row; JSON null where no patch did, a model where they are not on record. */
export const originsOf = (row: string): string => `(
  SELECT coalesce(to_json(patches.origins), '["model"]') FROM world_patches AS patches
  WHERE patches.world_slug = ${row}.world_slug AND patches.turn = ${row}.turn AND patches.patch_seq = ${row}.patch_seq)`;

/** The entities at the place, as JSON. */
export const ENTITIES = `(
  SELECT json_agg(json_build_object('id', id, 'name', entity->'name', 'kind', entity->'kind',
    'environment', entity->'environment', 'goal', entity->'goal', 'state', state, 'origins', ${originsOf('latest')})
    ORDER BY position)
  FROM setting,
    json_array_elements(content->'entities') WITH ORDINALITY AS row (entity, position),
    LATERAL (SELECT entity->>'id' COLLATE "C" AS id) AS named,
    LATERAL (
      SELECT latest_of_one.* FROM readable CROSS JOIN LATERAL (
        SELECT world_slug, turn, state, patch_seq FROM entity_states
        WHERE entity_states.world_slug = readable.world_slug AND entity_states.entity_id = id
          AND entity_states.turn <= readable.until_turn
        ORDER BY entity_states.turn DESC LIMIT 1) AS latest_of_one
      ORDER BY turn DESC LIMIT 1) AS latest)`;

/** The environments at the place, as JSON. */
export const ENVIRONMENTS = `(
  SELECT json_agg(json_build_object('label', label, 'content', latest.content, 'origins', ${originsOf('latest')})
    ORDER BY position)
  FROM setting,
    json_array_elements(setting.content->'environments') WITH ORDINALITY AS row (environment, position),
    LATERAL (SELECT environment->>'label' COLLATE "C" AS label) AS named,
    LATERAL (
      SELECT latest_of_one.* FROM readable CROSS JOIN LATERAL (
        SELECT world_slug, turn, content, patch_seq FROM environment_contents
        WHERE environment_contents.world_slug = readable.world_slug
          AND environment_contents.environment_label = label AND environment_contents.turn <= readable.until_turn
        ORDER BY environment_contents.turn DESC LIMIT 1) AS latest_of_one
      ORDER BY turn DESC LIMIT 1) AS latest)`;

/**
 * Whether a row that a patch or the scenario wrote has an origin of some purges.
 * @param purges its CTE or table, at the place where memories are read
 */
export const isPurged = (row: string, purges: string): string => `EXISTS (
    SELECT FROM ${purges} AS purges WHERE ${row}.turn <= purges.at_turn AND purges.origin = ANY (
      CASE WHEN ${row}.patch_seq IS NULL THEN '{scenario}' ELSE (
        SELECT coalesce(wrote.origins, '{}') || 'world'::text FROM world_patches AS wrote
        WHERE wrote.world_slug = ${row}.world_slug AND wrote.turn = ${row}.turn
          AND wrote.patch_seq = ${row}.patch_seq) END))`;

/** A purge is of the memories that there were at its turn. */
const PURGES = `(
      SELECT at_turn, memory_purges.origin FROM place JOIN memory_purges USING (world_slug) WHERE at_turn <= place.turn)`;

/** The ids of the memories from which a node wrote one, as its effect names them: JSON, null of any other memory. */
export const sourcesOf = (row: string): string => `(
    SELECT effects.sources FROM patch_effects AS effects
    WHERE effects.world_slug = ${row}.world_slug AND effects.turn = ${row}.turn AND effects.patch_seq = ${row}.patch_seq
      AND effects.effect_index = ${row}.effect_index)`;

const MEMORIES = `(
  SELECT json_agg(json_build_object('entity_id', entity_id, 'memory_id', memories.turn || '.' || memory_seq,
    'turn', memories.turn, 'content', content, 'sources', ${sourcesOf('memories')},
    'origins', ${originsOf('memories')}) ORDER BY entity_id, memories.turn, memory_seq)
  FROM readable JOIN entity_memories AS memories USING (world_slug)
  WHERE memories.turn <= readable.until_turn AND NOT ${isPurged('memories', PURGES)})`;

// Of each agent the latest memories, and those of the scenario: a prompt shows no others as they are.
const LATEST_MEMORIES = `
  CASE WHEN :memories::int > 0 THEN (
    SELECT json_agg(json_build_object('entity_id', id, 'memory_id', turn || '.' || memory_seq, 'turn', turn,
      'content', kept.content,
      'origins', ${originsOf('kept')}) ORDER BY id, turn, memory_seq)
    FROM setting, json_array_elements(setting.content->'entities') AS row (entity),
      LATERAL (SELECT entity->>'id' COLLATE "C" AS id) AS named,
      LATERAL (
        (SELECT latest.* FROM readable CROSS JOIN LATERAL (
           SELECT world_slug, turn, memory_seq, memories.content, patch_seq FROM entity_memories AS memories
           WHERE memories.world_slug = readable.world_slug AND entity_id = id
             AND memories.turn <= readable.until_turn AND NOT ${isPurged('memories', PURGES)}
           ORDER BY turn DESC, memory_seq DESC LIMIT :memories::int) AS latest
         ORDER BY turn DESC, memory_seq DESC LIMIT :memories::int)
        UNION
        SELECT world_slug, turn, memory_seq, memories.content, patch_seq
        FROM readable JOIN entity_memories AS memories USING (world_slug)
        WHERE entity_id = id AND turn = 0 AND NOT ${isPurged('memories', PURGES)}) AS kept
    WHERE entity->>'kind' = 'agent') END`;

/** The operations that a purge of memories takes back. */
const REMEMBERED = EFFECT_OPERATIONS.filter((op) => PATCH_OPERATIONS[op].changes === 'entity_memory')
  .map((op) => `'${op}'`)
  .join(', ');

// The events of the turns that some projection includes; nothing is read where none does. A patch without a narration is
// what an author has its subject remember: no event.
const EVENTS = `
  CASE WHEN :event_turns::int > 0 THEN (
    SELECT json_agg(json_build_object('turn', patches.turn, 'subject_id', workflow_subject_entity_id,
        'narration', narration, 'origins', coalesce(to_json(patches.origins), '["model"]'), 'effects', (
          SELECT json_agg(json_build_object('op', op, 'target', coalesce(entity_id, environment_label), 'text', state_after)
            ORDER BY effect_index)
          FROM patch_effects AS effects
          WHERE effects.world_slug = patches.world_slug AND effects.turn = patches.turn
            AND effects.patch_seq = patches.patch_seq
            AND (op NOT IN (${REMEMBERED}) OR NOT ${isPurged('patches', PURGES)})))
      ORDER BY patches.turn, patch_seq)
    FROM place, readable JOIN world_patches AS patches ON patches.world_slug = readable.world_slug
    WHERE patches.turn > place.turn - :event_turns::int AND patches.turn <= readable.until_turn
      AND patches.narration <> '') END`;

const STATES = `${ENVIRONMENTS} AS environments, ${ENTITIES} AS entities`;

/** The columns of `ContentsRow`, read at the place: all that a turn begins with, in one row. Takes a `WorldWindow`. */
export const CONTENTS = `${STATES}, ${LATEST_MEMORIES} AS memories, ${EVENTS} AS events`;

/** How far back a turn looks. */
export interface WorldWindow {
  readonly event_turns: number;
  readonly memories: number;
}

/** The part of a request that says so; all memories, where it does not say. */
export function toWindow({ event_turns, memories = ALL }: Partial<WorldWindow> & Pick<WorldWindow, 'event_turns'>) {
  return { event_turns, memories };
}

const ALL = 2 ** 31 - 1;

const selectAt = (columns: string): string =>
  `WITH place (world_slug, turn) AS (SELECT :world_slug::text COLLATE "C", :turn::bigint), ${AT_PLACE} SELECT ${columns}`;

const WORLD = prepare('world_at_turn', selectAt(CONTENTS));

// Its plan never depends on a value, so a session plans it once. With the events it is planned each time.
const SNAPSHOT = prepare('world_contents', selectAt(`${STATES}, ${MEMORIES} AS memories`));

interface EntityRow extends Pick<Entity, 'id' | 'name' | 'kind' | 'state'> {
  readonly environment: string | null;
  readonly goal: string | null;
  readonly origins: Origins | null;
}

interface MemoryRow {
  readonly entity_id: string;
  readonly memory_id: string;
  readonly turn: number;
  readonly content: string;
  readonly origins: Origins | null;
  readonly sources?: readonly string[] | null;
}

interface EventRow extends Omit<World['events'][number], 'patch'> {
  readonly narration: string;
  readonly effects: readonly ({ readonly op: EffectOperation } & EffectParts)[] | null;
}

/** The columns of `CONTENTS`; null for an empty list. */
export interface ContentsRow {
  readonly environments:
    | readonly { readonly label: string; readonly content: string; readonly origins: Origins | null }[]
    | null;
  readonly entities: readonly EntityRow[] | null;
  readonly memories: readonly MemoryRow[] | null;
  readonly events: readonly EventRow[] | null;
}

type SnapshotRow = Omit<ContentsRow, 'events'>;

/** Reads what a world held at the end of a turn that it, or an ancestor for it, has reached. */
export async function readContents(runner: Runner, world_slug: string, turn: number): Promise<WorldContents> {
  return toContents(await readRow<SnapshotRow>(runner, SNAPSHOT, { world_slug, turn }));
}

/** Reads the value that a turn begins with. */
export async function readWorld(
  runner: Runner,
  {
    world_slug,
    turn,
    ...window
  }: Parameters<typeof toWindow>[0] & Pick<World, 'turn'> & { readonly world_slug: string },
): Promise<World> {
  return toWorld(
    world_slug,
    turn,
    await readRow<ContentsRow>(runner, WORLD, { world_slug, turn, ...toWindow(window) }),
  );
}

async function readRow<Row extends object>(runner: Runner, statement: HotStatement, place: Values): Promise<Row> {
  const [row] = await run<Row>(runner, statement, place);
  if (!row) throw new Error('a select without a table gives one row');
  return row;
}

function toContents({ environments, entities, memories }: SnapshotRow): WorldContents {
  const byEntity = groupMemories(memories ?? []);
  return {
    environments: (environments ?? []).map(({ origins, ...row }) => ({ ...row, ...written(origins) })),
    entities: (entities ?? []).map((row) => toEntity(row, byEntity.get(row.id) ?? [])),
  };
}

/** A value without origins is the scenario's. */
export function written(origins: Origins | null): { readonly origins?: Origins } {
  return origins === null ? {} : { origins: ofPatch(origins) };
}

function groupMemories(rows: readonly MemoryRow[]): ReadonlyMap<string, Entity['memory']> {
  const groups = new Map<string, Entity['memory'][number][]>();
  for (const { entity_id, memory_id, turn, content, origins, sources } of rows) {
    const memory = { memory_id, content, turn, ...written(origins), ...present({ sources: sources ?? undefined }) };
    const group = groups.get(entity_id);
    if (group) group.push(memory);
    else groups.set(entity_id, [memory]);
  }
  return groups;
}

function toEntity(row: EntityRow, memory: Entity['memory']): Entity {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    ...present({ environment: row.environment ?? undefined, goal: row.goal ?? undefined }),
    state: row.state,
    ...written(row.origins),
    memory,
  };
}

/** A row as the value that a turn begins with. */
export function toWorld(slug: string, turn: number, row: ContentsRow): World {
  const contents = toContents(row);
  return composeWorld({
    slug,
    turn,
    environments: contents.environments.map(({ label, ...content }) => [label, content]),
    entities: contents.entities,
    events: (row.events ?? []).map(toEvent),
  });
}

function toEvent({ turn, subject_id, narration, origins, effects }: EventRow): World['events'][number] {
  return {
    turn,
    subject_id,
    origins,
    patch: { narration, effects: (effects ?? []).map(({ op, ...parts }) => effectOf(op, parts)) },
  };
}
