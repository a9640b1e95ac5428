import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findFault } from '../../engine/store/database-fault.js';
import { inTransaction } from '../../engine/store/database.js';
import { openServer } from '../../engine/store/server.js';
import { type Running, startChukwa, whileRunning } from '../acceptance/command.js';
import { waitUntil } from '../support/wait-until.js';
import { extent, IS_THOROUGH } from '../support/extent.js';
import { type Fleet, openFleet, untilSaid } from './fleet.js';
import { assertWhole } from './ledger.js';

const ENOUGH = { timeout: 120_000 };

type Listen = (fleet: Fleet, listener: () => Promise<void>) => void;

/** The wait in which a driver is paused. */
const WAITS_FOR: Readonly<Record<string, Listen>> = {
  'a tool that changes something': ({ toys }, listener) => toys.fountain.onRequest(listener),
  ...extent<Readonly<Record<string, Listen>>>(
    {},
    { 'an answer of its model': ({ model }, listener) => model.onRequest(listener) },
  ),
};

describe('a driver that was paused for longer than its lease, overtaken, and goes on', ENOUGH, () => {
  let fleet: Fleet;
  before(async () => {
    fleet = await openFleet();
  });
  after(() => fleet.close());

  for (const [what, listen] of Object.entries(WAITS_FOR))
    test(`a driver that was paused for longer than its lease, and overtaken meanwhile, writes nothing and says so, if it waited for ${what}`, async () => {
      const held = holdFirst((listener) => listen(fleet, listener));
      const [world_slug] = await fleet.makeWorlds(1);
      assert.ok(world_slug);
      const inbox_ids = await fleet.queue(world_slug, 1);
      const zombie = await fleet.startWorker();
      await whileRunning(zombie, waitUntil(held.isAsked));
      zombie.kill('SIGSTOP');
      const successor = await fleet.startWorker();
      await fleet.untilDone();
      await fleet.stop(successor);
      const rows = await allRows(fleet);
      held.release();
      zombie.kill('SIGCONT');
      await untilSaid(zombie, 'overtaken');
      await fleet.stop(zombie);
      assert.deepEqual(await allRows(fleet), rows);
      assert.doesNotMatch(zombie.said(), /turn_committed|turn_failed/);
      await assertWhole(fleet, { worlds: [world_slug], inbox_ids });
    });

  test('a driver that was paused for longer than its lease, and overtaken meanwhile, ends with 4 and says who has the world, if a person ran it', async () => {
    const held = holdFirst((listener) => fleet.model.onRequest(listener));
    const [world_slug] = await fleet.makeWorlds(1);
    assert.ok(world_slug);
    const zombie = startChukwa(['run', world_slug], fleet.variables);
    await whileRunning(zombie, waitUntil(held.isAsked));
    zombie.kill('SIGSTOP');
    await letLeasesEnd(fleet);
    await continueIt(fleet, world_slug);
    const rows = await allRows(fleet);
    held.release();
    zombie.kill('SIGCONT');
    const { code, stderr } = await zombie.ended;
    assert.equal(code, 4, stderr);
    assert.match(
      stderr.replaceAll(/\s+/g, ' '),
      /Another driver has taken over the world park-\d+; nothing was written/,
    );
    assert.deepEqual(await allRows(fleet), rows);
    await assertWhole(fleet, { worlds: [world_slug], inbox_ids: [] });
  });

  if (IS_THOROUGH)
    test('a driver that is paused while it takes a world over loses its connection, and another drives the world', async () => {
      const [world_slug] = await fleet.makeWorlds(1);
      assert.ok(world_slug);
      const inbox_ids = await fleet.queue(world_slug, 1);
      const opened = await openServer(fleet.url);
      assert.ok(opened.ok);
      const frozen = opened.value;
      let hasLocked = false;
      const frozenWork = inTransaction(frozen.pool, async (client) => {
        await client.query('SELECT FROM worlds WHERE world_slug = $1 FOR UPDATE', [world_slug]);
        hasLocked = true;
        await fleet.untilDone();
        await client.query('SELECT 1');
      });
      await waitUntil(() => hasLocked);
      const worker = await fleet.startWorker();
      await assert.rejects(frozenWork, (error) => findFault(error)?.kind === 'lost');
      await fleet.stop(worker);
      await frozen.close();
      await assertWhole(fleet, { worlds: [world_slug], inbox_ids });
    });

  async function continueIt({ query }: Fleet, world_slug: string): Promise<void> {
    const successor: Running = await fleet.startWorker();
    await whileRunning(
      successor,
      waitUntil(
        async () => (await query('SELECT FROM worlds WHERE world_slug = $1 AND turn = 1', [world_slug])).length === 1,
      ),
    );
    await fleet.stop(successor);
  }
});

/** The first request gets no answer until it is released; every other at once. */
function holdFirst(listen: (listener: () => Promise<void>) => void) {
  let asked = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  listen(async () => {
    asked += 1;
    if (asked === 1) await released;
  });
  return { isAsked: () => asked > 0, release };
}

/** As if time went by: leases of people's runs are long. */
async function letLeasesEnd({ query }: Fleet): Promise<void> {
  await query('UPDATE worlds SET lease_until = now() WHERE lease_attempt_id IS NOT NULL');
}

/** Everything that the database holds. */
async function allRows({ query }: Fleet): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = await query<{ readonly name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  );
  assert.ok(tables.length > 20);
  const rows: [string, readonly string[]][] = [];
  for (const { name } of tables) {
    const found = await query<{ readonly row: string }>(`SELECT row::text AS row FROM "${name}" AS row ORDER BY 1`);
    rows.push([name, found.map(({ row }) => row)]);
  }
  return Object.fromEntries(rows);
}
