import { present } from '../../contract/present.js';
import { canonicalText } from '../../core/content/canonical.js';
import type { AttemptLease, AttemptPast, BeginAttempt, BeginOutcome } from '../../ports/attempts.js';
import { CONTINUED_HEADS, readHeads } from '../state-heads.js';
import { type HotStatement, prepare, run, type Runner, toTimestamp } from '../statement.js';
import { AT_PLACE, CONTENTS, type ContentsRow, toWindow, toWorld } from '../world-snapshot.js';
import { ASKS, BEGUN_FOR } from '../inbox/turn-message.js';
import { leaseEnd } from './fence.js';
import { PENDED_EVENTS } from './pend-call.js';
import { listRecordedCalls } from './recorded-calls.js';

// The world's row is locked when these run, so that the driver before waits at its fence and then finds itself overtaken.

const CLAIM_WORLD = `
  taken AS (
    UPDATE worlds
    SET lease_epoch = lease_epoch + 1, lease_attempt_id = :attempt_id::uuid, lease_host = :host,
      lease_pid = :pid::int, lease_until = ${leaseEnd('lease_ms')}, adoptable_attempt_id = NULL
    WHERE world_slug = :world_slug
    RETURNING world_slug, turn, lease_epoch AS epoch, scenario_hash, request_mark)`;

const BEGUN = `
  place AS (SELECT world_slug, turn FROM taken), ${AT_PLACE}
  SELECT taken.turn, taken.epoch, request_mark, take_overs, renderer_version, plugin_versions, ${CONTENTS}
  FROM taken, attempt`;

// A report holds this row while it is written: a statement of its own, so that the next one sees the report.
const HOLD_ATTEMPT = prepare(
  'hold_attempt',
  'SELECT FROM attempts WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid FOR UPDATE',
);

// Its driver is gone, its answer is not: the service reported before the driver knew that it would.
const AWAIT_REPORTED = prepare(
  'await_reported_calls',
  `WITH reported AS (
     SELECT world_slug, source_invocation_id, attempt_id, pending_deadline_ms FROM source_invocations AS calls
     WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid AND status = 'running'
       AND pending_deadline_ms IS NOT NULL
       AND EXISTS (
         SELECT FROM agent_inbox
         WHERE agent_inbox.world_slug = calls.world_slug AND correlation_id = calls.source_invocation_id
           AND message_type = 'tool_result' AND agent_inbox.status IN ('pending', 'deferred'))),
   waits AS (
     INSERT INTO pending_calls (world_slug, source_invocation_id, attempt_id, pended_at, deadline)
     SELECT world_slug, source_invocation_id, attempt_id, clock_timestamp(),
       clock_timestamp() + pending_deadline_ms * interval '1 millisecond'
     FROM reported
     RETURNING world_slug, source_invocation_id, deadline),
   call AS (
     UPDATE source_invocations AS calls SET status = 'pending'
     FROM waits
     WHERE calls.world_slug = waits.world_slug AND calls.source_invocation_id = waits.source_invocation_id
     RETURNING calls.world_slug, attempt_id, calls.source_invocation_id, workflow_node_id,
       workflow_subject_entity_id, deadline)
   ${PENDED_EVENTS}`,
);

// A driver that handed its attempt over, and one that let it rest, have left. Any other is taken over.
const IS_TAKEN_OVER = `status = 'running' AND NOT handed_over`;

const CONTINUE = prepare(
  'continue_attempt',
  `WITH ${CLAIM_WORLD},
   continued AS (
     SELECT world_slug, (${IS_TAKEN_OVER})::int AS raised FROM attempts
     WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid),
   ${CONTINUED_HEADS},
   attempt AS (
     UPDATE attempts
     SET epoch = taken.epoch, status = 'running', resume_deadline = NULL, holder_host = :host, holder_pid = :pid::int, handed_over = false,
       take_overs = take_overs + (${IS_TAKEN_OVER})::int
     FROM taken
     WHERE attempts.world_slug = taken.world_slug AND attempts.attempt_id = :attempt_id::uuid
     RETURNING attempts.world_slug, attempts.attempt_id, take_overs, renderer_version, plugin_versions),
   calls AS (
     UPDATE source_invocations
     SET status = 'interrupted', failure_class = 'interrupted', ended_at = :started_at::timestamptz,
       failure_message = CASE WHEN effect_class = 'read_only' OR repeatable
         THEN 'The driver was lost before the answer came; the call is repeated.'
         ELSE 'The driver was lost before the answer came; it is unknown whether the side effect took place.' END
     FROM attempt
     WHERE source_invocations.world_slug = attempt.world_slug
       AND source_invocations.attempt_id = attempt.attempt_id AND source_invocations.status = 'running'
     RETURNING source_invocations.world_slug, source_invocation_id, llm_call_id, workflow_node_id,
       workflow_subject_entity_id),
   generations AS (
     UPDATE llm_calls SET status = 'interrupted', ended_at = :started_at::timestamptz
     FROM calls
     WHERE llm_calls.world_slug = calls.world_slug AND llm_calls.llm_call_id = calls.llm_call_id
       AND llm_calls.status = 'running'),
   happened AS (
     SELECT 'call_interrupted' AS kind, source_invocation_id, workflow_node_id, workflow_subject_entity_id,
       '{}'::json AS details
     FROM calls
     UNION ALL
     SELECT 'attempt_continued', NULL, NULL, NULL,
       json_build_object('take_overs', take_overs, 'host', :host::text, 'pid', :pid::int)
     FROM attempt),
   events AS (
     INSERT INTO attempt_events (world_slug, attempt_id, event_kind, occurred_at, source_invocation_id,
       workflow_node_id, workflow_subject_entity_id, details)
     SELECT world_slug, attempt_id, kind::timeline_event_kind, :started_at::timestamptz, source_invocation_id,
       workflow_node_id, workflow_subject_entity_id, details
     FROM attempt, happened ORDER BY kind DESC, source_invocation_id),
   ${BEGUN}`,
);

