import type { Json } from '../../contract/json.js';
import type { InAttempt } from '../queries.js';
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

const PROMPTS = prepare(
  'contents_of_prompts',
  `SELECT listed.conversation, listed.position, role,
     encode(sha256(coalesce(string_agg(pieces.text, ''::bytea ORDER BY pieces.position), '')), 'hex') AS content_hash
   FROM llm_conversation_messages AS listed
     JOIN llm_messages USING (message_hash)
     LEFT JOIN llm_message_pieces AS pieces USING (message_hash)
   WHERE listed.world_slug = :world_slug AND listed.attempt_id = :attempt_id::uuid
   GROUP BY listed.conversation, listed.position, role
   ORDER BY listed.conversation, listed.position`,
);

const GENERATIONS = prepare(
  'prompts_of_generations',
  `SELECT source_invocation_id, conversation, message_count, prefix_hash FROM llm_calls
   WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid`,
);

const REQUESTS = prepare(
  'requests_of_calls',
  `SELECT source_invocation_id, source_hash, request_json, request_hash FROM source_invocations
   WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid AND llm_call_id IS NULL`,
);

/** What the hashes of an attempt's calls stand for. */
export interface SealedContents {
  /** The messages of each conversation, in order. */
  readonly prompts: readonly {
    readonly conversation: string;
    readonly position: number;
    readonly role: 'system' | 'user' | 'assistant';
    readonly content_hash: string;
  }[];
  readonly generations: readonly {
    readonly source_invocation_id: string;
    readonly conversation: string;
    readonly message_count: number;
    readonly prefix_hash: string;
  }[];
  readonly requests: readonly {
    readonly source_invocation_id: string;
    readonly source_hash: string;
    readonly request_json: Json;
    readonly request_hash: string;
  }[];
}

/** The contents of an attempt's prompts and requests, read from where they are stored. */
export async function readSealedContents(runner: Runner, attempt: InAttempt): Promise<SealedContents> {
  const key = { ...attempt };
  return {
    prompts: await run(runner, PROMPTS, key),
    generations: await run(runner, GENERATIONS, key),
    requests: await run(runner, REQUESTS, key),
  };
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
