import { add, type Amounts, type Limits, type Measure, NOTHING } from '../protocol/amounts.js';

// A budget bounds what calls use together. Before a call, its reservation counts the most that the call may use; after
// it, only what it has used. A call is let through where what is left holds its realistic estimate. So
//
// - the overspend never exceeds the declared worst case of one call, however many are under way;
// - no call is refused whose realistic estimate fits: it waits until others under way are settled;
// - a call whose driver dies is settled by what can be counted of it, and reserves nothing from then on.

/** What a call will most likely use, and the most that it may. */
export interface Estimate {
  readonly least: Amounts;
  readonly most: Amounts;
}

export interface Budget {
  readonly limits: Limits;
  readonly spent: Amounts;
  /** The most that each call under way may use, by the key of the call. */
  readonly reserved: ReadonlyMap<string, Amounts>;
}

/** Whether a call is let through. */
type Reservation =
  | {
      readonly kind: 'granted';
      readonly budget: Budget;
      /** The rest of the budget before the call. A call that uses at most this much overspends nothing. */
      readonly left: Limits;
    }
  /** It may fit once calls under way are settled. */
  | { readonly kind: 'waits' }
  /** It does not fit, even if no call under way uses anything. */
  | { readonly kind: 'refused'; readonly short: Shortage };

/** A measure of which less is left than a call needs; `needed` is null where its price is not known. */
export interface Shortage {
  readonly measure: Measure;
  readonly limit: number;
  readonly left: number;
  readonly needed: number | null;
}

/** A budget of which so much is spent already. */
export function openBudget(limits: Limits, spent: Amounts = NOTHING): Budget {
  return { limits, spent, reserved: new Map() };
}

/** Reserves the most that a call may use, where its realistic estimate fits. */
export function reserve(budget: Budget, call: string, { least, most }: Estimate): Reservation {
  const hopeless = findShortage(budget.limits, unspentOf(budget), least);
  if (hopeless !== undefined) return { kind: 'refused', short: hopeless };
  const left = leftOf(budget);
  if (findShortage(budget.limits, left, least) !== undefined) return { kind: 'waits' };
  return { kind: 'granted', budget: { ...budget, reserved: new Map(budget.reserved).set(call, most) }, left };
}

/** The end of a call: what it has used is spent, and nothing of it stays reserved. */
export function settle(budget: Budget, call: string, used: Amounts): Budget {
  const reserved = new Map(budget.reserved);
  reserved.delete(call);
  return { ...budget, spent: add(budget.spent, used), reserved };
}

/** What is not spent yet, whatever is reserved. */
export function unspentOf({ limits, spent }: Budget): Limits {
  return subtract(limits, spent);
}

/** What is neither spent nor reserved. */
function leftOf(budget: Budget): Limits {
  return subtract(unspentOf(budget), [...budget.reserved.values()].reduce(add, NOTHING));
}

function subtract(limits: Limits, amounts: Amounts): Limits {
  return Object.fromEntries(measuresOf(limits).map(([name, limit]) => [name, limit - (amounts[name] ?? 0)]));
}

/** The first measure of which less is left than a call needs. */
export function findShortage(limits: Limits, left: Limits, least: Amounts): Shortage | undefined {
  for (const [measure, limit] of measuresOf(limits)) {
    const [there = 0, needed] = [left[measure], least[measure]];
    if (needed === null || needed > there) return { measure, limit, left: Math.max(0, there), needed };
  }
  return undefined;
}

function measuresOf(limits: Limits): readonly (readonly [Measure, number])[] {
  return Object.entries(limits) as [Measure, number][];
}
