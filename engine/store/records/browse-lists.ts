import type {
  BrowseReader,
  InvocationFilter,
  ListedAttempt,
  ListedInvocation,
  ListedLlmCall,
  ListedMessage,
  ListPart,
  WorldReading,
} from '../../ports/browse.js';
import { IS_DOUBTED } from '../attempts/doubt.js';
import { READABLE } from '../lineage.js';
import type { OpenDatabase } from '../database.js';
import { type HotStatement, prepare, run, type Runner } from '../statement.js';
import { type InvocationRow, selectInvocation, toShown } from './invocation-rows.js';

/** Lists that pages show. Ids are ordered by time, so the newest row has the greatest. */
export function browseReader(database: OpenDatabase): BrowseReader {
  return {
    invocations: (part, filter) => listInvocations(database, part, filter),
    llmCalls: (part) => listLlmCalls(database, part),
    inbox: () => listInbox(database),
    waitingAttempts: () => listWaitingAttempts(database),
    attemptsOfWorkflow: (workflow_hash) => listAttemptsOfWorkflow(database, workflow_hash),
    readings: (world_slug, turns) => listReadings(database, world_slug, turns),
  };
}

/** Whether the timeline says of a call that an earlier subject has changed what its subject had read. */
const isSuperseded = (calls: string): string => `EXISTS (
     SELECT FROM attempt_events noted
     WHERE noted.world_slug = ${calls}.world_slug AND noted.attempt_id = ${calls}.attempt_id
       AND noted.event_kind = 'call_superseded'
       AND noted.source_invocation_id = ${calls}.source_invocation_id) AS is_superseded`;

type Timed<Row extends { readonly started_at: string }> = Omit<Row, 'started_at'> & { readonly started_at: Date };

const selectListed = (
  condition: string,
): string => `SELECT source_invocation_id, world_slug, attempt_id, attempted_turn, invocation_kind, command_key,
     ambient_source_id, tool_name, workflow_subject_entity_id, workflow_node_id, status, failure_class, llm_call_id,
     duration_ms, started_at, ${isSuperseded('calls')}
   FROM source_invocations calls
   WHERE (:after::uuid IS NULL OR source_invocation_id < :after::uuid) AND ${condition}
   ORDER BY source_invocation_id DESC LIMIT :limit`;

const ALL_INVOCATIONS = prepare('browse_invocations', selectListed('true'));

const INVOCATIONS_BY: Readonly<Record<InvocationFilter['column'], HotStatement>> = {
  world_slug: prepare('browse_invocations_of_world', selectListed('world_slug = :value')),
  source_hash: prepare('browse_invocations_of_source', selectListed('source_hash = :value')),
  workflow_hash: prepare('browse_invocations_of_workflow', selectListed('workflow_hash = :value')),
};

async function listInvocations(
  runner: Runner,
  { after, limit }: ListPart,
  filter?: InvocationFilter,
): Promise<readonly ListedInvocation[]> {
  const statement = filter === undefined ? ALL_INVOCATIONS : INVOCATIONS_BY[filter.column];
  const values = { after: after ?? null, limit, ...(filter === undefined ? {} : { value: filter.value }) };
  const rows = await run<Timed<ListedInvocation>>(runner, statement, values);
  return rows.map(({ started_at, ...row }) => ({ ...row, started_at: started_at.toISOString() }));
}

const LLM_CALLS = prepare(
  'browse_llm_calls',
  `WITH newest AS (
     SELECT world_slug, llm_call_id, source_invocation_id, attempt_id, model, status, input_tokens, output_tokens, started_at
     FROM llm_calls
     WHERE :after::uuid IS NULL OR llm_call_id < :after::uuid
     ORDER BY llm_call_id DESC LIMIT :limit)
   SELECT newest.*, asked.attempted_turn, asked.workflow_subject_entity_id, asked.workflow_node_id, asked.model_output_kind,
     ${isSuperseded('newest')}
   FROM newest JOIN source_invocations asked USING (world_slug, source_invocation_id)
   ORDER BY newest.llm_call_id DESC`,
);

async function listLlmCalls(runner: Runner, { after, limit }: ListPart): Promise<readonly ListedLlmCall[]> {
  const rows = await run<Timed<ListedLlmCall>>(runner, LLM_CALLS, { after: after ?? null, limit });
  return rows.map(({ started_at, ...row }) => ({ ...row, started_at: started_at.toISOString() }));
}

