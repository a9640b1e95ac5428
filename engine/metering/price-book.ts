import { calcPrice, findProvider, type ModelPrice, type PriceOptions, type Provider } from '@pydantic/genai-prices';
import type { TokenUsage } from '../contract/source.js';
import { toMoney } from '../core/cost/money.js';
import type { CallsAlike, PriceAll, PriceBook } from '../core/cost/price-book.js';
import { doubtParts } from '../core/protocol/token-counts.js';
import type { PricedModel, Prices, UsdPerMillionTokens } from '../generated/prices.js';

/** What ships: nothing is fetched, so its prices are as old as the package. */
const SNAPSHOT = { snapshot: '@pydantic/genai-prices 0.1.8', snapshot_date: '2026-09-23' } as const;

/** An operator's prices, and the name of their file. */
interface OwnPrices {
  readonly file: string;
  readonly prices: Prices;
}

/** Opens the prices that ship, and before them the operator's own: the last entry that fits a call decides. */
export function openPriceBook(own?: OwnPrices): PriceBook {
  const entries = (own?.prices.models ?? []).map(toOwnEntry).toReversed();
  const known = new Map<string, Provider | null>();
  const find = ({ model, endpoint_origin, at }: CallsAlike): Provider | null => {
    if (model === null) return null;
    const entry = entries.find((each) => each.fits(model, endpoint_origin, at));
    if (entry !== undefined) return entry.provider;
    const key = JSON.stringify([model, endpoint_origin]);
    const found = known.has(key) ? known.get(key) : findShipped(model, endpoint_origin);
    known.set(key, found ?? null);
    return found ?? null;
  };
  const priceAll: PriceAll = (alike) => {
    const { calls, usage, at } = alike;
    if (calls === 1 ? doubtParts(usage) !== undefined : isCacheTooLarge(usage)) return null;
    const provider = find(alike);
    return provider === null ? null : priceOf(usage, calls, { provider, timestamp: new Date(at) });
  };
  return {
    sources: { ...SNAPSHOT, file: own?.file ?? null },
    tiers: [...new Set([...TIERS, ...(own?.prices.models ?? []).flatMap(startsOf)])].sort((a, b) => a - b),
    priceAll,
    costOf: (usage, model, endpoint_origin, at) => {
      const price = priceAll({ calls: 1, usage, model, endpoint_origin, at });
      return price === null ? null : toMoney(price / TRILLION);
    },
  };
}

const TRILLION = 1e12;

/** The inputs above which some price that ships changes. */
const TIERS = [128_000, 199_999, 200_000, 271_999, 272_000, 512_000];

const startsOf = ({ above = [] }: PricedModel): readonly number[] => above.map(({ input_tokens }) => input_tokens);

function isCacheTooLarge({ input_tokens, cached_input_tokens = 0, cache_written_input_tokens = 0 }: TokenUsage) {
  return cached_input_tokens + cache_written_input_tokens > input_tokens;
}

/** The provider with that model alone: among all its models the package looks for it anew at each call. */
function findShipped(model: string, endpoint_origin: string | null): Provider | null {
  const provider = endpoint_origin === null ? undefined : findProvider({ providerApiUrl: endpoint_origin });
  if (endpoint_origin !== null && provider === undefined) return null;
  const priced = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, provider === undefined ? {} : { provider });
  return priced && { ...priced.provider, models: [{ ...priced.model, match: ANY }] };
}

const ANY = { starts_with: '' };

/** The package takes cached and written tokens as parts of the input, and picks the tier by the input of one call. */
function priceOf(usage: TokenUsage, calls: number, options: PriceOptions): number | null {
  const counted = {
    input_tokens: usage.input_tokens / calls,
    output_tokens: usage.output_tokens / calls,
    cache_read_tokens: (usage.cached_input_tokens ?? 0) / calls,
    cache_write_tokens: (usage.cache_written_input_tokens ?? 0) / calls,
  };
  const priced = calcPrice(counted, 'any', options);
  return priced === null ? null : Math.round(priced.total_price * calls * TRILLION);
}

interface OwnEntry {
  readonly fits: (model: string, endpoint_origin: string | null, at: number) => boolean;
  readonly provider: Provider;
}

function toOwnEntry({ model: named, endpoint, from, ...priced }: PricedModel): OwnEntry {
  const since = from === undefined ? -Infinity : Date.parse(from);
  const origin = endpoint === undefined ? undefined : new URL(endpoint).origin;
  const isNamed = (model: string): boolean =>
    named.endsWith('*') ? model.startsWith(named.slice(0, -1)) : model === named;
  return {
    fits: (model, endpoint_origin, at) =>
      isNamed(model) && since <= at && (origin === undefined || origin === endpoint_origin),
    provider: toProvider(priced),
  };
}

const PRICE_KEYS = {
  input: 'input_mtok',
  output: 'output_mtok',
  cached_input: 'cache_read_mtok',
  cache_written_input: 'cache_write_mtok',
} as const satisfies Record<keyof UsdPerMillionTokens, string>;

/** The operator's prices of one model, as the package reads prices. */
function toProvider({ usd_per_million_tokens: base, above = [] }: Omit<PricedModel, 'model'>): Provider {
  const prices: ModelPrice = {};
  for (const [name, key] of Object.entries(PRICE_KEYS) as [keyof UsdPerMillionTokens, string][]) {
    const price = base[name];
    if (price === undefined) continue;
    const tiers = above.flatMap(({ input_tokens: start, usd_per_million_tokens: { [name]: higher } }) =>
      higher === undefined ? [] : [{ start, price: higher }],
    );
    prices[key] = tiers.length === 0 ? price : { base: price, tiers: tiers.sort((a, b) => a.start - b.start) };
  }
  return { id: 'own', name: 'own', api_pattern: '', models: [{ id: 'own', match: ANY, prices }] };
}
