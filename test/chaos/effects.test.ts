import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { extent } from '../support/extent.js';
import { openDice } from './dice.js';
import { type Fleet, openFleet, untilSaid } from './fleet.js';

// Every turn has a side effect. Services act and cut their answers, the model cuts its own, and workers are killed; doubts are
// settled by the services' books. However often a turn is tried, its side effect is made once.

const [KILLS, WORLDS, TURNS] = extent([4, 3, 3], [60, 12, 15]);
const WORKERS = 2;
const ANSWER_MS = 50;
/** One of so many answers is cut. */
const CUT_OF = 6;
/** How long a worker lives at most that has begun a turn. */
const LIFE_MS = 1_500;

const dice = openDice();

test(`workers killed ${KILLS} times, beside services and a model that cut every ${CUT_OF}th answer, make each side effect once (seed ${dice.seed})`, {
  timeout: extent(240_000, 1_200_000),
}, async (context) => {
  const fleet = await openFleet();
  context.after(fleet.close);
  cutAnswers(fleet);
  const worlds = await fleet.makeWorlds(WORLDS);
  const supply = supplyUntil(fleet, worlds, TURNS);
  let left = KILLS;
  const haunt = async (): Promise<void> => {
    for (; left > 0; left -= 1) {
      const worker = await fleet.startWorker();
      await Promise.race([untilSaid(worker, 'turn_began', 'turn_continued'), supply]);
      await wait(dice.below(LIFE_MS));
      worker.kill('SIGKILL');
      await worker.ended;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, haunt));
  const survivor = await fleet.startWorker();
  await supply;
  await fleet.untilDone();
  await fleet.stop(survivor);
  await assertEachOnce(fleet);
  await assertTroubled(fleet);
});

/** Each deed is done and counted; only its answer may be lost. The first answer of each service is lost for certain. */
function cutAnswers({ model, toys }: Fleet): void {
  for (const service of [model, toys.vending, toys.fountain, toys.phone]) {
    let answers = 0;
    service.onRequest(async () => {
      answers += 1;
      const is_cut = answers === 1 || dice.below(CUT_OF) === 0;
      await wait(ANSWER_MS);
      if (is_cut) throw new Error('the connection is cut');
    });
  }
}

/** Queues turns, and settles what is in doubt, until each world has committed so many. */
async function supplyUntil({ query, queue, settleDoubts }: Fleet, worlds: readonly string[], turns: number) {
  for (;;) {
    await settleDoubts();
    const idle = await query<{ readonly world_slug: string }>(
      `SELECT world_slug FROM worlds WHERE world_slug = ANY($1) AND turn < $2 AND NOT EXISTS (
         SELECT FROM agent_inbox WHERE agent_inbox.world_slug = worlds.world_slug AND agent_inbox.status <> 'consumed')`,
      [worlds, turns],
    );
    for (const { world_slug } of idle) await queue(world_slug, 1);
    const late = await query('SELECT FROM worlds WHERE world_slug = ANY($1) AND turn < $2', [worlds, turns]);
    if (late.length === 0) return;
    await wait(100);
  }
}

/** By what the services have in their books: a call has one name in all attempts at its turn. */
async function assertEachOnce({ query, toys }: Fleet): Promise<void> {
  const served = [toys.vending, toys.fountain, toys.phone].flatMap((toy) => toy.served);
  const asked = served.map(({ headers }) => String(headers['x-client-request-id']));
  // Phones are read as well.
  const names = asked.filter((name) => name.endsWith('/tool'));
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  assert.deepEqual(twice, [], 'a side effect was made twice');
  const committed = await query<{ readonly name: string }>(
    `SELECT world_slug || '~' || request_mark || '/turn-' || turns.turn || '/bob/act/round-1/try-1/tool' AS name
     FROM turns JOIN worlds USING (world_slug) WHERE turns.turn > 0`,
  );
  const missing = committed.filter(({ name }) => !names.includes(name));
  assert.deepEqual(missing, [], 'a turn was committed without its side effect');
}

/** Nothing would be shown by a run in which nothing went wrong. */
async function assertTroubled({ query }: Fleet): Promise<void> {
  const [row] = await query<{ readonly adopting: number; readonly settled: number }>(
    `SELECT (SELECT count(*)::int FROM attempts WHERE adopts IS NOT NULL) AS adopting,
       (SELECT count(*)::int FROM call_settlements) AS settled`,
  );
  assert.ok(row && row.adopting > 0 && row.settled > 0, `too little went wrong: ${JSON.stringify(row)}`);
}
