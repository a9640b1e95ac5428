import { calcPrice, findProvider, type ModelPrice, type Provider } from '@pydantic/genai-prices';
import type { TokenUsage } from '../contract/source.js';
import { type Money, toMoney } from '../core/cost/money.js';
import type { PriceBook } from '../core/cost/price-book.js';
import { doubtParts } from '../core/protocol/token-counts.js';
import type { PricedModel, Prices, UsdPerMillionTokens } from '../generated/prices.js';

/** What ships: nothing is fetched, so its prices are as old as the package. */
const SNAPSHOT = { snapshot: '@pydantic/genai-prices 0.1.8', snapshot_date: '2026-09-23' } as const;

/** An operator's prices, and the name of their file. */
export interface OwnPrices {
  readonly file: string;
  readonly prices: Prices;
}

/** Opens the prices that ship, and before them the operator's own: the last entry that fits a call decides. */
export function openPriceBook(own?: OwnPrices): PriceBook {
  const entries = (own?.prices.models ?? []).map(toOwnEntry).reverse();
  const providers = new Map<string, Provider | undefined>();
  const providerAt = (endpoint_origin: string): Provider | undefined => {
    if (!providers.has(endpoint_origin))
      providers.set(endpoint_origin, findProvider({ providerApiUrl: endpoint_origin }));
    return providers.get(endpoint_origin);
  };
  return {
    sources: { ...SNAPSHOT, file: own?.file ?? null },
    costOf: (usage, model, endpoint_origin, at) => {
      if (model === null || doubtParts(usage) !== undefined) return null;
      const entry = entries.find((each) => each.fits(model, endpoint_origin, at));
      if (entry !== undefined) return priceOf(usage, model, { provider: entry.provider });
      if (endpoint_origin === null) return priceOf(usage, model, { timestamp: new Date(at) });
      const provider = providerAt(endpoint_origin);
      return provider === undefined ? null : priceOf(usage, model, { provider, timestamp: new Date(at) });
    },
  };
}

/** The package takes cached and written tokens as parts of the input, and picks the tier by the whole input. */
function priceOf(usage: TokenUsage, model: string, options: Parameters<typeof calcPrice>[2]): Money | null {
  const counted = {
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_read_tokens: usage.cached_input_tokens ?? 0,
    cache_write_tokens: usage.cache_written_input_tokens ?? 0,
  };
  const priced = calcPrice(counted, model, options);
  return priced === null ? null : toMoney(priced.total_price);
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
  return { id: 'own', name: 'own', api_pattern: '', models: [{ id: 'own', match: { starts_with: '' }, prices }] };
}
