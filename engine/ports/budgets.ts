import type { Estimate, Shortage } from '../core/budget/budget.js';
import type { Amounts, Limits } from '../core/protocol/amounts.js';
import type { AttemptLease } from './attempts.js';

/** A budget of all worlds for one day, of a study, or of one world: kept in the database, which all processes share. */
export interface KeptBudget {
  readonly key: string;
  /** Left out where worlds share it. */
  readonly world_slug?: string;
  /** Tokens and money. */
  readonly limits: Limits;
}

/** A call that counts against a budget while it is under way. */
export interface KeptCall extends Estimate {
  readonly call_id: string;
}

export type KeptReservation =
  | { readonly kind: 'granted'; readonly left: Limits }
  | { readonly kind: 'waits' }
  | { readonly kind: 'refused'; readonly short: Shortage };

/** Budgets that many processes use at once. What a dead driver had reserved ends with its lease. */
export interface BudgetStore {
  /**
   * One statement: it reserves the most that a call may use, where its realistic estimate fits.
   * @param lease undefined outside an attempt: the reservation ends at the deadline of the call
   */
  reserve(budget: KeptBudget, lease: AttemptLease | undefined, call: KeptCall): Promise<KeptReservation>;
  /** One statement: what the call has used is spent, and nothing of it stays reserved. */
  settle(budget: KeptBudget, call: KeptCall, used: Amounts): Promise<void>;
}
