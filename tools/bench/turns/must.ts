import type { Outcome } from '../../../engine/contract/problem.js';

/** What was asked for. @throws Error that tells why it was refused */
export function must<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(outcome.problems.map(({ message }) => message).join(' '));
  return outcome.value;
}
