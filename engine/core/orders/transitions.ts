import type { OrderState, Tier } from './work-order.js';

/** The permitted changes of an order's state, and the tiers that may make each. Every other change is forbidden. */
export const TRANSITIONS: Readonly<Record<OrderState, Readonly<Partial<Record<OrderState, readonly Tier[]>>>>> = {
  planned: { dispatched: ['HO2'], failed: ['HO2'] },
  dispatched: { executing: ['HO1'] },
  executing: { completed: ['HO1'], failed: ['HO1'] },
  completed: {},
  failed: {},
};

/** The state in which every order begins; only the planning tier plans. */
export const FIRST_STATE: OrderState = 'planned';

/** The next state of an order. @throws Error where the table forbids the change, or forbids it to that tier */
export function toState(from: OrderState, to: OrderState, tier: Tier): OrderState {
  const tiers = TRANSITIONS[from][to];
  if (tiers === undefined) throw new Error(`an order that is ${from} cannot become ${to}`);
  if (!tiers.includes(tier)) throw new Error(`${tier} cannot make an order that is ${from} ${to}`);
  return to;
}
