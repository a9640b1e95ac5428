import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { waitUntil } from '../support/wait-until.js';
import { openDice } from './dice.js';
import { extent } from '../support/extent.js';
import { type Fleet, kindsOf, openFleet, slowDown } from './fleet.js';
import { assertWhole } from './ledger.js';

const WORKERS = 3;
const [ROUNDS, WORLDS, TURNS] = extent([1, 3, 2], [6, 10, 4]);
const ANSWER_MS = 200;
const dice = openDice();

test(`workers that are stopped all at once, ${ROUNDS} times, hand over their attempts, and none of it counts as a lost driver (seed ${dice.seed})`, {
  timeout: extent(120_000, 300_000),
}, async (context) => {
  const fleet = await openFleet();
  context.after(fleet.close);
  slowDown(fleet, ANSWER_MS);
  const worlds = await fleet.makeWorlds(WORLDS);
  const inbox_ids: string[] = [];
  for (const world of worlds) inbox_ids.push(...(await fleet.queue(world, TURNS)));
  const handed: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) handed.push(await stopAll(fleet));
  assert.ok(handed[0], 'nothing was under way when the workers were told to stop');
  const last = await fleet.startWorker(['--concurrency', '10']);
  await fleet.untilDone();
  await fleet.stop(last);
  const ends = await fleet.query(
    'SELECT status, max(take_overs) AS take_overs, count(*)::int AS count FROM attempts GROUP BY status',
  );
  assert.deepEqual(ends, [{ status: 'committed', take_overs: 0, count: WORLDS * TURNS }]);
  await assertWhole(fleet, { worlds, inbox_ids });
});

/** @returns how many attempts were handed over */
async function stopAll(fleet: Fleet): Promise<number> {
  const workers = await Promise.all(
    Array.from({ length: WORKERS }, () => fleet.startWorker(['--grace', '0', '--lease', '60'])),
  );
  await waitUntil(() =>
    workers.some((worker) => kindsOf(worker).some((kind) => kind === 'turn_began' || kind === 'turn_continued')),
  );
  await wait(dice.below(600));
  await Promise.all(workers.map(fleet.stop));
  return workers.flatMap(kindsOf).filter((kind) => kind === 'turn_handed_over').length;
}
