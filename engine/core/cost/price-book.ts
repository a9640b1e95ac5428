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

/** Where prices come from. */
export interface PriceSources {
  /** The package whose snapshot ships, with its version. */
  readonly snapshot: string;
  /** The day on which the snapshot was published: `2026-09-23`. */
  readonly snapshot_date: string;
  /** The operator's own file; null where there is none. */
  readonly file: string | null;
}

/** The prices of models. */
export interface PriceBook {
  readonly costOf: CostOf;
  readonly sources: PriceSources;
}
