import type { Json } from '../../contract/json.js';
import { groupBy } from '../../core/content/group-by.js';
import type { PieceOrigin } from '../../core/prompt/message.js';
import { PATCH_OPERATIONS } from '../../core/world/patch-operations.js';
import { prepare, run, type Runner } from '../statement.js';

export interface SealRow {
  readonly world_slug: string;
  /** 1-based in its world. */
  readonly seal_seq: number;
  readonly attempt_id: string;
  /** Of a settlement, the call that it settles. */
  readonly source_invocation_id: string | null;
  readonly leaf_hashes: Buffer;
  readonly root: Buffer;
  readonly previous_root: Buffer | null;
  readonly sealed_at: string;
}

const SEALS = prepare(
  'list_seals',
  `SELECT world_slug, seal_seq, attempt_id, source_invocation_id, coalesce(leaf_hashes, '') AS leaf_hashes,
     coalesce(root, '') AS root, previous_root, sealed_at
   FROM seals WHERE world_slug = :world_slug AND (:attempt_id::uuid IS NULL OR attempt_id = :attempt_id::uuid)
   ORDER BY seal_seq`,
);

/** The seals of a world, or of one of its attempts, in their order. */
export function listSeals(
  runner: Runner,
  world_slug: string,
  attempt_id: string | null = null,
): Promise<readonly SealRow[]> {
  return run<SealRow>(runner, SEALS, { world_slug, attempt_id });
}

const HAS_WORLD = prepare('has_world', 'SELECT FROM worlds WHERE world_slug = :world_slug');

/** Whether there is a world of this name, even if what its row says is not there. */
export async function hasWorld(runner: Runner, world_slug: string): Promise<boolean> {
  return (await run(runner, HAS_WORLD, { world_slug })).length > 0;
}

const ENDED = prepare(
  'list_ended_attempts',
  `SELECT attempt_id, scenario_hash FROM attempts
   WHERE world_slug = :world_slug AND attempt_id IS NOT NULL AND ended_at IS NOT NULL ORDER BY epoch`,
);

/** The attempts of a world that have ended, the first first. */
export function listEndedAttempts(
  runner: Runner,
  world_slug: string,
): Promise<readonly { readonly attempt_id: string; readonly scenario_hash: string }[]> {
  return run(runner, ENDED, { world_slug });
}

const SESSIONS = prepare(
  'find_attempts_of_session',
  `SELECT attempt_id FROM attempts
   WHERE upper(left(encode(sha256(decode(replace(attempt_id::text, '-', ''), 'hex')), 'hex'), 8)) = :digits
   ORDER BY started_at`,
);

/** The attempts whose session has this id: one, but for chance. @param session_id `SES-` and 8 digits */
export function findSessions(runner: Runner, session_id: string): Promise<readonly { readonly attempt_id: string }[]> {
  return run(runner, SESSIONS, { digits: session_id.slice('SES-'.length) });
}

// A message that many prompts share is stored once, and hashed once.
const PROMPTS = prepare(
  'contents_of_prompts',
  `WITH listed AS (
     SELECT attempt_id, conversation, position, message_hash FROM llm_conversation_messages
     WHERE world_slug = :world_slug AND attempt_id = ANY (:attempt_ids::uuid[])),
   hashed AS (
     SELECT messages.message_hash, role, content.*
     FROM (SELECT DISTINCT message_hash FROM listed) AS named JOIN llm_messages AS messages USING (message_hash)
       CROSS JOIN LATERAL (
         SELECT encode(sha256(coalesce(string_agg(text, ''::bytea ORDER BY position), '')), 'hex') AS content_hash,
           coalesce(json_agg(json_build_array(origin, octet_length(text), comes_from) ORDER BY position), '[]') AS pieces
         FROM llm_message_pieces AS pieces WHERE pieces.message_hash = messages.message_hash) AS content)
   SELECT attempt_id, conversation, position, role, content_hash, pieces
   FROM listed JOIN hashed USING (message_hash)
   ORDER BY attempt_id, conversation, position`,
);

