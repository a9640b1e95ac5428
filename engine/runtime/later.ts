import type { Json } from '../contract/json.js';
import { present } from '../contract/present.js';
import { advance, suspensionOf } from '../core/turn/advance.js';
import type { Suspend, TurnCommand } from '../core/protocol/command.js';
import type { InboxMessage } from '../ports/inbox.js';
import type { CallOutcome, CallPended, CallReport } from '../ports/sources.js';
import { agentsOf } from './agent-moves.js';
import { handleDecision } from './approvals.js';
import { type Attempt, callOf, handleOutcome, moveTo } from './attempt.js';
import { eventOf } from './event-of.js';
import { toMoment } from './fact-log.js';
import { writeAlone } from './journal.js';
import type { RuntimeParts } from './runtime-parts.js';

// Answers that come later. A message is consumed by the statement that writes the end of its call: no message is lost
// between the two, and none is handled twice.

/** How often a driver looks for messages. */
const LOOK_MS = 1_000;
/** How many calls a look may find out of time. */
const EXPIRE_MAX = 20;

/** A call will be answered later: that becomes a fact, as the end of one does. */
export async function pend(parts: RuntimeParts, attempt: Attempt, pended: CallPended): Promise<readonly TurnCommand[]> {
  const call = callOf(attempt, pended.key);
  const { source_invocation_id, command } = call.start;
  const deadline = await writeAlone(attempt.journal, () =>
    parts.attempts.pendCall(attempt.lease, source_invocation_id, pended),
  );
  call.stage = 'over';
  const pending = { kind: 'call_pended', at: toMoment(pended.pended_at), source_invocation_id } as const;
  attempt.facts.push({ ...pending, deadline: toMoment(deadline) });
  attempt.onProgress({ kind: 'call_pended', source_invocation_id, command, deadline });
  const event = eventOf({ key: pended.key, status: 'pending', deadline });
  return moveTo(attempt, advance(attempt.program, attempt.state, event));
}

/**
 * A call that its service has answered, or whose request has failed, while it was being made: from here on no report of
 * it is accepted. A report that was accepted before is how the call ended, whatever the outcome of the request.
 * @returns the call as pending, so that its report is handled; undefined where nothing has been reported
 */
export async function findReported(
  parts: RuntimeParts,
  attempt: Attempt,
  outcome: CallOutcome,
): Promise<CallPended | undefined> {
  const { source_invocation_id, command } = callOf(attempt, outcome.key).start;
  const deadline_ms = command.call.pending_deadline_ms;
  if (deadline_ms === undefined || (outcome.status === 'failed' && outcome.refused)) return undefined;
  const call = { source_invocation_id, inbox_id: parts.clock.uuid() };
  const closed = await writeAlone(attempt.journal, () => parts.attempts.closeToReports(attempt.lease, call));
  if (closed !== 'reported') return undefined;
  const { key, ended_at: pended_at, http_status, response_headers, response_body } = outcome;
  const facts = present({ http_status, response_headers, response_body });
  return { key, status: 'pending', pended_at, deadline_ms, ...facts };
}

/** Suspends the attempt. @returns false where it has got a message meanwhile, which arrives next */
export async function suspend(parts: RuntimeParts, attempt: Attempt, command: Suspend): Promise<boolean> {
  const { attempt_id, attempted_turn } = attempt.lease;
  const suspension = { at: parts.clock.now(), agents: agentsOf(attempt) };
  const outcome = await writeAlone(attempt.journal, () => parts.attempts.suspend(attempt.lease, suspension));
  if (outcome === 'called') {
    attempt.arrivals.put({ kind: 'mail', messages: await parts.inbox.messagesOf(attempt.lease) });
    return false;
  }
  const { resume_deadline } = command;
  const at = toMoment(suspension.at);
  attempt.facts.push({ kind: 'attempt_suspended', at, resume_deadline: toMoment(resume_deadline) });
  attempt.onProgress({ kind: 'attempt_suspended', attempt_id, attempted_turn, resume_deadline });
  return true;
}

