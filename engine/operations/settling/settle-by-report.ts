import { type Outcome, succeed } from '../../contract/problem.js';
import type { Json } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import type { Settled } from '../../ports/attempts.js';
import type { CallReport } from '../../ports/sources.js';
import type { Engine } from '../engine.js';
import { isInDoubt, settle } from './settle-call.js';

/** A report from outside. Only the clock reports expiry. */
export type SaidReport = Exclude<CallReport, { readonly kind: 'timed_out' }>;

/**
 * The effect of a report on a call that has ended. `duplicate`: the call has been settled before. `undecided`: its
 * attempt is open, and may still learn how the call ended.
 */
type OutcomeOfLate = 'settled' | 'duplicate' | 'late' | 'undecided';

const UNHANDLED_MAX = 20;

/**
 * Lets a report settle its call, where that is in doubt: it is the best evidence. A reported failure settles it as not
 * performed, as a failure in time would allow a retry.
 * @returns a refusal, with a place in the answer, where the call is in doubt and the answer does not fit its schema
 */
export async function settleByReport(
  engine: Engine,
  source_invocation_id: string,
  said: SaidReport,
): Promise<Outcome<OutcomeOfLate>> {
  const call = await engine.store.records.invocation(source_invocation_id, 'redacted');
  if (call === undefined) return succeed('late');
  if (!isInDoubt(call)) return succeed(call.settled_as === null ? 'late' : 'duplicate');
  const evidence = said.kind === 'answered' ? { answer: said.value } : { reason: said.message };
  const done = await settle(engine, call, { settled_by: 'report', ...evidence });
  return done.ok ? succeed(toOutcome(done.value.kind)) : done;
}

function toOutcome(kind: Settled['kind']): OutcomeOfLate {
  switch (kind) {
    case 'settled':
      return 'settled';
    case 'already_settled':
      return 'duplicate';
    case 'not_ended':
      return 'undecided';
    case 'not_in_doubt':
    case 'too_late':
      return 'late';
    default:
      return unreachable(kind);
  }
}

/** Handles reports that were accepted while their attempt ended: each may settle its call. */
export async function settleUnhandled(engine: Engine): Promise<void> {
  for (const report of await engine.store.inbox.unhandledReports(UNHANDLED_MAX)) {
    // A report that does not fit settles nothing, as it would answer nothing.
    await settleByReport(engine, report.source_invocation_id, toSaid(report.payload));
    await engine.store.inbox.consumeUnhandled(report);
  }
}

export function toPayload(said: SaidReport): { readonly [member: string]: Json } {
  return said.kind === 'answered' ? { result: said.value } : { failed: said.message };
}

function toSaid(payload: Json): SaidReport {
  const { failed, result = null } = payload as { readonly failed?: string; readonly result?: Json };
  return failed === undefined ? { kind: 'answered', value: result } : { kind: 'failed', message: failed };
}
