import type { JsonObject } from '../../contract/json.js';
import { canonicalText } from '../../core/content/canonical.js';
import type { InboxMessageType } from '../../core/inbox/message.js';
import type { AttemptLease } from '../../ports/attempts.js';
import type { InboxMessage, Reported } from '../../ports/inbox.js';
import type { OpenDatabase } from '../database.js';
import type { InWorld } from '../queries.js';
import { turnOf } from '../state-heads.js';
import { type HotStatement, prepare, run, type Runner } from '../statement.js';
import { IS_UNKNOWN } from '../attempts/doubt.js';
import { IS_UNCLAIMED } from './timeout.js';
import { IS_OPEN } from './turn-message.js';

// The locks are taken in the order of a take-over: the world, its attempt, the call. So neither waits for the other. A
// held attempt cannot end, and the status of a held call is the latest. So a driver handles each message that is
// written here; no message is written for what is over.
const ADDRESSEE = `
   world AS (
     SELECT called.* FROM called JOIN worlds USING (world_slug) FOR KEY SHARE OF worlds),
   attempt AS (
     SELECT attempts.world_slug, attempts.attempt_id, attempts.ended_at IS NULL AS is_open
     FROM world JOIN attempts USING (world_slug, attempt_id) FOR SHARE OF attempts)`;

/** Writes a message for each row of `addressed (world_slug, attempt_id, agent_id)`, with the turn of the agent that it is about. */
const MESSAGE = `
     INSERT INTO agent_inbox (world_slug, inbox_id, message_type, status, attempt_id, agent_id, agent_turn_id,
       turn_epoch, correlation_id, payload, next_retry_at)
     SELECT addressed.world_slug, :inbox_id::uuid, :message_type::inbox_message_type, 'pending', addressed.attempt_id,
       addressed.agent_id, ${turnOf('addressed')}, :correlation_id::uuid, :payload::json, now()
     FROM addressed`;

const ACCEPTANCE = `SELECT attempt.world_slug, attempt.attempt_id, EXISTS (SELECT FROM written) AS is_accepted FROM attempt`;

// A timeout that no driver has taken is replaced: the report says more.
const REPORT = prepare(
  'report_call',
  `WITH called AS (
     SELECT world_slug, attempt_id FROM source_invocations WHERE source_invocation_id = :correlation_id::uuid),
   ${ADDRESSEE},
   addressed AS (
     SELECT calls.world_slug, calls.attempt_id, workflow_subject_entity_id AS agent_id
     FROM attempt JOIN source_invocations AS calls USING (world_slug, attempt_id)
     WHERE calls.source_invocation_id = :correlation_id::uuid AND calls.status IN ('running', 'pending')
       AND attempt.is_open
     FOR SHARE OF calls),
   written AS (
     ${MESSAGE}
     ON CONFLICT (world_slug, correlation_id) WHERE correlation_id IS NOT NULL DO UPDATE
     SET message_type = excluded.message_type, payload = excluded.payload, next_retry_at = now()
     WHERE agent_inbox.message_type = 'timeout' AND ${IS_UNCLAIMED}
     RETURNING world_slug)
   ${ACCEPTANCE}`,
);

const STOP = prepare(
  'stop_attempt',
  `WITH called AS (
     SELECT world_slug, attempt_id FROM attempts WHERE attempt_id = :correlation_id::uuid),
   ${ADDRESSEE},
   addressed AS (
     SELECT world_slug, attempt_id, (
       SELECT workflow_subject_entity_id FROM source_invocations AS calls
       WHERE calls.world_slug = attempt.world_slug AND calls.attempt_id = attempt.attempt_id
         AND workflow_subject_entity_id IS NOT NULL
       ORDER BY invocation_seq DESC LIMIT 1) AS agent_id
     FROM attempt WHERE is_open),
   written AS (
     ${MESSAGE}
     ON CONFLICT (world_slug, correlation_id) WHERE correlation_id IS NOT NULL DO NOTHING
     RETURNING world_slug)
   ${ACCEPTANCE}`,
);

// A statement of its own: it sees what others wrote at the same moment. An interrupted call that is made again is over;
// one that may have changed something is decided when its attempt ends. A report that left its call in doubt was
// unusable: another one may say more.
const LOOK = prepare(
  'look_for_message',
  `SELECT EXISTS (
       SELECT FROM agent_inbox AS message
       WHERE message.world_slug = :world_slug AND message.correlation_id = :correlation_id::uuid
         AND message.message_type = :message_type::inbox_message_type
         AND (message.status <> 'consumed' OR NOT EXISTS (
           SELECT FROM source_invocations AS calls
           WHERE calls.world_slug = message.world_slug AND calls.source_invocation_id = message.correlation_id
             AND ${IS_UNKNOWN}))) AS is_known,
     ended_at IS NOT NULL OR EXISTS (
       SELECT FROM source_invocations AS calls
       WHERE calls.world_slug = :world_slug AND calls.source_invocation_id = :correlation_id::uuid
         AND (calls.status IN ('succeeded', 'failed')
           OR calls.status = 'interrupted' AND (calls.effect_class = 'read_only' OR EXISTS (
             SELECT FROM source_invocations AS later
             WHERE later.world_slug = calls.world_slug AND later.attempt_id = calls.attempt_id
               AND later.command_key = calls.command_key AND later.performance > calls.performance)))) AS is_over
   FROM attempts WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid`,
);

