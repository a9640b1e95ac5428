import type { Limits } from '../protocol/amounts.js';
import type { Invoke } from '../protocol/command.js';
import type { PriceTokens } from '../protocol/program.js';
import { countInput } from './estimate.js';

/** Endpoints refuse a limit above their model's own. No model writes less than this, so that none refuses it. */
const UNASKED_MAX = 4_096;

/**
 * The most tokens that a call's answer may have, where its budgets leave fewer than its source permits. A source that
 * names no limit is given one only where what is left of a budget beyond its node's is less than any model writes.
 * @param left of that budget, before the call
 */
export function limitOutput(command: Invoke, left: Limits = {}, price?: PriceTokens): number | undefined {
  const { output_limit } = command.call.source;
  if (output_limit === undefined && left.tokens === undefined && left.money === undefined) return undefined;
  const input = countInput(command);
  const of_node = positive((command.node_tokens_left ?? Infinity) - input);
  const of_budget = positive(Math.min((left.tokens ?? Infinity) - input, findAffordable(command, input, left, price)));
  const most = Math.min(of_node, of_budget);
  if (output_limit !== undefined) return most < output_limit ? most : undefined;
  return of_budget < of_node && of_budget <= UNASKED_MAX ? of_budget : undefined;
}

/** How many tokens an answer may have for the money that is left. */
function findAffordable({ call }: Invoke, input: number, { money }: Limits, price?: PriceTokens): number {
  const priceOf = (output_tokens: number): number | null =>
    price?.(call.source, { input_tokens: input, output_tokens }) ?? null;
  const [base, more] = [priceOf(0), priceOf(PRICED_TOKENS)];
  if (money === undefined || base === null || more === null || more <= base) return Infinity;
  return Math.floor(((money - base) * PRICED_TOKENS) / (more - base));
}

const PRICED_TOKENS = 100_000;

/** An estimate that leaves nothing is not believed: the budget itself lets the call through or not. */
function positive(tokens: number): number {
  return tokens < 1 ? Infinity : tokens;
}
