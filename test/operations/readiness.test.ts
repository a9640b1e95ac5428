import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from '../../engine/catalogue/act.js';
import { runTurns } from '../../engine/catalogue/actions/worlds.js';
import { toDesk } from '../../engine/operations/serving/serve.js';
import { sharedStage } from '../support/park-stage.js';

const open = sharedStage('PostgreSQL');

test('a server whose full database has refused a write is not ready for 30 seconds, and then looks again', async () => {
  const { engine, play } = await open();
  const { world_slug } = await play({ scenario: 'simple' });
  let now = engine.runtime.clock.now();
  let isFull = false;
  const begin: typeof engine.store.actions.begin = async (action) => {
    if (isFull) throw Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' });
    return engine.store.actions.begin(action);
  };
  const desk = toDesk({
    ...engine,
    store: { ...engine.store, actions: { ...engine.store.actions, begin } },
    runtime: { ...engine.runtime, clock: { ...engine.runtime.clock, now: () => now } },
  });
  const queue = () =>
    desk.act(ask(runTurns, { world_slug, turns: 1 }), { acted_by: 'ann', surface: 'http', address: '127.0.0.1' });
  assert.equal((await queue()).ok, true);
  assert.equal(await desk.isReady(), true);
  isFull = true;
  const refused = await queue();
  assert.equal(!refused.ok && refused.problems[0]?.code, 'DATABASE_FULL');
  assert.equal(await desk.isReady(), false);
  now += 29_000;
  assert.equal(await desk.isReady(), false);
  now += 2_000;
  assert.equal(await desk.isReady(), true);
});