// Two halves, for each is found by an index of its own, however many messages are over.
const INBOX = prepare(
  'browse_inbox',
  `WITH open AS (
     SELECT * FROM agent_inbox WHERE due_at IS NOT NULL
     UNION ALL
     SELECT * FROM agent_inbox WHERE status = 'queued' AND agent_id IS NULL)
   SELECT inbox_id, world_slug, message_type, status, attempt_id, retry_count, next_retry_at, defer_reason, created_at
   FROM open ORDER BY inbox_id LIMIT 200`,
);

type MessageRow = Omit<ListedMessage, 'created_at' | 'next_retry_at'> & {
  readonly created_at: Date;
  readonly next_retry_at: Date | null;
};

async function listInbox(runner: Runner): Promise<readonly ListedMessage[]> {
  const rows = await run<MessageRow>(runner, INBOX, {});
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    next_retry_at: row.next_retry_at?.toISOString() ?? null,
  }));
}

const ATTEMPTS_OF_WORKFLOW = prepare(
  'browse_attempts_of_workflow',
  `WITH latest AS (
     SELECT world_slug, attempt_id FROM source_invocations
     WHERE workflow_hash = :workflow_hash ORDER BY source_invocation_id DESC LIMIT 1000)
   SELECT attempt_id, world_slug, attempted_turn, status, started_at, ended_at
   FROM attempts JOIN (SELECT DISTINCT world_slug, attempt_id FROM latest) AS chosen USING (world_slug, attempt_id)
   ORDER BY attempt_id DESC LIMIT 20`,
);

async function listAttemptsOfWorkflow(runner: Runner, workflow_hash: string): Promise<readonly ListedAttempt[]> {
  const rows = await run<AttemptRow>(runner, ATTEMPTS_OF_WORKFLOW, { workflow_hash });
  return rows.map(toListedAttempt);
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

async function listWaitingAttempts(runner: Runner): Promise<readonly ListedAttempt[]> {
  const rows = await run<AttemptRow>(runner, WAITING_ATTEMPTS, {});
  return rows.map(toListedAttempt);
}

type AttemptRow = Omit<ListedAttempt, 'started_at' | 'ended_at'> & {
  readonly started_at: Date;
  readonly ended_at: Date | null;
};

function toListedAttempt(row: AttemptRow): ListedAttempt {
  return { ...row, started_at: row.started_at.toISOString(), ended_at: row.ended_at?.toISOString() ?? null };
}

// A reading that was adopted was made by an earlier attempt.
const READINGS = prepare(
  'browse_readings',
  `WITH ${READABLE},
   known AS (
     SELECT turns.world_slug, turns.turn, calls.source_invocation_id
     FROM readable JOIN turns ON turns.world_slug = readable.world_slug
         AND turns.turn > :after AND turns.turn <= readable.until_turn
       JOIN source_invocations calls ON calls.world_slug = turns.world_slug AND calls.attempt_id = turns.attempt_id
     UNION ALL
     SELECT turns.world_slug, turns.turn, adopted.source_invocation_id
     FROM readable JOIN turns ON turns.world_slug = readable.world_slug
         AND turns.turn > :after AND turns.turn <= readable.until_turn
       JOIN adopted_calls adopted ON adopted.world_slug = turns.world_slug AND adopted.attempt_id = turns.attempt_id)
   ${selectInvocation('known.turn')}
     JOIN known ON known.world_slug = calls.world_slug AND known.source_invocation_id = calls.source_invocation_id
   WHERE calls.invocation_kind = 'ambient_context' AND calls.status = 'succeeded'
   ORDER BY known.turn, calls.invocation_seq`,
);

async function listReadings(
  runner: Runner,
  world_slug: string,
  turns: { readonly after: number; readonly until: number },
): Promise<readonly WorldReading[]> {
  const values = { world_slug, after: turns.after, turn: turns.until };
  const rows = await run<InvocationRow & { readonly turn: number }>(runner, READINGS, values);
  return rows.map((row) => {
    const { turn, ambient_source_id, source_invocation_id, response_json } = toShown(row);
    return { turn, ambient_source_id: ambient_source_id ?? '', source_invocation_id, response_json };
  });
}
