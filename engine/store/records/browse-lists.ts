import type { Json } from '../../contract/json.js';
import { redact } from '../../core/content/redact.js';
import { isUuid } from '../../core/content/uuid.js';
import type {
  BrowseReader,
  DocumentUse,
  FirstGenerations,
  ListedAttempt,
  ListedInvocation,
  ListedLlmCall,
  ListedMessage,
  ListPart,
  ReadingsPart,
  UsedDocument,
  WorldReading,
} from '../../ports/browse.js';
import { IS_DOUBTED } from '../attempts/doubt.js';
import type { OpenDatabase } from '../database.js';
import { type HotStatement, prepare, run, type Runner } from '../statement.js';
import { listComponentsAfter } from '../component-lists.js';
import { READABLE } from '../lineage.js';
import { listFamily, listWorldsAfter } from '../worlds.js';
import { listAttemptsAtTurn, listLatestAttempts } from './attempt-record.js';
import { listInvocations } from './invocation-rows.js';
import { callState } from './work-state.js';

/** Lists that pages show. Ids are ordered by time, so the newest row has the greatest. */
export function browseReader(database: OpenDatabase): BrowseReader {
  return {
    worlds: (part, scenario_hash) => listWorldsAfter(database, part, scenario_hash),
    family: (world_slug, limit) => listFamily(database, world_slug, limit),
    attempts: (world_slug, part) => listLatestAttempts(database, world_slug, part),
    attemptsAtTurn: (world_slug, turn, limit) => listAttemptsAtTurn(database, world_slug, { turn, limit }),
    calls: (attempt_id, part) => listCalls(database, attempt_id, part),
    invocations: ({ after = null, limit }) => run<ListedInvocation>(database, INVOCATIONS, { after, limit }),
    llmCalls: ({ after = null, limit }) => run<ListedLlmCall>(database, LLM_CALLS, { after, limit }),
    inbox: ({ after = null, limit }) => run<ListedMessage>(database, INBOX, { after, limit }),
    waitingAttempts: () => run<ListedAttempt>(database, WAITING_ATTEMPTS, {}),
    documents: (kind, part) => listComponentsAfter(database, kind, part),
    useOf: (document) => findUse(database, document),
    readings: (world_slug, part) => listReadings(database, world_slug, part),
    firstGenerations: (attempt_id, part) => listFirstGenerations(database, attempt_id, part),
  };
}

const LISTED = `source_invocation_id, world_slug, attempt_id, attempted_turn, invocation_kind, command_key,
     ambient_source_id, tool_name, workflow_subject_entity_id, workflow_node_id, status, failure_class, llm_call_id,
     duration_ms, started_at, ${callState('source_invocations')}`;

/** Of ids that are ordered by time: every one, or those before another. */
const isBefore = (id: string): string => `${id} < coalesce(:after::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`;

const INVOCATIONS = prepare(
  'browse_invocations',
  `SELECT ${LISTED} FROM source_invocations
   WHERE ${isBefore('source_invocation_id')} ORDER BY source_invocation_id DESC LIMIT :limit`,
);

async function listCalls(runner: Runner, attempt_id: string, { after, limit }: ListPart) {
  const place = await findPlace(runner, attempt_id);
  return place && listInvocations(runner, place, { after: Number(after ?? 0), limit });
}

const LLM_CALLS = prepare(
  'browse_llm_calls',
  `WITH newest AS (
     SELECT world_slug, llm_call_id, source_invocation_id, attempt_id, model, status, input_tokens, output_tokens, started_at
     FROM llm_calls
     WHERE ${isBefore('llm_call_id')}
     ORDER BY llm_call_id DESC LIMIT :limit)
   SELECT newest.*, asked.attempted_turn, asked.workflow_subject_entity_id, asked.workflow_node_id, asked.model_output_kind,
     ${callState('newest')}
   FROM newest JOIN source_invocations asked USING (world_slug, source_invocation_id)
   ORDER BY newest.llm_call_id DESC`,
);