/** Where messages to attempts are written, and rung for. */
type Ringing = Pick<OpenDatabase, 'query' | 'ring'>;

/** Notifies an attempt of how one of its calls ended, idempotently: one statement where that is accepted, else two. */
export function report(
  database: Ringing,
  { source_invocation_id, ...sent }: Sent & { readonly source_invocation_id: string },
): Promise<Reported> {
  return writeMessage(database, REPORT, {
    ...sent,
    message_type: 'tool_result',
    correlation_id: source_invocation_id,
  });
}

/** Asks an attempt to stop, idempotently: one statement where that is accepted, else two. */
export function stop(
  database: Ringing,
  { attempt_id, ...sent }: Sent & { readonly attempt_id: string },
): Promise<Reported> {
  return writeMessage(database, STOP, { ...sent, message_type: 'stop', correlation_id: attempt_id });
}

export interface Sent {
  /** Fresh. */
  readonly inbox_id: string;
  readonly payload: JsonObject;
}

interface Message extends Sent {
  readonly message_type: InboxMessageType;
  readonly correlation_id: string;
}

async function writeMessage(database: Ringing, statement: HotStatement, message: Message): Promise<Reported> {
  const { message_type, correlation_id } = message;
  const values = { ...message, payload: canonicalText(message.payload) };
  const [acceptance] = await run<{
    readonly world_slug: string;
    readonly attempt_id: string;
    readonly is_accepted: boolean;
  }>(database, statement, values);
  if (acceptance === undefined) return { kind: 'unknown' };
  const { world_slug, attempt_id, is_accepted } = acceptance;
  if (is_accepted) {
    database.ring([world_slug]);
    return { kind: 'accepted', world_slug, attempt_id };
  }
  const [seen] = await run<{ readonly is_known: boolean; readonly is_over: boolean }>(database, LOOK, {
    world_slug,
    attempt_id,
    correlation_id,
    message_type,
  });
  const kind = seen?.is_known === true ? 'duplicate' : seen?.is_over === true ? 'late' : 'undecided';
  return { kind, world_slug, attempt_id };
}

const MESSAGES_OF = prepare(
  'messages_of_attempt',
  `SELECT inbox_id, message_type, correlation_id, payload FROM agent_inbox
   WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid AND status IN ('pending', 'deferred')
     AND message_type <> 'turn'
   ORDER BY inbox_id`,
);

/** The messages that an attempt has not handled yet, oldest first. */
export function messagesOf(runner: Runner, { world_slug, attempt_id }: AttemptLease): Promise<readonly InboxMessage[]> {
  return run<InboxMessage>(runner, MESSAGES_OF, { world_slug, attempt_id });
}

const UNHANDLED = prepare(
  'unhandled_reports',
  `SELECT agent_inbox.world_slug, agent_inbox.inbox_id, agent_inbox.attempt_id, correlation_id AS source_invocation_id, payload
   FROM agent_inbox JOIN attempts USING (world_slug, attempt_id)
   WHERE ${IS_OPEN} AND agent_inbox.message_type = 'tool_result' AND attempts.ended_at IS NOT NULL
   ORDER BY agent_inbox.next_retry_at LIMIT :most::int`,
);

/** Reports that were accepted at the moment in which their attempt ended, and that no driver has handled. */
export function listUnhandled(runner: Runner, most: number) {
  return run<InWorld & Pick<InboxMessage, 'inbox_id' | 'payload'> & UnhandledCall>(runner, UNHANDLED, { most });
}

type UnhandledCall = Readonly<Record<'attempt_id' | 'source_invocation_id', string>>;

const CONSUME = prepare(
  'consume_report',
  `UPDATE agent_inbox SET status = 'consumed', consumed_at = now()
   WHERE world_slug = :world_slug AND inbox_id = :inbox_id::uuid AND message_type = 'tool_result'
     AND status IN ('pending', 'deferred')`,
);

/** A report whose attempt is over has been dealt with. */
export async function consumeUnhandled(
  runner: Runner,
  { world_slug, inbox_id }: InWorld & Pick<InboxMessage, 'inbox_id'>,
): Promise<void> {
  await run(runner, CONSUME, { world_slug, inbox_id });
}
