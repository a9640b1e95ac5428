import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres, type TestServer } from '../../tools/postgres-server.js';
import type { Running } from '../acceptance/command.js';
import { openDice } from './dice.js';
import { extent, IS_THOROUGH } from '../support/extent.js';
import { type Fleet, kindsOf, openFleet, slowDown } from './fleet.js';
import { assertWhole } from './ledger.js';

const ENOUGH = { timeout: extent(240_000, 600_000) };
const ANSWER_MS = 80;
const [WORLDS, TURNS] = extent([3, 2], [8, 5]);
const dice = openDice();
/** A server of its own, for what befalls a whole server. */
let server: TestServer;

/** Tables that a driver writes at different moments of a turn. */
const FULL = ['source_invocations', 'llm_calls', 'attempt_events', 'turns', 'world_patches', 'agent_inbox'];

/** The faults of the database, again and again, in the middle of turns. */
const OUTAGES: Readonly<Record<string, Outage>> = {
  'killed and started again': { times: extent(1, 6), happen: () => restart('immediate') },
  ...extent<Readonly<Record<string, Outage>>>(
    {},
    { 'stopped in good order and started again': { times: 6, happen: () => restart('fast') } },
  ),
  'sending all its clients away': { times: extent(2, 20), happen: cutConnections },
  'without room for some tables, one after the other': { times: extent(1, FULL.length), happen: fillUp },
  'that may only be read for a while': { times: extent(1, 4), happen: (fleet) => shut(fleet, READ_ONLY) },
  'that lets nobody in for a while': { times: extent(1, 4), happen: (fleet) => shut(fleet, NOBODY) },
  'breaking off statements that wait for a lock': { times: extent(2, 12), happen: breakOff },
};

interface Outage {
  readonly times: number;
  readonly happen: (fleet: Fleet, time: number) => Promise<void>;
}

describe(`a database in the middle of turns, ${WORLDS} worlds and two workers (seed ${dice.seed})`, ENOUGH, () => {
  let fleet: Fleet;
  let workers: readonly Running[] = [];
  before(async () => {
    server = await startPostgres();
    fleet = await openFleet(server.url('postgres'));
    workers = await Promise.all([fleet.startWorker(), fleet.startWorker()]);
  });
  after(async () => {
    await fleet.close();
    await server.stop();
  });

  for (const [what, { times, happen }] of Object.entries(OUTAGES))
    test(`${what}: the workers wait for it, and every queued turn is done once`, async () => {
      fleet.toys.reset();
      slowDown(fleet, ANSWER_MS);
      const worlds = await fleet.makeWorlds(WORLDS);
      const inbox_ids: string[] = [];
      for (const world of worlds) inbox_ids.push(...(await fleet.queue(world, TURNS)));
      for (let time = 0; time < times; time += 1) {
        await wait(dice.below(800));
        await happen(fleet, time);
      }
      await fleet.untilDone();
      assertNobodyBroke(workers);
      await assertWhole(fleet, { worlds, inbox_ids });
    });

  test('the workers that lived through it all end in good order', async () => {
    await Promise.all(workers.map(fleet.stop));
  });
});

async function restart(how: 'fast' | 'immediate'): Promise<void> {
  await server.halt(how);
  await wait(dice.below(1_000));
  await server.resume();
}

async function cutConnections({ query }: Fleet): Promise<void> {
  await query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
}

interface Shutting {
  readonly shut: string;
  readonly open: string;
}

const READ_ONLY: Shutting = {
  shut: 'ALTER DATABASE postgres SET default_transaction_read_only = on',
  open: 'ALTER DATABASE postgres RESET default_transaction_read_only',
};

const NOBODY: Shutting = { shut: 'ALTER ROLE postgres NOLOGIN', open: 'ALTER ROLE postgres LOGIN' };

/** Connections that are made from now on find it shut, and all others are cut but our own. */
async function shut(fleet: Fleet, { shut: close, open }: Shutting): Promise<void> {
  await fleet.query(close);
  await cutConnections(fleet);
  await wait(1_500);
  await fleet.query(open);
}

async function breakOff({ query }: Fleet, time: number): Promise<void> {
  await query(`
    BEGIN; LOCK TABLE ${FULL[time % FULL.length]} IN EXCLUSIVE MODE; SELECT pg_sleep(0.3);
    SELECT pg_cancel_backend(pid) FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database(); COMMIT`);
}

/** For a while, one table cannot be written. */
async function fillUp({ query }: Fleet, time: number): Promise<void> {
  const table = FULL[time % FULL.length];
  await query(`
    CREATE OR REPLACE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION no_room()`);
  await wait(1_500);
  await query(`DROP TRIGGER no_room ON ${table}`);
}

/** Reporting a fault of the database is one thing, taking it for a fault of the program another. */
function assertNobodyBroke(workers: readonly Running[]): void {
  for (const worker of workers) assert.ok(!kindsOf(worker).includes('driver_broke'), worker.said());
  if (IS_THOROUGH)
    assert.ok(
      workers.some((worker) => kindsOf(worker).includes('database_found')),
      'nobody noticed',
    );
}
