import type { CallEvent, CallPended } from '../core/turn/event.js';
import type { CallFact, CallOutcome } from '../ports/sources.js';

/** The turn's event of a call: made here and nowhere else, from what the record holds. */
export function eventOf(fact: CallOutcome): CallEvent;
export function eventOf(fact: CallFact): CallEvent | CallPended;
export function eventOf(fact: CallFact): CallEvent | CallPended {
  const { key } = fact;
  if (fact.status === 'succeeded') {
    const tokens = (fact.usage?.input_tokens ?? 0) + (fact.usage?.output_tokens ?? 0);
    return { kind: 'call_answered', key, value: fact.view, tokens, duration_ms: fact.duration_ms };
  }
  if (fact.status === 'pending') return { kind: 'call_pended', key, deadline: fact.deadline };
  const { failure_class, failure_message: message, http_status, retry_after_ms } = fact;
  if (fact.refused) return { kind: 'call_refused', key, failure_class, message };
  return {
    kind: 'call_failed',
    key,
    failure_class,
    message,
    ...(failure_class === 'http_status' && http_status !== undefined ? { http_status } : {}),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  };
}
