import { type Cost, sumCosts, type UsedTogether } from '../../core/cost/cost.js';
import type { PriceAll } from '../../core/cost/price-book.js';
import type { WantedCalls } from '../../ports/browse.js';
import type { AttemptSummary } from '../../ports/records.js';
import type { Archive } from '../engine.js';

/** A record with the cost of the calls that were made in it. */
export interface Costing {
  readonly cost: Cost;
}

/** What the calls of a record have cost. Where the operator's prices cannot be read, nothing is priced. */
export async function readCost(archive: Archive, wanted: WantedCalls): Promise<Cost> {
  const { used, priceAll } = await readUsed(archive, wanted);
  return sumCosts(used, priceAll);
}

/** The same of several attempts, subjects or worlds, by their ids. */
export async function readCosts(
  archive: Archive,
  wanted: Extract<WantedCalls, { readonly of: 'attempts' | 'subjects' | 'worlds' }>,
): Promise<(id: string) => Cost> {
  const { used, priceAll } = await readUsed(archive, wanted);
  const byId = new Map<string, UsedTogether[]>();
  for (const together of used) {
    const id = together.used_by ?? '';
    byId.set(id, [...(byId.get(id) ?? []), together]);
  }
  return (id) => sumCosts(byId.get(id) ?? [], priceAll);
}

/** An attempt in a list. */
export interface CostedAttempt extends AttemptSummary, Costing {}

/** Attempts of a world, each with the cost of its own calls. */
export async function withCosts(
  archive: Archive,
  world_slug: string,
  attempts: readonly AttemptSummary[],
): Promise<readonly CostedAttempt[]> {
  const attempt_ids = attempts.map(({ attempt_id }) => attempt_id);
  const costOf = await readCosts(archive, { of: 'attempts', world_slug, attempt_ids });
  return attempts.map((attempt) => ({ ...attempt, cost: costOf(attempt.attempt_id) }));
}

async function readUsed(
  { store, metering }: Archive,
  wanted: WantedCalls,
): Promise<{ readonly used: readonly UsedTogether[]; readonly priceAll: PriceAll }> {
  const opened = await metering?.openPrices();
  const book = opened?.ok === true ? opened.value : undefined;
  return { used: await store.browse.used(wanted, book?.tiers ?? []), priceAll: book?.priceAll ?? NO_PRICE };
}

/** Where nothing is priced. */
export const NO_PRICE = (): null => null;