const BEGIN_ADOPTING = prepare(
  'begin_adopting_attempt',
  `WITH ${CLAIM_WORLD},
   message AS (
     UPDATE agent_inbox ${BEGUN_FOR}
     FROM taken WHERE ${ASKS}
     RETURNING inbox_id),
   attempt AS (
     INSERT INTO attempts (world_slug, attempt_id, attempted_turn, epoch, scenario_hash, renderer_version,
       plugin_versions, holder_host, holder_pid, inbox_id, started_at, adopts)
     SELECT world_slug, :attempt_id::uuid, turn + 1, epoch, scenario_hash, :renderer_version, :plugin_versions::json,
       :host, :pid::int, (SELECT inbox_id FROM message), :started_at::timestamptz, :adopts::uuid
     FROM taken
     RETURNING world_slug, attempt_id, take_overs, renderer_version, plugin_versions),
   adopted AS (
     INSERT INTO adopted_calls (world_slug, attempt_id, source_invocation_id)
     SELECT world_slug, attempt_id, source_invocation_id
     FROM attempt, unnest(:source_invocation_ids::uuid[]) AS source_invocation_id),
   ${BEGUN}`,
);

interface ContinuedRow
  extends ContentsRow,
    Pick<AttemptLease, 'epoch' | 'request_mark'>,
    Pick<AttemptPast, 'take_overs' | 'renderer_version' | 'plugin_versions'> {
  readonly turn: number;
}

/** The next driver of an attempt that is still open. Demands a transaction, and the world's row locked. */
export async function continueAttempt(
  transaction: Runner,
  request: BeginAttempt,
  open_attempt_id: string,
): Promise<BeginOutcome> {
  const attempt = { world_slug: request.world_slug, attempt_id: open_attempt_id };
  await run(transaction, HOLD_ATTEMPT, attempt);
  await run(transaction, AWAIT_REPORTED, { ...attempt, pended_at: toTimestamp(request.started_at) });
  return goOn(transaction, CONTINUE, { ...request, attempt_id: open_attempt_id }, {});
}

/** The calls that a new attempt adopts, and the attempt before, which had made or adopted them. */
export interface Adopted {
  readonly adopts: string;
  readonly source_invocation_ids: readonly string[];
}

/** A new attempt that adopts calls. Demands a transaction, and the world's row locked. */
export function beginAdopting(transaction: Runner, request: BeginAttempt, adopted: Adopted): Promise<BeginOutcome> {
  const { renderer_version } = request;
  const plugin_versions = canonicalText(request.plugin_versions);
  const inbox_id = request.inbox_id ?? null;
  return goOn(transaction, BEGIN_ADOPTING, request, { ...adopted, renderer_version, plugin_versions, inbox_id });
}

async function goOn(
  transaction: Runner,
  statement: HotStatement,
  request: BeginAttempt,
  more: Partial<Adopted> & Readonly<Record<string, string | null | readonly string[]>>,
): Promise<BeginOutcome> {
  const { world_slug, attempt_id, holder } = request;
  const [row] = await run<ContinuedRow>(transaction, statement, {
    world_slug,
    attempt_id,
    host: holder.host,
    pid: holder.pid,
    lease_ms: request.lease_ms,
    ...toWindow(request),
    started_at: toTimestamp(request.started_at),
    ...more,
  });
  if (!row) throw new Error(`the attempt ${attempt_id} of ${world_slug} was gone before it could be resumed`);
  const { turn, epoch, request_mark, take_overs, renderer_version, plugin_versions } = row;
  const past = await listRecordedCalls(transaction, { world_slug, attempt_id });
  return {
    kind: 'begun',
    lease: { attempt_id, world_slug, attempted_turn: turn + 1, epoch, request_mark },
    world: toWorld(world_slug, turn, row),
    heads: await readHeads(transaction, { world_slug, attempt_id }),
    past: { take_overs, renderer_version, plugin_versions, ...past },
    ...present({ adopts: more.adopts }),
  };
}
