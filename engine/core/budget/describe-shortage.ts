import { unreachable } from '../../contract/unreachable.js';
import { toUsd } from '../cost/money.js';
import type { Measure } from '../protocol/amounts.js';
import type { Invoke } from '../protocol/command.js';
import type { Shortage } from './budget.js';

/** A budget in words: what it is of, and what to do once it is used up. */
export interface NamedBudget {
  readonly of: string;
  readonly repair: (name: string) => string;
}

/** Why a budget lets a call not through: what is left of it, what the call needs, and what to do. */
export function describeShortage(
  { of, repair }: NamedBudget,
  { subject_id, node_id }: Invoke,
  short: Shortage,
): string {
  const { measure, limit, left, needed } = short;
  const call = node_id === undefined ? 'the call' : `the next call of ${subject_id ?? 'the turn'} in node ${node_id}`;
  if (needed === null)
    return `${of} bounds money, and the price of the model of ${call} is not known: write it in the file of CHUKWA_PRICES, or bound tokens instead`;
  const name = NAMES[measure];
  return `${of} is used up: ${describe(measure, left)} of ${describe(measure, limit)} are left, and ${call} needs about ${describe(measure, needed)}: ${repair(name)}`;
}

const NAMES: Readonly<Record<Measure, string>> = {
  tokens: 'token_budget',
  money: 'usd',
  generations: 'turn_limit',
  ms: 'timeout_seconds',
};

function describe(measure: Measure, amount: number): string {
  switch (measure) {
    case 'tokens':
      return `${amount} tokens`;
    case 'money':
      return `${Number(toUsd(amount).toFixed(6))} US dollars`;
    case 'generations':
      return `${amount} generations`;
    case 'ms':
      return `${amount / 1000} seconds`;
    default:
      return unreachable(measure);
  }
}