// A schema that many calls offer is hashed once.
const GENERATIONS = prepare(
  'prompts_of_generations',
  `WITH asked AS (
     SELECT llm_calls.*, source_hash, request_hash, argument_origins->'pieces'->>0 AS pieces_hash
     FROM llm_calls JOIN source_invocations USING (world_slug, source_invocation_id)
     WHERE world_slug = :world_slug AND llm_calls.attempt_id = ANY (:attempt_ids::uuid[])),
   whole AS MATERIALIZED (
     SELECT hash FROM offered_schemas
     WHERE hash IN (SELECT output_schema_hash FROM asked UNION SELECT delivered_schema_hash FROM asked)
       AND hash = encode(sha256(convert_to(content::text, 'UTF8')), 'hex'))
   SELECT attempt_id, source_invocation_id, source_hash, request_hash, prefix_hash, pieces_hash, coalesce(conversation, '') AS conversation, message_count,
     output_schema_hash, schema_delivery, output_schema_hash IN (SELECT hash FROM whole)
       AND coalesce(delivered_schema_hash, output_schema_hash) IN (SELECT hash FROM whole) AS is_offer_whole
   FROM asked`,
);

// The request of a generation is on its own row, of which its entry names the parts.
const REQUESTS = prepare(
  'requests_of_calls',
  `SELECT attempt_id, source_invocation_id, source_hash, request_json, request_hash FROM source_invocations
   WHERE world_slug = :world_slug AND attempt_id = ANY (:attempt_ids::uuid[])
     AND (llm_call_id IS NULL OR request_json IS NOT NULL)`,
);

interface PromptRow {
  readonly attempt_id: string;
  readonly conversation: string;
  readonly position: number;
  readonly role: 'system' | 'user' | 'assistant';
  readonly content_hash: string;
  readonly pieces: readonly PieceOrigin[];
}

interface GenerationRow extends Omit<RequestRow, 'request_json'> {
  readonly conversation: string;
  readonly message_count: number;
  readonly prefix_hash: string;
  /** Names the origins of its pieces; null of calls of earlier versions. */
  readonly pieces_hash: string | null;
  readonly output_schema_hash: string;
  readonly schema_delivery: string;
  /** The schemas that it was offered are what their hashes were made of. */
  readonly is_offer_whole: boolean;
}

interface RequestRow {
  readonly attempt_id: string;
  readonly source_invocation_id: string;
  readonly source_hash: string;
  readonly request_json: Json;
  readonly request_hash: string;
}

/** What the hashes of an attempt's calls stand for. */
export interface SealedContents {
  /** The messages of all conversations, in order. */
  readonly prompts: readonly PromptRow[];
  readonly generations: readonly GenerationRow[];
  readonly requests: readonly RequestRow[];
}

/** The contents of the prompts and requests of attempts of one world, read from where they are stored. */
export async function readSealedContents(
  runner: Runner,
  world_slug: string,
  attempt_ids: readonly string[],
): Promise<(attempt_id: string) => SealedContents> {
  const key = { world_slug, attempt_ids };
  const prompts = groupBy(await run<PromptRow>(runner, PROMPTS, key), ({ attempt_id }) => attempt_id);
  const generations = groupBy(await run<GenerationRow>(runner, GENERATIONS, key), ({ attempt_id }) => attempt_id);
  const requests = groupBy(await run<RequestRow>(runner, REQUESTS, key), ({ attempt_id }) => attempt_id);
  return (id) => ({
    prompts: prompts.get(id) ?? [],
    generations: generations.get(id) ?? [],
    requests: requests.get(id) ?? [],
  });
}

// A world and its ancestors, as far as it reads them; the one without ancestors began with a scenario.
const READ = `
  readable (world_slug, until_turn) AS (
    SELECT world_slug::text COLLATE "C", turn FROM worlds WHERE world_slug = :world_slug
    UNION ALL
    SELECT ancestor_slug, until_turn FROM world_lineage WHERE world_slug = :world_slug),
  begun AS (
    SELECT readable.world_slug, content
    FROM readable JOIN world_scenarios ON world_scenarios.world_slug = readable.world_slug AND scenario_seq = 1
      JOIN scenarios ON hash = scenario_hash
    WHERE NOT EXISTS (SELECT FROM world_lineage WHERE world_lineage.world_slug = readable.world_slug))`;

