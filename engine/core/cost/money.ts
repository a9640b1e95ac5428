/** An amount of money: a whole number of billionths of a US dollar, so that sums are exact in any order. */
export type Money = number;

const PER_DOLLAR = 1_000_000_000;

/** An amount of US dollars, to the billionth. */
export function toMoney(usd: number): Money {
  return Math.round(usd * PER_DOLLAR);
}

/** What people and programs are shown of an amount: US dollars. Nothing stays nothing. */
export function toUsd(money: Money): number;
export function toUsd(money: Money | null): number | null;
export function toUsd(money: Money | null): number | null {
  return money === null ? null : money / PER_DOLLAR;
}
