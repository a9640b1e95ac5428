import { type Cost, sumCosts } from '../core/cost/cost.js';
import type { CostOf } from '../core/cost/price-book.js';
import type { WantedCalls } from '../ports/browse.js';
import type { Archive } from './engine.js';

/** A record with the cost of the calls that were made in it. */
export interface Costing {
  readonly cost: Cost;
}

/** What the calls of a record have cost. Where the operator's prices cannot be read, nothing is priced. */
export async function readCost({ store, metering }: Archive, wanted: WantedCalls): Promise<Cost> {
  const calls = await store.browse.metered(wanted);
  const book = calls.length === 0 ? undefined : await metering?.openPrices();
  return sumCosts(calls, book?.ok === true ? book.value.costOf : NO_PRICE);
}

/** Where nothing is priced. */
export const NO_PRICE: CostOf = () => null;