// Two halves, for each is found by an index of its own, however many messages are over.
const INBOX = prepare(
  'browse_inbox',
  `WITH open AS (
     SELECT * FROM agent_inbox WHERE status IN ('pending', 'deferred') AND (message_type <> 'turn' OR agent_id IS NULL)
     UNION ALL
     SELECT * FROM agent_inbox WHERE status = 'queued' AND agent_id IS NULL)
   SELECT inbox_id, world_slug, message_type, status, attempt_id, retry_count,
     nullif(next_retry_at, 'infinity') AS next_retry_at, defer_reason, created_at
   FROM open WHERE inbox_id > coalesce(:after::uuid, '00000000-0000-0000-0000-000000000000')
   ORDER BY inbox_id LIMIT :limit`,
);

// Calls have no index by source or workflow, which every call would have to write. The scenarios that lead to the document
// are known, and with them the worlds that play them: the latest attempts of all are among those of the worlds that were
// played last.
const attemptsBy = (column: string): string => `
   WITH RECURSIVE users (kind, hash) AS (
     SELECT :kind::component_kind, :hash::text COLLATE "C"
     UNION
     SELECT from_kind, from_hash::text COLLATE "C" FROM users JOIN component_references ON to_kind = kind AND to_hash = hash),
   playing AS (
     SELECT DISTINCT world_slug FROM users JOIN world_scenarios ON kind = 'scenario' AND scenario_hash = hash),
   played AS (
     SELECT newest.* FROM playing CROSS JOIN LATERAL (
       SELECT world_slug, attempt_id FROM attempts
       WHERE attempts.world_slug = playing.world_slug ORDER BY epoch DESC LIMIT 1) AS newest
     ORDER BY attempt_id DESC LIMIT 100),
   latest AS (
     SELECT newest.* FROM played CROSS JOIN LATERAL (
       SELECT world_slug, attempt_id, attempted_turn, status, started_at, ended_at FROM attempts
       WHERE attempts.world_slug = played.world_slug ORDER BY epoch DESC LIMIT 5) AS newest
     ORDER BY attempt_id DESC LIMIT 100)
   SELECT attempt_id, world_slug, attempted_turn, status, started_at, ended_at FROM latest
   WHERE EXISTS (
     SELECT FROM source_invocations calls WHERE calls.world_slug = latest.world_slug
       AND calls.attempt_id = latest.attempt_id AND calls.${column} = :hash)
   ORDER BY attempt_id DESC LIMIT 20`;

const callsBy = (column: string): string => `
   SELECT ${LISTED} FROM unnest(:world_slugs::text[], :attempt_ids::uuid[]) AS chosen (world_slug, attempt_id)
     JOIN source_invocations USING (world_slug, attempt_id)
   WHERE ${column} = :hash ORDER BY source_invocation_id DESC LIMIT 20`;

interface UseStatements {
  readonly attempts: HotStatement;
  readonly calls: HotStatement;
}

const USES: Readonly<Record<UsedDocument['kind'], UseStatements>> = {
  response_source: {
    attempts: prepare('browse_attempts_of_source', attemptsBy('source_hash')),
    calls: prepare('browse_calls_of_source', callsBy('source_hash')),
  },
  cognition_workflow: {
    attempts: prepare('browse_attempts_of_workflow', attemptsBy('workflow_hash')),
    calls: prepare('browse_calls_of_workflow', callsBy('workflow_hash')),
  },
};

async function findUse(runner: Runner, { kind, hash }: UsedDocument): Promise<DocumentUse> {
  const attempts = await run<ListedAttempt>(runner, USES[kind].attempts, { kind, hash });
  const calls = await run<ListedInvocation>(runner, USES[kind].calls, {
    hash,
    world_slugs: attempts.map(({ world_slug }) => world_slug),
    attempt_ids: attempts.map(({ attempt_id }) => attempt_id),
  });
  return { attempts, calls };
}

// A turn waits for the doubts of one attempt alone; of others they have been set aside.
const WAITING_ATTEMPTS = prepare(
  'browse_waiting_attempts',
  `WITH waiting AS (
     SELECT world_slug, attempt_id FROM attempts WHERE status = 'suspended'
     UNION
     SELECT worlds.world_slug, calls.attempt_id
     FROM worlds JOIN source_invocations calls
       ON calls.world_slug = worlds.world_slug AND calls.attempt_id = worlds.adoptable_attempt_id
     WHERE ${IS_DOUBTED})
   SELECT attempt_id, world_slug, attempted_turn, status, started_at, ended_at
   FROM attempts JOIN waiting USING (world_slug, attempt_id) ORDER BY attempt_id LIMIT 200`,
);

