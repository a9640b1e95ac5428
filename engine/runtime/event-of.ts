import type { CallEvent } from '../core/turn/event.js';
import type { CallOutcome } from '../ports/sources.js';

/** The turn's event of a finished call: made here and nowhere else, from what the record holds. */
export function eventOf(outcome: CallOutcome): CallEvent {
  const { key } = outcome;
  if (outcome.status === 'succeeded') {
    const tokens = (outcome.usage?.input_tokens ?? 0) + (outcome.usage?.output_tokens ?? 0);
    return { kind: 'call_answered', key, value: outcome.view, tokens, duration_ms: outcome.duration_ms };
  }
  const { failure_class, failure_message } = outcome;
  return { kind: outcome.refused ? 'call_refused' : 'call_failed', key, failure_class, message: failure_message };
}
