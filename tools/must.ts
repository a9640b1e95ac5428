import type { Outcome } from '../engine/contract/problem.js';

/** The value of an outcome. @throws Error with the reasons of a refusal */
export function must<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(outcome.problems.map(({ message }) => message).join(' '));
  return outcome.value;
}
