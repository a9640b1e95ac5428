import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { IS_THOROUGH } from '../support/extent.js';
import { openDice } from './dice.js';
import { type Fleet, openFleet, slowDown, untilSaid } from './fleet.js';
import { assertWhole } from './ledger.js';

const WORKERS = 3;
const [KILLS, WORLDS] = [200, 20];
const HANDS = ['--concurrency', '3'];
/** Of each answer: a turn takes six of them, one after the other. */
const ANSWER_MS = 100;
/** How long a worker lives at most that has begun a turn. */
const LIFE_MS = 2_500;

const dice = openDice();

test(`workers killed ${KILLS} times over ${WORLDS} worlds do every queued turn once, and finish no call twice (seed ${dice.seed})`, {
  // Those of effects and hand-over kill workers in each run.
  skip: !IS_THOROUGH && 'npm run test:chaos kills so many workers',
  timeout: 840_000,
}, async (context) => {
  const fleet = await openFleet();
  context.after(fleet.close);
  slowDown(fleet, ANSWER_MS);
  const worlds = await fleet.makeWorlds(WORLDS);
  const supply = supplyTurns(fleet, worlds);
  let left = KILLS;
  const haunt = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const worker = await fleet.startWorker(HANDS);
      await untilSaid(worker, 'turn_began', 'turn_continued');
      await wait(dice.below(LIFE_MS));
      worker.kill('SIGKILL');
      await worker.ended;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, haunt));
  const inbox_ids = await supply.end();
  const survivors = await Promise.all(Array.from({ length: WORKERS }, () => fleet.startWorker(HANDS)));
  await fleet.untilDone();
  await Promise.all(survivors.map(fleet.stop));
  const take_overs = await countTakeOvers(fleet);
  assert.ok(take_overs >= KILLS / 2, `${KILLS} kills met ${take_overs} attempts`);
  await assertWhole(fleet, { worlds, inbox_ids });
});

/** Keeps a turn to be done in every world, and nothing in doubt, until it is stopped. */
function supplyTurns({ query, queue, settleDoubts }: Fleet, worlds: readonly string[]) {
  const ended = new AbortController();
  const inbox_ids: string[] = [];
  const supply = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await settleDoubts();
      const busy = await query<{ readonly slug: string }>(
        `SELECT world_slug AS slug FROM agent_inbox WHERE status IN ('queued', 'pending', 'deferred')
         GROUP BY world_slug HAVING count(*) > 1`,
      );
      const slugs = new Set(busy.map(({ slug }) => slug));
      for (const world of worlds) if (!slugs.has(world)) inbox_ids.push(...(await queue(world, 2)));
      await wait(100);
    }
  };
  const supplied = supply();
  return {
    end: async (): Promise<readonly string[]> => {
      ended.abort();
      await supplied;
      return inbox_ids;
    },
  };
}

async function countTakeOvers({ query }: Fleet): Promise<number> {
  const [row] = await query<{ readonly sum: string }>('SELECT sum(take_overs) AS sum FROM attempts');
  return Number(row?.sum);
}
