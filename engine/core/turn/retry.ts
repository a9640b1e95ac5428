import { backoffMs } from '../inbox/backoff.js';
import type { Invoke, Retry } from '../protocol/command.js';
import type { CallFailed, CallRefused } from '../protocol/event.js';
import { retryClassOf } from '../protocol/failure.js';

/**
 * Decides whether a failed call is made again, as the `retry` of its source says.
 * @param command the performance that has failed
 * @returns the command to make it again, or its failure, which says why there is no further retry
 */
export function decideRetry(command: Invoke, event: CallFailed | CallRefused): Invoke | CallFailed | CallRefused {
  const { retry: policy } = command.call;
  // One that was refused before it was made waits for its operator, whom a wait does not bring.
  if (policy === undefined || event.kind === 'call_refused') return event;
  const retry_class = retryClassOf(event);
  if (retry_class === undefined || !policy.on.has(retry_class) || event.outcome_unknown === true) return event;
  const retries = command.retry?.number ?? 0;
  if (retries >= policy.max) return giveUp(event, `it was made again ${retries} of ${policy.max} times`);
  const backoff = { first_ms: policy.backoff_ms, most_ms: policy.backoff_max_ms };
  const half_ms = backoffMs(backoff, retries, 0);
  const after_ms = event.retry_after_ms ?? 0;
  if (after_ms > policy.backoff_max_ms) {
    const limit = `a retry of ${command.call.source.label} waits ${toSeconds(policy.backoff_max_ms)} at most`;
    return giveUp(event, `the service asks for ${toSeconds(after_ms)} without a request, and ${limit}`);
  }
  const least_ms = Math.max(half_ms, after_ms);
  const most_ms = Math.max(least_ms, Math.min(policy.backoff_max_ms, least_ms + half_ms));
  const performed_ms = event.duration_ms ?? 0;
  const spent_ms = (command.retry?.spent_ms ?? 0) + performed_ms + most_ms;
  const left_ms = command.node_time_left_ms === undefined ? undefined : command.node_time_left_ms - spent_ms;
  if (left_ms !== undefined && left_ms <= 0)
    return giveUp(event, `the time of node ${command.node_id ?? ''} would be over before the next retry`);
  return again(command, { number: retries + 1, after: retry_class, least_ms, most_ms, spent_ms }, left_ms);
}

function again(command: Invoke, retry: Retry, left_ms: number | undefined): Invoke {
  const { max_runtime_ms } = command.call.limits;
  const deadline_ms = left_ms === undefined ? command.deadline_ms : Math.min(max_runtime_ms, Math.floor(left_ms));
  return { ...command, retry, deadline_ms };
}

function giveUp(event: CallFailed, why: string): CallFailed {
  return { ...event, message: `${event.message} (${why})` };
}

function toSeconds(ms: number): string {
  return `${ms / 1000} s`;
}
