import { type Cost, sumCosts } from '../core/cost/cost.js';
import type { WantedCalls } from '../ports/browse.js';
import type { Archive } from './engine.js';

/** A record with the cost of the calls that were made in it. */
export interface Costing {
  readonly cost: Cost;
}

/** What the calls of a record have cost. Where the operator's prices cannot be read, nothing is priced. */
export async function readCost({ store, metering }: Archive, wanted: WantedCalls): Promise<Cost> {
  const opened = await metering?.openPrices();
  const book = opened?.ok === true ? opened.value : undefined;
  return sumCosts(await store.browse.used(wanted, book?.tiers ?? []), book?.priceAll ?? NO_PRICE);
}

/** Where nothing is priced. */
export const NO_PRICE = (): null => null;
