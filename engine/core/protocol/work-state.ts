import type { AttemptSummary } from '../ports/records.js';

/** An attempt whose driver is gone is open, and nobody works at it. */
export function isUndriven({ status, is_driven }: Pick<AttemptSummary, 'status' | 'is_driven'>): boolean {
  return status === 'running' && !is_driven;
}

/** How an attempt ended, or how far it is. */
export function stateOfAttempt(attempt: Pick<AttemptSummary, 'status' | 'is_driven'>): string {
  return isUndriven(attempt) ? 'driver gone' : attempt.status;
}
