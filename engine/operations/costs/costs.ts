import { type Outcome, succeed } from '../../contract/problem.js';
import {
  COST_GROUPS,
  type Cost,
  type CostGroup,
  groupCosts,
  type GroupedCosts,
  type MeteredCall,
  sumCosts,
  toUsed,
} from '../../core/cost/cost.js';
import type { PriceSources } from '../../core/cost/price-book.js';
import { type PromptParts, PromptTally } from '../../core/cost/prompt-parts.js';
import { ESTIMATE } from '../../core/cost/tokenizer.js';
import type { Archive } from '../engine.js';
import { NO_PRICE } from './read-cost.js';
import { unknownWorld } from '../worlds/worlds.js';

/** What a world's costs can be shown by. */
export const COSTS_BY = [...COST_GROUPS, 'component'] as const;
export type CostsBy = (typeof COSTS_BY)[number];

/** What a world has cost: the calls that were made in it, without those of the world that it is a fork of. */
export interface WorldCost {
  readonly world_slug: string;
  readonly total: Cost;
  /** Each holds every call once. */
  readonly groups: readonly GroupedCosts[];
  /** What filled the prompts; null where it was not asked for, and of more than 1000 calls it is not unasked. */
  readonly prompts: PromptParts | null;
  /** Null where nothing is priced. */
  readonly prices: (PriceSources & { readonly snapshot_age_days: number }) | null;
}

/** Up to so many prompts are counted unasked. */
const COUNTED_UNASKED_MAX = 1_000;
const DAY_MS = 86_400_000;

/** What a world has cost, by one thing or by all. @returns a refusal also of the operator's prices */
export async function showCost(
  archive: Archive,
  { world_slug, by }: { readonly world_slug: string; readonly by?: CostsBy },
): Promise<Outcome<WorldCost>> {
  const { store, metering } = archive;
  if ((await store.worlds.find(world_slug)) === undefined) return unknownWorld(archive, world_slug);
  const book = await metering?.openPrices();
  if (book?.ok === false) return book;
  const priceAll = book?.value.priceAll ?? NO_PRICE;
  const calls = await store.browse.metered({ world_slug });
  const groups: readonly CostGroup[] = by === undefined ? COST_GROUPS : COST_GROUPS.filter((group) => group === by);
  const isCounted = by === 'component' || (by === undefined && calls.length <= COUNTED_UNASKED_MAX);
  const sources = book?.value.sources;
  return succeed({
    world_slug,
    total: sumCosts(calls.map(toUsed), priceAll),
    groups: groupCosts(calls, groups, priceAll),
    prompts: isCounted ? await countPrompts(archive, world_slug, calls) : null,
    prices: sources === undefined ? null : { ...sources, snapshot_age_days: ageOf(sources) },
  });
}

function ageOf({ snapshot_date }: PriceSources): number {
  return Math.max(0, Math.floor((Date.now() - Date.parse(snapshot_date)) / DAY_MS));
}

/** Reads one attempt after the other: the prompts of a long world are larger than memory. */
async function countPrompts(
  { store, metering }: Archive,
  world_slug: string,
  calls: readonly MeteredCall[],
): Promise<PromptParts> {
  const models = [...new Set(calls.map(({ model }) => model))];
  const tally = new PromptTally((await metering?.openTokenizers(models)) ?? (() => ESTIMATE));
  for (const attempt_id of new Set(calls.map((call) => call.attempt_id))) {
    const { prompts, pieces } = await store.browse.prompts({ world_slug, attempt_id });
    tally.add(prompts, pieces);
  }
  return tally.toParts();
}
