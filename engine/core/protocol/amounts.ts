/** What calls use, or may use. */
export interface Amounts {
  readonly tokens: number;
  /** Billionths of a US dollar; null where the price is not known. */
  readonly money: number | null;
  readonly generations: number;
  readonly ms: number;
}

export type Measure = keyof Amounts;

/** What a budget bounds: what it does not name is not bounded. */
export type Limits = { readonly [Name in Measure]?: number };

export const NOTHING: Amounts = { tokens: 0, money: 0, generations: 0, ms: 0 };

/** A price that is not known counts as none: a budget of money lets no such call through. */
export function add(one: Amounts, other: Amounts): Amounts {
  return {
    tokens: one.tokens + other.tokens,
    money: (one.money ?? 0) + (other.money ?? 0),
    generations: one.generations + other.generations,
    ms: one.ms + other.ms,
  };
}
