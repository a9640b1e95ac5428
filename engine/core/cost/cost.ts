import type { TokenUsage } from '../../contract/source.js';
import { unreachable } from '../../contract/unreachable.js';
import type { CountedTokens } from '../protocol/token-counts.js';
import type { CallsAlike, PriceAll } from './price-book.js';

/** One generation, with what its provider says that it used. */
export interface MeteredCall {
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly subject_id: string;
  readonly node_id: string;
  /** Its gate was asked, in place of the node's own model. */
  readonly is_gate: boolean;
  readonly model: string | null;
  /** Scheme, host and port; null where nothing was sent. */
  readonly endpoint_origin: string | null;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  readonly status: 'running' | 'pending' | 'succeeded' | 'failed' | 'interrupted';
  readonly is_superseded: boolean;
  /** A later attempt was answered from its record. */
  readonly is_adopted: boolean;
  /** The provider's counts; null where it gave none that can be believed. */
  readonly usage: TokenUsage | null;
  /** What its budget counted in their place; null where nothing was estimated. */
  readonly estimated: CountedTokens | null;
}

/** What some calls used that were counted alike. */
export interface UsedTogether extends Omit<CallsAlike, 'usage'> {
  /** The attempt or the subject whose they are, where each is added up apart. */
  readonly used_by?: string | null;
  /** In all; null where nobody counted. */
  readonly usage: TokenUsage | null;
  readonly is_estimated: boolean;
  /** Whether they are under way. */
  readonly is_open: boolean;
}

/** What calls have used and cost. A call that was adopted is counted where it was made, and nowhere again. */
export interface Cost {
  readonly calls: number;
  readonly input_tokens: number;
  /** Of the input. */
  readonly cached_input_tokens: number;
  /** Of the input. */
  readonly cache_written_input_tokens: number;
  readonly output_tokens: number;
  /** Of the output. */
  readonly reasoning_tokens: number;
  /** US dollars of the calls that are priced; null where none of them is. */
  readonly usd: number | null;
  /** Calls with counts, and no known price. */
  readonly unpriced_calls: number;
  /** Calls whose tokens are estimated. */
  readonly estimated_calls: number;
  /** Calls that have ended without counts that can be believed. */
  readonly uncounted_calls: number;
}

/** How a call stands: each is in one of these. */
const CALL_STANDINGS = ['answered', 'adopted', 'superseded', 'failed', 'open'] as const;
type CallStanding = (typeof CALL_STANDINGS)[number];

/** What costs are added up by. */
export const COST_GROUPS = ['turn', 'subject', 'node', 'model', 'standing'] as const;
export type CostGroup = (typeof COST_GROUPS)[number];

/** Costs added up by something. */
export interface GroupedCosts {
  readonly by: CostGroup;
  /** Turns in order; else the most tokens first. */
  readonly rows: readonly ({ readonly of: string } & Cost)[];
}

export function sumCosts(used: readonly UsedTogether[], priceAll: PriceAll): Cost {
  const tally = new Tally();
  for (const together of used) tally.add(together, priceAll);
  return tally.toCost();
}

/** The sums of what calls cost, by each of these. Each group holds every call once. */
export function groupCosts(
  calls: readonly MeteredCall[],
  groups: readonly CostGroup[],
  priceAll: PriceAll,
): readonly GroupedCosts[] {
  return groups.map((by) => {
    const tallies = new Map<string, Tally>();
    for (const call of calls) {
      const key = keyOf(call, by);
      const tally = tallies.get(key) ?? new Tally();
      tallies.set(key, tally);
      tally.add(toUsed(call), priceAll);
    }
    const rows = [...tallies].map(([of, tally]) => ({ of, ...tally.toCost() }));
    return { by, rows: rows.sort(by === 'turn' ? byTurn : byTokens) };
  });
}

export function toUsed({ model, endpoint_origin, at, usage, estimated, status }: MeteredCall): UsedTogether {
  const is_open = status === 'running' || status === 'pending';
  return { calls: 1, model, endpoint_origin, at, usage: usage ?? estimated, is_estimated: usage === null, is_open };
}

export function standingOf({ status, is_superseded, is_adopted }: MeteredCall): CallStanding {
  if (is_superseded) return 'superseded';
  switch (status) {
    case 'running':
    case 'pending':
      return 'open';
    case 'failed':
    case 'interrupted':
      return 'failed';
    case 'succeeded':
      return is_adopted ? 'adopted' : 'answered';
    default:
      return unreachable(status);
  }
}

function keyOf(call: MeteredCall, by: CostGroup): string {
  switch (by) {
    case 'turn':
      return String(call.attempted_turn);
    case 'subject':
      return call.subject_id;
    case 'node':
      return call.is_gate ? `${call.node_id} gate` : call.node_id;
    case 'model':
      return [call.model ?? 'unnamed', ...(call.endpoint_origin === null ? [] : [call.endpoint_origin])].join(' at ');
    case 'standing':
      return standingOf(call);
    default:
      return unreachable(by);
  }
}

type Row = GroupedCosts['rows'][number];

const byTurn = (one: Row, other: Row): number => Number(one.of) - Number(other.of);
const byTokens = (one: Row, other: Row): number => tokensOf(other) - tokensOf(one) || (one.of < other.of ? -1 : 1);
const tokensOf = ({ input_tokens, output_tokens }: Row): number => input_tokens + output_tokens;

/** Grows by one call after the other. */
class Tally {
  #calls = 0;
  #input = 0;
  #cached = 0;
  #written = 0;
  #output = 0;
  #reasoning = 0;
  #trillionths: number | null = null;
  #unpriced = 0;
  #estimated = 0;
  #uncounted = 0;

  add({ calls, usage, is_estimated, is_open, used_by: _whose, ...place }: UsedTogether, priceAll: PriceAll): void {
    this.#calls += calls;
    if (usage === null) {
      if (!is_open) this.#uncounted += calls;
      return;
    }
    this.#input += usage.input_tokens;
    this.#cached += usage.cached_input_tokens ?? 0;
    this.#written += usage.cache_written_input_tokens ?? 0;
    this.#output += usage.output_tokens;
    this.#reasoning += usage.reasoning_tokens ?? 0;
    if (is_estimated) this.#estimated += calls;
    const price = priceAll({ calls, usage, ...place });
    if (price === null) this.#unpriced += calls;
    else this.#trillionths = (this.#trillionths ?? 0) + price;
  }

  toCost(): Cost {
    return {
      calls: this.#calls,
      input_tokens: this.#input,
      cached_input_tokens: this.#cached,
      cache_written_input_tokens: this.#written,
      output_tokens: this.#output,
      reasoning_tokens: this.#reasoning,
      usd: this.#trillionths === null ? null : this.#trillionths / 1e12,
      unpriced_calls: this.#unpriced,
      estimated_calls: this.#estimated,
      uncounted_calls: this.#uncounted,
    };
  }
}
