import type { Json } from '../contract/json.js';
import type { Reported } from '../ports/inbox.js';
import type { MeantCall } from '../ports/pending-calls.js';
import type { CallReport } from '../ports/sources.js';
import type { Done, Engine } from './engine.js';

/** What somebody says of a call. That time has run out is said by the clock alone. */
export type SaidReport = Exclude<CallReport, { readonly kind: 'timed_out' }>;

/**
 * What became of something that was said to an attempt. Whatever it is, nothing has to be said again: `unknown` names
 * nothing; `ambiguous` is the name of several calls; `not_awaited` a call that is answered at once or not at all;
 * `late` is what is over; `duplicate` was said before.
 */
export interface Acknowledgement {
  readonly accepted: boolean;
  readonly reason?: 'unknown' | 'ambiguous' | 'not_awaited' | 'late' | 'duplicate';
  /** In a sentence. */
  readonly message: string;
  readonly world?: string;
  readonly attempt_id?: string;
  readonly source_invocation_id?: string;
}

/** How many calls the clock finds out of time at once; the rest are found the next time. */
const EXPIRE_MAX = 100;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Says how a call ended that is answered later. It may be said before the call is known to be answered later, and again.
 * @param correlation the id of the call, or the name that its service gave it
 */
export async function reportCall(
  engine: Pick<Engine, 'store' | 'runtime'>,
  correlation: string,
  said: SaidReport,
): Promise<Done<Acknowledgement>> {
  const meant = await engine.store.pending.find(correlation);
  const [call] = meant;
  if (call === undefined || meant.length > 1) return { ok: true, value: notOne(correlation, meant) };
  const { source_invocation_id, may_pend } = call;
  if (!may_pend) return { ok: true, value: { ...NOT_AWAITED, source_invocation_id } };
  const reported = await engine.store.inbox.report({
    inbox_id: engine.runtime.clock.uuid(),
    message_type: 'tool_result',
    source_invocation_id,
    payload: toPayload(said),
  });
  return { ok: true, value: { ...acknowledge(reported, CALL), source_invocation_id } };
}

function toPayload(said: SaidReport): { readonly [member: string]: Json } {
  return said.kind === 'answered' ? { result: said.value } : { failed: said.message };
}

function notOne(correlation: string, meant: readonly MeantCall[]): Acknowledgement {
  const name = JSON.stringify(correlation);
  if (meant.length === 0)
    return {
      accepted: false,
      reason: 'unknown',
      message: `There is no call ${name}, and none that a service calls so.`,
    };
  const ids = meant.map(({ source_invocation_id, world_slug }) => `${source_invocation_id} of world ${world_slug}`);
  return {
    accepted: false,
    reason: 'ambiguous',
    message: `Several calls are awaited that services call ${name}: ${ids.join(', ')}.`,
  };
}

const NOT_AWAITED: Acknowledgement = {
  accepted: false,
  reason: 'not_awaited',
  message: 'The call is answered at once or not at all: its binding has no pending_deadline_ms.',
};

/** Says that an attempt is to stop, whether it runs or rests. It may be said again. */
export async function askToStop(
  engine: Pick<Engine, 'store' | 'runtime'>,
  attempt_id: string,
): Promise<Done<Acknowledgement>> {
  if (!UUID.test(attempt_id)) return { ok: true, value: acknowledge({ kind: 'unknown' }, ATTEMPT) };
  const reported = await engine.store.inbox.stop({
    inbox_id: engine.runtime.clock.uuid(),
    attempt_id,
    payload: { reason: 'the attempt was stopped by somebody who asked for it' },
  });
  return { ok: true, value: acknowledge(reported, ATTEMPT) };
}

/**
 * How large a report may be, wherever it comes from: larger than every limit of an answer that a policy is likely to set.
 * The binding's own is applied afterwards.
 */
export const REPORT_BYTES_MAX = 1_048_576;

type Sentences = Readonly<Record<Reported['kind'], string>>;

const CALL: Sentences = {
  accepted: 'The report is kept, and the attempt goes on with it.',
  duplicate: 'This call has been reported before; the first report stands.',
  late: 'The call is over: it was answered, ran out of time, or its attempt has ended.',
  unknown: 'There is no such call.',
};

const ATTEMPT: Sentences = {
  accepted: 'The attempt is told to stop: by whoever drives it, or drives it next, be it a worker, a serve or a run.',
  duplicate: 'The attempt has been told to stop before.',
  late: 'The attempt is over.',
  unknown: 'There is no such attempt.',
};

function acknowledge(reported: Reported, sentences: Sentences): Acknowledgement {
  const message = sentences[reported.kind];
  if (reported.kind === 'unknown') return { accepted: false, reason: 'unknown', message };
  const { kind, world_slug: world, attempt_id } = reported;
  return kind === 'accepted'
    ? { accepted: true, message, world, attempt_id }
    : { accepted: false, reason: kind, message, world, attempt_id };
}

/** Tells attempts whose calls have run out of time. @returns how many calls */
export function expireCalls(engine: Pick<Engine, 'store' | 'runtime'>): Promise<number> {
  const inbox_ids = Array.from({ length: EXPIRE_MAX }, () => engine.runtime.clock.uuid());
  return engine.store.pending.expire(inbox_ids);
}
