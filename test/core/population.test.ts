import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../engine/contract/json.js';
import { findAnswer, promptOf, type RuleOfPopulation, seedOf } from '../../engine/contract/population.js';

const KEY = '*/act/round-1/try-1';
const GIVES: RuleOfPopulation<Json> = {
  where: { key: KEY, prompt_has: ['Community'] },
  values: { amount: { draw: { mean: 12, deviation: 3, minimum: 0, maximum: 20 } } },
  answer: { by: '{{subject}}', amount: '{{amount}}', says: 'I give {{amount}} in round {{turn}}.' },
};

interface Asking {
  readonly world?: string;
  readonly turn?: number;
  readonly key?: string;
  readonly prompt?: string;
}

function ask(rules: readonly RuleOfPopulation<Json>[], { world, turn, key, prompt }: Asking = {}): Json | undefined {
  const asked = { world_slug: world ?? 'trial-s1', turn: turn ?? 1, key: key ?? 'ada/act/round-1/try-1' };
  return findAnswer({ turns: {}, population: rules }, { ...asked, prompt: prompt ?? 'The Community Game' });
}

function amountOf(asking: Asking): number {
  return (ask([GIVES], asking) as { readonly amount: number }).amount;
}

describe('a population', () => {
  test('fills the subject, the turn and its values into an answer: a text that is only a number becomes one', () => {
    const answer = ask([GIVES], { turn: 3 }) as { readonly amount: number };
    assert.equal(typeof answer.amount, 'number');
    assert.deepEqual(answer, { by: 'ada', amount: answer.amount, says: `I give ${answer.amount} in round 3.` });
  });

  test('answers the first rule whose key and texts fit, and after what is written for the place', () => {
    const rule = (key: string, answer: string, prompt_has?: readonly string[]): RuleOfPopulation<Json> => ({
      where: { key, ...(prompt_has === undefined ? {} : { prompt_has }) },
      answer,
    });
    const rules = [rule('ben/act/round-1/try-1', 'ben'), rule(KEY, 'both', ['Game', 'rain']), rule(KEY, 'any')];
    assert.equal(ask(rules), 'any');
    assert.equal(ask(rules, { prompt: 'A Game in the rain' }), 'both');
    assert.equal(ask(rules, { key: 'ben/act/round-1/try-1' }), 'ben');
    assert.equal(ask(rules, { key: 'ada/act/round-2/try-1' }), undefined);
    assert.equal(ask(rules, { key: 'ada/act' }), undefined);
    const turns = { '*': { 'ada/act/round-1/try-1': 'written' } };
    const asked = { world_slug: 'trial', turn: 1, key: 'ada/act/round-1/try-1', prompt: '' };
    assert.equal(findAnswer<Json>({ turns, population: rules }, asked), 'written');
  });

  test('reads a number behind the last of a text, and leaves a rule out where there is none', () => {
    const reads = { where: { key: KEY }, values: { kept: { read_after: '"kept":' } }, answer: '{{kept}}' };
    assert.equal(ask([reads], { prompt: '"kept":3, then "kept": 8.5 of 20' }), 8.5);
    assert.equal(ask([reads, { where: { key: KEY }, answer: 'none' }], { prompt: '"kept":null' }), 'none');
  });

  test('says the same again to the same call, whatever else the prompt holds, in each run of a subject', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 1000 }), fc.string(), (seed, turn, more) => {
        const world = `trial-s${seed}`;
        const said = ask([GIVES], { world, turn });
        assert.deepEqual(ask([GIVES], { world, turn, prompt: `${more} Community ${more}` }), said);
        assert.deepEqual(ask([GIVES], { world: `other-s${seed}`, turn, key: 'ada/act/round-1/try-1@2' }), said);
      }),
    );
  });

  test('takes the seed from the end of a name', () => {
    assert.equal(seedOf('public-goods-community-s12'), '12');
    assert.equal(seedOf('notes7'), 'notes7');
  });

  test('draws with the mean and the deviation of the rule, apart for seeds, turns and subjects', () => {
    const places = Array.from({ length: 4000 }, (_, index) => ({
      world: `trial-s${index % 50}`,
      turn: 1 + (Math.floor(index / 50) % 20),
      key: `${['ada', 'ben', 'cleo', 'dan'][Math.floor(index / 1000)]}/act/round-1/try-1`,
    }));
    const drawn = places.map(amountOf);
    const mean = drawn.reduce((sum, one) => sum + one, 0) / drawn.length;
    const variance = drawn.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (drawn.length - 1);
    // Five standard errors on either side.
    assert.ok(Math.abs(mean - 12) < 0.24, `mean ${mean}`);
    assert.ok(Math.abs(Math.sqrt(variance) - 3) < 0.2, `deviation ${Math.sqrt(variance)}`);
    assert.ok(drawn.every((one) => Number.isInteger(one) && one >= 0 && one <= 20));
    assert.ok(new Set(drawn).size > 15);
  });

  test('picks each text as often as another, and applies a rule as often as its chance says', () => {
    const picks = { where: { key: KEY }, values: { word: { pick: ['a', 'b', 'c', 'd'] } }, answer: '{{word}}' };
    const rules = [
      { ...picks, chance: 0.5 },
      { where: { key: KEY }, chance: 0.5, answer: 'other' },
    ];
    const said = Array.from({ length: 4000 }, (_, seed) => ask(rules, { world: `trial-s${seed}` }));
    const count = (word: string): number => said.filter((one) => one === word).length;
    for (const word of ['a', 'b', 'c', 'd']) assert.ok(Math.abs(count(word) - 500) < 105, `${word} ${count(word)}`);
    assert.ok(Math.abs(count('other') - 1000) < 140, String(count('other')));
  });

  test('is asked by the messages of a model, or by the request of another source', () => {
    const messages = [
      { role: 'system', content: 'You are Ada.' },
      { role: 'user', content: [{ type: 'text', text: 'Give "all".' }] },
    ];
    assert.equal(promptOf({ messages }), 'You are Ada.\n[{"type":"text","text":"Give \\"all\\"."}]');
    assert.equal(promptOf({ turn: 1 }), '{"turn":1}');
  });
});
