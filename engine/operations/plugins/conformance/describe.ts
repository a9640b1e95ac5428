import type { BareEnd } from '../../../ports/plugin-bench.js';
import type { CallPended, CallResult } from '../../../ports/sources.js';

export function describeEnd(end: BareEnd | undefined): string {
  if (!end) return 'it did not end';
  if (end.kind === 'answered') return 'it answered';
  if (end.failure) return `it failed as ${end.failure.failure_class}: ${end.failure.message}`;
  return `it threw what capabilities.failure had not made: ${String(end.thrown)}`;
}

export function describeOutcome(outcome: CallResult): string {
  if (outcome.status === 'succeeded') return `it answered ${shorten(JSON.stringify(outcome.answer))}`;
  if (outcome.status === 'pending') return `it said that the answer comes later${describeAlias(outcome)}`;
  return `it failed as ${outcome.failure_class}: ${shorten(outcome.failure_message)}`;
}

function describeAlias({ correlation_alias }: CallPended): string {
  return correlation_alias === undefined ? '' : `, for ${shorten(JSON.stringify(correlation_alias))}`;
}

export function shorten(text: string): string {
  const LENGTH_MAX = 200;
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}...` : text;
}