/** Handles messages to the attempt. A report of a call that is not pending yet waits until it is. */
export async function handleMail(
  parts: RuntimeParts,
  attempt: Attempt,
  messages: readonly InboxMessage[],
): Promise<readonly TurnCommand[]> {
  const commands: TurnCommand[] = [];
  for (const message of messages) commands.push(...(await handleMessage(parts, attempt, message)));
  // An order to suspend holds only as long as nothing else follows.
  const suspension = suspensionOf(attempt.state);
  return [...commands.filter(({ kind }) => kind !== 'suspend'), ...(suspension === undefined ? [] : [suspension])];
}

async function handleMessage(
  parts: RuntimeParts,
  attempt: Attempt,
  message: InboxMessage,
): Promise<readonly TurnCommand[]> {
  switch (message.message_type) {
    case 'stop':
      return stop(attempt, reasonOf(message));
    case 'tool_result':
      return handleReport(parts, attempt, message);
    case 'timeout':
      return handleTimeout(parts, attempt, message);
    case 'ui_action':
      return handleDecision(parts, attempt, message);
    default:
      return [];
  }
}

/** A report that came before this moment takes the place of the timeout. */
async function handleTimeout(
  parts: RuntimeParts,
  attempt: Attempt,
  message: InboxMessage,
): Promise<readonly TurnCommand[]> {
  const source_invocation_id = message.correlation_id ?? '';
  const claimed = await writeAlone(attempt.journal, () =>
    parts.attempts.claimTimeout(attempt.lease, source_invocation_id),
  );
  if (claimed !== 'reported') return handleReport(parts, attempt, message);
  const messages = await parts.inbox.messagesOf(attempt.lease);
  const reported = messages.find(({ inbox_id }) => inbox_id === message.inbox_id);
  // Undefined where this timeout was handled before, and its end is being written.
  return reported === undefined ? [] : handleReport(parts, attempt, reported);
}

async function handleReport(
  parts: RuntimeParts,
  attempt: Attempt,
  message: InboxMessage,
): Promise<readonly TurnCommand[]> {
  const { lease, state } = attempt;
  const call = [...attempt.calls.values()].find(({ start }) => start.source_invocation_id === message.correlation_id);
  const key = call?.start.command.key ?? '';
  if (call === undefined || !state.awaited.has(key)) {
    await writeAlone(attempt.journal, () => parts.attempts.discard(lease, message.inbox_id));
    return [];
  }
  if (!state.pended.has(key)) return [];
  const { command, source_invocation_id: correlation_id, started_at } = call.start;
  const outcome = await parts.receiveReport(command, toReport(message), { correlation_id, started_at });
  return handleOutcome(parts, attempt, outcome, true);
}

function toReport({ message_type, payload }: InboxMessage): CallReport {
  if (message_type === 'timeout') return { kind: 'timed_out' };
  const { failed, result = null } = payload as { readonly failed?: string; readonly result?: Json };
  return failed === undefined ? { kind: 'answered', value: result } : { kind: 'failed', message: failed };
}

function reasonOf({ payload }: InboxMessage): string {
  const { reason } = payload as { readonly reason?: unknown };
  return typeof reason === 'string' ? reason : 'the attempt was stopped';
}

/** A person or the program requests the end of the attempt. */
export function stop(attempt: Attempt, reason: string): readonly TurnCommand[] {
  return moveTo(attempt, advance(attempt.program, attempt.state, { kind: 'stopped', reason }));
}

/** Looks for messages while the attempt is driven, and for calls that have run out of time. */
export function lookForMail(parts: RuntimeParts, attempt: Attempt): () => void {
  let is_looking = false;
  const look = async (): Promise<void> => {
    if (attempt.state.pended.size > 0)
      await parts.pending.expire(Array.from({ length: EXPIRE_MAX }, () => parts.clock.uuid()));
    attempt.arrivals.put({ kind: 'mail', messages: await parts.inbox.messagesOf(attempt.lease) });
  };
  const timer = setInterval(() => {
    if (is_looking) return;
    is_looking = true;
    look()
      .catch((error: unknown) => attempt.arrivals.put({ kind: 'broken', error }))
      .finally(() => (is_looking = false));
  }, LOOK_MS);
  return () => clearInterval(timer);
}
