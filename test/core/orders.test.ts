import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FIRST_STATE, toState, TRANSITIONS } from '../../engine/core/orders/transitions.js';
import type { OrderState, Tier } from '../../engine/core/orders/work-order.js';

describe('the states of a work order', () => {
  const states = Object.keys(TRANSITIONS) as readonly OrderState[];
  const permitted = new Set([
    'planned dispatched HO2',
    'planned failed HO2',
    'dispatched executing HO1',
    'executing completed HO1',
    'executing failed HO1',
  ]);
  for (const from of states)
    for (const to of states)
      for (const tier of ['HO1', 'HO2'] as const satisfies readonly Tier[])
        it(`${from} to ${to} by ${tier} is ${permitted.has(`${from} ${to} ${tier}`) ? 'permitted' : 'impossible'}`, () => {
          if (permitted.has(`${from} ${to} ${tier}`)) assert.equal(toState(from, to, tier), to);
          else assert.throws(() => toState(from, to, tier));
        });

  it('begins as planned', () => assert.equal(FIRST_STATE, 'planned'));
});
