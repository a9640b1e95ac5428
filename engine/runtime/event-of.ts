import { present } from '../contract/present.js';
import type { CallEvent, CallPended } from '../core/protocol/event.js';
import type { TokenUsage } from '../contract/source.js';
import type { LeftCall } from '../core/turn/adopt.js';
import type { RecordedCall } from '../ports/attempts.js';
import type { CallFact, CallOutcome } from '../ports/sources.js';

/** The turn's event of a call: made here and nowhere else, from what the record holds. */
export function eventOf(fact: CallOutcome): CallEvent;
export function eventOf(fact: CallFact): CallEvent | CallPended;
export function eventOf(fact: CallFact): CallEvent | CallPended {
  const { key } = fact;
  if (fact.status === 'succeeded') {
    const { view: value, duration_ms } = fact;
    return present({ kind: 'call_answered', key, value, usage: usageOf(fact), duration_ms } as const);
  }
  if (fact.status === 'pending') return { kind: 'call_pended', key, deadline: fact.deadline };
  const {
    failure_class,
    failure_message: message,
    outcome_unknown,
    retry_after_ms,
    duration_ms,
    said,
    is_final,
    was_pending,
  } = fact;
  // Only a budget refuses a call for a while.
  const renewed_ms = failure_class === 'budget_exhausted' ? retry_after_ms : undefined;
  if (fact.refused)
    return present({ kind: 'call_refused', key, failure_class, message, retry_after_ms: renewed_ms } as const);
  const http_status = failure_class === 'http_status' ? fact.http_status : undefined;
  const usage = usageOf(fact);
  const details = present({ outcome_unknown, http_status, retry_after_ms, said, is_final, was_pending, usage });
  return { kind: 'call_failed', key, failure_class, message, duration_ms, ...details };
}

/** The counts for which a budget pays; those of reasoning are part of the output. */
function usageOf({ usage }: Exclude<CallFact, { readonly status: 'pending' }>): TokenUsage | undefined {
  if (usage?.input_tokens === undefined || usage.output_tokens === undefined) return undefined;
  const { reasoning_tokens: _, ...counted } = usage;
  return counted;
}

/** The fold's view of a call on record. The attempt that made a call has paid for it: adopted, it costs nothing. */
export function toRecorded(call: RecordedCall): LeftCall {
  const { source_invocation_id, invocation_seq, key, request_hash, effect, repeatable, fact, adopted_from } = call;
  const is_adopted = adopted_from !== undefined;
  const { retrieved } = call;
  const made = { source_invocation_id, invocation_seq, key, request_hash, effect, repeatable, is_adopted };
  const recorded = { ...made, ...present({ retrieved }) };
  if (fact === undefined) return recorded;
  const event = eventOf(fact);
  return { ...recorded, event: is_adopted ? withoutCost(event) : event };
}

function withoutCost(event: CallEvent | CallPended): CallEvent | CallPended {
  if (event.kind === 'call_answered') return { ...event, usage: 'paid_before', duration_ms: 0 };
  return event.kind === 'call_failed' ? { ...event, duration_ms: 0 } : event;
}