const PLACE = prepare(
  'world_of_attempt',
  'SELECT world_slug, attempt_id FROM attempts WHERE attempt_id = :attempt_id::uuid',
);

/** Where an attempt is; undefined for an unknown one, and for what is no id. */
export async function findPlace(runner: Runner, attempt_id: string) {
  if (!isUuid(attempt_id)) return undefined;
  const [place] = await run<{ world_slug: string; attempt_id: string }>(runner, PLACE, { attempt_id });
  return place;
}

// Each half is found by an index of its own, however many calls the world has.
const FIRST = prepare(
  'first_generations',
  `WITH known AS (
     (SELECT calls.* FROM source_invocations AS calls
      WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid
      ORDER BY invocation_seq LIMIT :calls)
     UNION ALL
     (SELECT calls.* FROM adopted_calls
        JOIN source_invocations AS calls ON calls.world_slug = adopted_calls.world_slug
          AND calls.source_invocation_id = adopted_calls.source_invocation_id
      WHERE adopted_calls.world_slug = :world_slug AND adopted_calls.attempt_id = :attempt_id::uuid
      ORDER BY invocation_seq LIMIT :calls)),
   firsts AS (
     SELECT DISTINCT ON (workflow_subject_entity_id, workflow_node_id) llm_call_id, invocation_seq FROM known
     WHERE workflow_hash = :workflow_hash AND llm_call_id IS NOT NULL
     ORDER BY workflow_subject_entity_id, workflow_node_id, invocation_seq)
   SELECT llm_call_id FROM firsts ORDER BY invocation_seq LIMIT :limit`,
);

/** The first generation of each subject at each node of a workflow, in the order of their issue. */
export async function listFirstGenerations(
  runner: Runner,
  attempt_id: string,
  { workflow_hash, calls, limit }: FirstGenerations,
): Promise<readonly string[] | undefined> {
  const place = await findPlace(runner, attempt_id);
  if (place === undefined) return undefined;
  const rows = await run<{ llm_call_id: string }>(runner, FIRST, { ...place, workflow_hash, calls, limit });
  return rows.map(({ llm_call_id }) => llm_call_id);
}

const COLUMNS = 'invocation_seq, ambient_source_id, calls.source_invocation_id, redaction, response_json';

// The latest turn comes first, so that turns beyond the limit are not read. A reading that was adopted was made by an
// earlier attempt.
const READINGS = prepare(
  'browse_readings',
  `WITH ${READABLE}
   SELECT told.turn, reading.*
   FROM (
     SELECT turns.world_slug, turns.turn, turns.attempt_id
     FROM readable JOIN turns ON turns.world_slug = readable.world_slug
       AND turns.turn > :after AND turns.turn <= readable.until_turn
     ORDER BY turns.turn DESC LIMIT :turn - :after) AS told
   CROSS JOIN LATERAL (
     SELECT ${COLUMNS} FROM source_invocations calls
     WHERE calls.world_slug = told.world_slug AND calls.attempt_id = told.attempt_id
       AND invocation_kind = 'ambient_context' AND status = 'succeeded'
     UNION ALL
     SELECT ${COLUMNS} FROM adopted_calls adopted
       JOIN source_invocations calls ON calls.world_slug = adopted.world_slug
         AND calls.source_invocation_id = adopted.source_invocation_id
     WHERE adopted.world_slug = told.world_slug AND adopted.attempt_id = told.attempt_id
       AND invocation_kind = 'ambient_context' AND status = 'succeeded') AS reading
   ORDER BY told.turn DESC, invocation_seq DESC LIMIT :limit`,
);

interface Row extends WorldReading {
  readonly invocation_seq: number;
  readonly redaction: 'all' | readonly string[];
  readonly response_json: Json;
}

/** The answers of ambient sources in committed turns: the latest, in the order of turns. */
export async function listReadings(
  runner: Runner,
  world_slug: string,
  { after, until, limit }: ReadingsPart,
): Promise<readonly WorldReading[]> {
  const rows = await run<Row>(runner, READINGS, { world_slug, after, turn: until, limit });
  return rows.toReversed().map(({ turn, ambient_source_id, source_invocation_id, response_json, redaction }) => ({
    turn,
    ambient_source_id,
    source_invocation_id,
    response_json: redact(response_json, redaction),
  }));
}