const OPERATIONS = Object.entries(PATCH_OPERATIONS)
  .map(([op, { changes }]) => `WHEN '${op}' THEN '${changes}'`)
  .join(' ');

/** What somebody has altered to no list has no items. */
function items(list: string, expand = 'json_array_elements'): string {
  return `${expand}(CASE WHEN json_typeof(${list}) = 'array' THEN ${list} ELSE '[]' END)`;
}

// Of several effects on one place in a turn the last one counts, unless it leaves what was there before the first one.
const SAID = `
  effects AS (
    SELECT world_slug, turn, patch_seq, effect->>'effect_index' AS effect_index,
      CASE effect->>'op' ${OPERATIONS} END AS value, coalesce(effect->>'entity_id', effect->>'environment_label') AS place,
      effect->>'state_before' AS state_before, effect->>'state_after' AS state_after, effect_seq
    FROM world_patches JOIN readable USING (world_slug),
      ${items('effects')} WITH ORDINALITY AS item (effect, effect_seq)
    WHERE turn <= until_turn),
  changes AS (
    SELECT *, first_value(state_before) OVER said AS before, row_number() OVER said AS seq,
      count(*) OVER (PARTITION BY world_slug, turn, value, place) AS changes
    FROM effects WINDOW said AS (PARTITION BY world_slug, turn, value, place ORDER BY patch_seq, effect_seq)),
  said AS (
    SELECT world_slug, turn, value, place, CASE value WHEN 'entity_memory' THEN seq END AS seq, state_after AS text,
      CASE value WHEN 'entity_memory' THEN 'patch' END AS origin, patch_seq::int AS patch_seq, effect_index
    FROM changes
    WHERE value = 'entity_memory' OR seq = changes AND before IS DISTINCT FROM state_after
    UNION ALL
    SELECT world_slug, 0, 'entity_state', entity->>'id', NULL, entity->>'state', NULL, NULL, NULL
    FROM begun, ${items("content->'entities'")} AS row (entity)
    UNION ALL
    SELECT world_slug, 0, 'environment_content', environment->>'label', NULL, environment->>'content', NULL, NULL, NULL
    FROM begun, ${items("content->'environments'")} AS row (environment)
    UNION ALL
    SELECT world_slug, 0, 'entity_memory', entity->>'id', seq, memory, 'scenario', NULL, NULL
    FROM begun, ${items("content->'entities'")} AS row (entity),
      ${items("entity->'memory'", 'json_array_elements_text')} WITH ORDINALITY AS item (memory, seq))`;

const HELD = `
  held AS (
    SELECT world_slug, turn, 'entity_state' AS value, entity_id::text AS place, NULL::bigint AS seq, state AS text,
      NULL AS origin, patch_seq, effect_index::text FROM entity_states
    UNION ALL
    SELECT world_slug, turn, 'environment_content', environment_label::text, NULL, content, NULL, patch_seq, effect_index::text
    FROM environment_contents
    UNION ALL
    SELECT world_slug, turn, 'entity_memory', entity_id::text, memory_seq, content, origin::text, patch_seq, effect_index::text
    FROM entity_memories)`;

const columns = (from: string): string =>
  `SELECT ${from}.world_slug::text COLLATE "C" AS world_slug, turn, value COLLATE "C" AS value, place COLLATE "C" AS place,
     seq, text COLLATE "C" AS text, origin COLLATE "C", patch_seq, effect_index COLLATE "C" AS effect_index FROM ${from}`;

const MISPLACED = prepare(
  'find_misplaced_values',
  `WITH ${READ}, ${SAID}, ${HELD},
   held_here AS (
     SELECT held.* FROM held JOIN readable ON readable.world_slug = held.world_slug
     WHERE turn <= until_turn OR readable.world_slug = :world_slug)
   SELECT turn, place FROM (
     (${columns('held_here')} EXCEPT ALL ${columns('said')})
     UNION ALL
     (${columns('said')} EXCEPT ALL ${columns('held_here')})) AS differing
   ORDER BY turn, place LIMIT 1`,
);

