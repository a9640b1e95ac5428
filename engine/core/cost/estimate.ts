import type { TokenUsage } from '../../contract/source.js';
import type { Cost, MeteredCall } from './cost.js';
import { type Money, toUsd } from './money.js';
import type { CostOf } from './price-book.js';

/** A node that asks models for a subject, and what its author lets it use in a turn. */
export interface AskingNode {
  readonly subject_id: string;
  readonly node_id: string;
  /** Its own, that of its gate, and its fallback. */
  readonly asked: readonly AskedModel[];
  readonly token_budget: number;
  /** Of all its models. */
  readonly calls_max: number;
}

export interface AskedModel {
  readonly is_gate: boolean;
  /** Null where it is not known yet. */
  readonly model: string | null;
  readonly endpoint_origin: string | null;
  /** The tokens of what its author wrote, and of its smallest answer; null where it is asked after a failure alone. */
  readonly least: TokenUsage | null;
  readonly calls_max: number;
  /** How long an answer may be, in tokens; null where its source does not say. */
  readonly output_tokens_max: number | null;
}

/** What some turns use and cost. */
export interface EstimatedUse extends Pick<Cost, 'calls' | 'input_tokens' | 'output_tokens'> {
  /** US dollars; null where a price is not known. */
  readonly usd: number | null;
}

/** What turns will use: of earlier turns the least, the mean and the 95th percentile; else by what their authors wrote. */
export interface TurnsEstimate {
  /** How many earlier turns it is made of. */
  readonly earlier_turns: number;
  readonly least: EstimatedUse;
  /** Without earlier turns, the geometric mean of the least and the limit of each node. */
  readonly likely: EstimatedUse;
  readonly most: EstimatedUse;
  /** The authored limits of all nodes: more is a failure. */
  readonly limit: EstimatedUse;
}

interface Use extends Omit<EstimatedUse, 'usd'> {
  readonly money: Money | null;
}

/** What so many turns will use, by what their nodes may and earlier turns did. */
export function estimateTurns(
  turns: number,
  nodes: readonly AskingNode[],
  earlier: readonly MeteredCall[],
  { costOf, at }: { readonly costOf: CostOf; readonly at: number },
): TurnsEstimate {
  const price = ({ model, endpoint_origin }: AskedModel, usage: TokenUsage, calls: number): Use => {
    // The tier of a price depends on the input of one call.
    const mean = { input_tokens: Math.ceil(usage.input_tokens / calls), output_tokens: usage.output_tokens / calls };
    const each = { ...mean, output_tokens: Math.ceil(mean.output_tokens) };
    const money = costOf(each, model, endpoint_origin, at);
    return { ...usage, calls, money: money === null ? null : money * calls };
  };
  const limit = sum(
    nodes.map((node) => dearest(node.asked.map((asked) => price(asked, limitOf(node), node.calls_max)))),
  );
  const observed = observe(nodes, earlier, { costOf, at });
  const of = (choose: (uses: readonly number[]) => number): Use => chooseEach(observed, choose);
  const [least, likely, most] =
    observed.length === 0
      ? [
          sum(nodes.flatMap(({ asked }) => asked.filter(isCertain).map((each) => price(each, each.least, 1)))),
          sum(
            nodes.flatMap((node) => node.asked.filter(isCertain).map((each) => price(each, ...likelyOf(node, each)))),
          ),
          limit,
        ]
      : [of((uses) => Math.min(...uses)), of(mean), of((uses) => percentile95(uses) ?? 0)];
  const times = ({ money, ...use }: Use): EstimatedUse => ({
    calls: Math.round(use.calls * turns),
    input_tokens: Math.round(use.input_tokens * turns),
    output_tokens: Math.round(use.output_tokens * turns),
    usd: toUsd(money === null ? null : Math.round(money * turns)),
  });
  return {
    earlier_turns: observed.length,
    least: times(least),
    likely: times(likely),
    most: times(most),
    limit: times(limit),
  };
}

