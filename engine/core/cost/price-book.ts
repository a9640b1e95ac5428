import type { TokenUsage } from '../../contract/source.js';
import type { Money } from './money.js';

/**
 * What a call costs by its counts, the model and endpoint (scheme, host and port; null where it is not known, and then
 * the model's name decides), and the moment of the call in milliseconds since 1970.
 * @returns null where no price is known or the counts cannot be true; never 0 for an unknown model
 */
export type CostOf = (
  usage: TokenUsage,
  model: string | null,
  endpoint_origin: string | null,
  at: number,
) => Money | null;

/** Calls for which a token costs the same: of one model, place and half hour, with inputs of one tier. */
export interface CallsAlike {
  readonly calls: number;
  /** In all. */
  readonly usage: TokenUsage;
  readonly model: string | null;
  readonly endpoint_origin: string | null;
  readonly at: number;
}

/** What calls cost in all, in trillionths of a US dollar, which add up in any order; null as for one call. */
export type PriceAll = (alike: CallsAlike) => number | null;

export interface PriceSources {
  /** The package whose snapshot ships, with its version. */
  readonly snapshot: string;
  /** The day on which the snapshot was published: `2026-09-23`. */
  readonly snapshot_date: string;
  /** The operator's own file; null where there is none. */
  readonly file: string | null;
}

export interface PriceBook {
  readonly costOf: CostOf;
  readonly priceAll: PriceAll;
  /** The input tokens of a call above which some price changes. */
  readonly tiers: readonly number[];
  readonly sources: PriceSources;
}