/**
 * The first value of a world, its shared history included, that is not what a patch or the scenario left, or that is not
 * there although one left it.
 */
export async function findMisplacedValue(
  runner: Runner,
  world_slug: string,
): Promise<{ readonly turn: number; readonly place: string } | undefined> {
  const [row] = await run<{ turn: number; place: string }>(runner, MISPLACED, { world_slug });
  return row;
}

// One statement sees one moment: a turn that is committed meanwhile is wholly in it, or not at all.
const MISSHAPEN = prepare(
  'find_faults_of_turns',
  `WITH world AS (
     SELECT world_slug, turn AS reached, scenario_hash, (
       SELECT coalesce(max(until_turn), 0) FROM world_lineage WHERE world_slug = :world_slug) AS start
     FROM worlds WHERE world_slug = :world_slug),
   -- One turn more than are there says that others are missing, however many a world claims to have.
   due AS (
     SELECT generate_series(start, least(reached, least(start, reached)::numeric + (SELECT count(*) FROM turns
       WHERE turns.world_slug = :world_slug))::bigint) AS turn, true AS is_due
     FROM world),
   held AS (SELECT turn, attempt_id, committed_at FROM turns WHERE world_slug = :world_slug),
   made AS (
     SELECT attempted_turn::bigint AS turn, attempt_id AS made_by, ended_at FROM attempts
     WHERE world_slug = :world_slug AND status = 'committed'),
   chosen AS (
     SELECT from_turn, scenario_hash,
       lead(from_turn) OVER (ORDER BY scenario_seq) AS until FROM world_scenarios WHERE world_slug = :world_slug)
   SELECT 'reopened' AS kind, attempt_id, attempted_turn::bigint AS turn, NULL::int AS seal_seq
   FROM attempts JOIN world USING (world_slug)
   WHERE (ended_at IS NULL OR status NOT IN ('committed', 'failed'))
     AND (attempted_turn <= reached OR EXISTS (
       SELECT FROM seals WHERE seals.world_slug = :world_slug AND seals.attempt_id = attempts.attempt_id))
   UNION ALL
   SELECT 'orphan', seals.attempt_id, NULL, seal_seq
   FROM seals LEFT JOIN attempts USING (world_slug, attempt_id)
   WHERE seals.world_slug = :world_slug AND attempts.attempt_id IS NULL
   UNION ALL
   SELECT 'turn', coalesce(attempt_id, made_by), turn, NULL
   FROM due FULL JOIN held USING (turn) FULL JOIN made USING (turn) CROSS JOIN world
   WHERE is_due IS NULL OR committed_at IS NULL OR attempt_id IS DISTINCT FROM made_by
     OR (made_by IS NULL) <> (turn = start) OR committed_at <> ended_at
   UNION ALL
   SELECT 'scenario', attempt_id, attempted_turn, NULL FROM attempts
   WHERE world_slug = :world_slug AND NOT EXISTS (
     SELECT FROM chosen
     WHERE from_turn <= attempted_turn AND chosen.scenario_hash = attempts.scenario_hash
       AND (status <> 'committed' OR until IS NULL OR until > attempted_turn))
   UNION ALL
   SELECT 'scenario', NULL, reached, NULL FROM world
   WHERE scenario_hash IS DISTINCT FROM (SELECT scenario_hash FROM chosen ORDER BY until DESC NULLS FIRST LIMIT 1)
   ORDER BY turn NULLS FIRST, seal_seq`,
);

/** What does not fit together of the attempts, seals, turns and scenarios of a world. */
export interface TurnFault {
  readonly kind: 'reopened' | 'orphan' | 'turn' | 'scenario';
  readonly attempt_id: string | null;
  readonly turn: number | null;
  readonly seal_seq: number | null;
}

/**
 * Compares a world's attempts with its seals, its turns and its scenarios: each seal is of an attempt, no attempt with a
 * seal or a later turn is open, and each turn up to the world's own is of the attempt that committed it.
 */
export function listTurnFaults(runner: Runner, world_slug: string): Promise<readonly TurnFault[]> {
  return run<TurnFault>(runner, MISSHAPEN, { world_slug });
}