/** The dearest use that a node's budget allows: answers as long as they may be. */
function limitOf({ token_budget, asked }: AskingNode): TokenUsage {
  const longest = asked.map((each) => (each.output_tokens_max ?? token_budget) * each.calls_max);
  const output_tokens = Math.min(token_budget, total(longest));
  return { input_tokens: token_budget - output_tokens, output_tokens };
}

/** No split of a node's budget between its models costs more than all of it at the dearest. */
function dearest(uses: readonly Use[]): Use {
  return uses.reduce((most, use) =>
    most.money !== null && (use.money === null || use.money > most.money) ? use : most,
  );
}

/** Between the least and the budget, with as large a part of each model, and of answers, as the least has. */
function likelyOf({ asked, token_budget, calls_max }: AskingNode, { least }: CertainModel): [TokenUsage, number] {
  const certain = asked.filter(isCertain);
  const smallest = total(certain.map((each) => each.least.input_tokens + each.least.output_tokens));
  const growth = Math.sqrt(token_budget / Math.max(1, smallest));
  const usage = { input_tokens: least.input_tokens * growth, output_tokens: least.output_tokens * growth };
  return [usage, Math.sqrt(calls_max / certain.length)];
}

/** A model that each turn asks. */
type CertainModel = AskedModel & { readonly least: TokenUsage };

function isCertain(asked: AskedModel): asked is CertainModel {
  return asked.least !== null;
}

/** What each earlier turn used, with all its attempts, at the price of what its nodes will ask. */
function observe(
  nodes: readonly AskingNode[],
  earlier: readonly MeteredCall[],
  { costOf, at }: { readonly costOf: CostOf; readonly at: number },
): readonly Use[] {
  const asking = new Map(
    nodes.flatMap((node) =>
      node.asked.filter(isCertain).map((each) => [placeOf({ ...node, is_gate: each.is_gate }), each] as const),
    ),
  );
  const turns = new Map<number, Use[]>();
  for (const call of earlier) {
    const usage = call.usage ?? call.estimated;
    if (usage === null) continue;
    const { model, endpoint_origin } = asking.get(placeOf(call)) ?? call;
    const money = costOf(usage, model, endpoint_origin, at);
    const { input_tokens, output_tokens } = usage;
    const uses = turns.get(call.attempted_turn) ?? [];
    turns.set(call.attempted_turn, uses);
    uses.push({ calls: 1, input_tokens, output_tokens, money });
  }
  return [...turns.values()].map(sum);
}

function placeOf({ subject_id, node_id, is_gate }: Pick<MeteredCall, 'subject_id' | 'node_id' | 'is_gate'>): string {
  return `${subject_id}/${node_id}/${is_gate}`;
}

function sum(uses: readonly Use[]): Use {
  const add = (of: (use: Use) => number): number => total(uses.map(of));
  return {
    calls: add(({ calls }) => calls),
    input_tokens: add(({ input_tokens }) => input_tokens),
    output_tokens: add(({ output_tokens }) => output_tokens),
    money: uses.some(({ money }) => money === null) ? null : add(({ money }) => money ?? 0),
  };
}

function chooseEach(uses: readonly Use[], choose: (numbers: readonly number[]) => number): Use {
  return {
    calls: choose(uses.map(({ calls }) => calls)),
    input_tokens: choose(uses.map(({ input_tokens }) => input_tokens)),
    output_tokens: choose(uses.map(({ output_tokens }) => output_tokens)),
    money: uses.some(({ money }) => money === null) ? null : choose(uses.map(({ money }) => money ?? 0)),
  };
}

function mean(numbers: readonly number[]): number {
  return total(numbers) / numbers.length;
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** The number that 19 in 20 of some numbers do not exceed. */
export function percentile95(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((one, other) => one - other)[Math.ceil(numbers.length * 0.95) - 1];
}
