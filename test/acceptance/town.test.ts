import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../support/park-stage.js';

const TURNS = 7;

onEachDatabase('a town with memory, whose people think at once', (open) => {
  test('three thirds of a day follow each other by the state of things, and news reaches the market by the keeper alone', async () => {
    const stage = await open();
    const { after, attempts } = await stage.play({ scenario: 'town', turns: TURNS });
    assert.equal(after.turn, TURNS);
    const rememberedBy = (agent: string): readonly string[] =>
      after.entities.find(({ id }) => id === agent)?.memory.map(({ content }) => content) ?? [];
    const herring = rememberedBy('mara').flatMap((one) => /^I came home with (\d+) herring/.exec(one)?.[1] ?? []);
    assert.equal(herring.length, 2);
    const told = rememberedBy('elsa');
    assert.ok(told.includes(`Wim told me that Mara came home with ${herring[0]} herring.`), told.join('\n'));
    for (const { agent_turns } of attempts)
      assert.deepEqual(new Set(agent_turns.map(({ outcome }) => outcome)), new Set(['success']));
  });
});
