import type { Json } from '../../contract/json.js';
import { groupBy } from '../../core/content/group-by.js';
import { prepare, run, type Runner } from '../statement.js';

/** A seal as its row holds it. */
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
  `SELECT world_slug, seal_seq, attempt_id, source_invocation_id, leaf_hashes, root, previous_root, sealed_at
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

const ENDED = prepare(
  'list_ended_attempts',
  `SELECT attempt_id, scenario_hash FROM attempts
   WHERE world_slug = :world_slug AND ended_at IS NOT NULL ORDER BY epoch`,
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
     SELECT messages.message_hash, role, (
       SELECT encode(sha256(coalesce(string_agg(text, ''::bytea ORDER BY position), '')), 'hex')
       FROM llm_message_pieces AS pieces WHERE pieces.message_hash = messages.message_hash) AS content_hash
     FROM (SELECT DISTINCT message_hash FROM listed) AS named JOIN llm_messages AS messages USING (message_hash))
   SELECT attempt_id, conversation, position, role, content_hash
   FROM listed JOIN hashed USING (message_hash)
   ORDER BY attempt_id, conversation, position`,
);

const GENERATIONS = prepare(
  'prompts_of_generations',
  `SELECT attempt_id, source_invocation_id, conversation, message_count, prefix_hash FROM llm_calls
   WHERE world_slug = :world_slug AND attempt_id = ANY (:attempt_ids::uuid[])`,
);

const REQUESTS = prepare(
  'requests_of_calls',
  `SELECT attempt_id, source_invocation_id, source_hash, request_json, request_hash FROM source_invocations
   WHERE world_slug = :world_slug AND attempt_id = ANY (:attempt_ids::uuid[]) AND llm_call_id IS NULL`,
);

interface PromptRow {
  readonly attempt_id: string;
  readonly conversation: string;
  readonly position: number;
  readonly role: 'system' | 'user' | 'assistant';
  readonly content_hash: string;
}

interface GenerationRow {
  readonly attempt_id: string;
  readonly source_invocation_id: string;
  readonly conversation: string;
  readonly message_count: number;
  readonly prefix_hash: string;
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

// What a turn left behind follows from its patches. Scenarios are named by their content.
const MISPLACED = prepare(
  'find_misplaced_values',
  `WITH held AS (
     SELECT turn, patch_seq, effect_index, entity_id::text AS place, state AS text FROM entity_states
     WHERE world_slug = :world_slug AND patch_seq IS NOT NULL
     UNION ALL
     SELECT turn, patch_seq, effect_index, environment_label::text, content FROM environment_contents
     WHERE world_slug = :world_slug AND patch_seq IS NOT NULL
     UNION ALL
     SELECT turn, patch_seq, effect_index, entity_id::text, content FROM entity_memories
     WHERE world_slug = :world_slug AND origin = 'patch')
   SELECT held.turn, held.place FROM held
     LEFT JOIN patch_effects AS said ON said.world_slug = :world_slug AND said.turn = held.turn
       AND said.patch_seq = held.patch_seq AND said.effect_index = held.effect_index
   WHERE said.state_after IS DISTINCT FROM held.text
     OR coalesce(said.entity_id, said.environment_label) IS DISTINCT FROM held.place
   ORDER BY held.turn LIMIT 1`,
);

/** The first value of a world that is not what its patch left. */
export async function findMisplacedValue(
  runner: Runner,
  world_slug: string,
): Promise<{ readonly turn: number; readonly place: string } | undefined> {
  const [row] = await run<{ turn: number; place: string }>(runner, MISPLACED, { world_slug });
  return row;
}
