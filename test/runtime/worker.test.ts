import type { LeftWorld } from '../../engine/ports/attempts.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as pause } from 'node:timers/promises';
import { v7 } from 'uuid';
import { openProcessDoorbell } from '../../engine/doorbells/process.js';
import type { Doorbell } from '../../engine/ports/doorbell.js';
import type { Inbox } from '../../engine/ports/inbox.js';
import { composeWorld } from '../../engine/core/world/world.js';
import { Overtaken } from '../../engine/runtime/overtaken.js';
import { runWorker } from '../../engine/runtime/worker/run-worker.js';
import type { WorkerEvent } from '../../engine/runtime/worker/worker-event.js';
import type { Drive, WorkerParts } from '../../engine/runtime/worker/worker-parts.js';
import { begin, beginning, failing, makeWorld } from '../store/record-fixtures.js';
import { forEachDatabase, type TestDatabase } from '../support/databases.js';
import { waitUntil } from '../support/wait-until.js';

const LEFT: LeftWorld = {
  attempt_id: 'any',
  epoch: 1,
  request_mark: '0123456789ab',
  world: composeWorld({ slug: 'any', turn: 1, environments: [], entities: [], events: [] }),
  heads: new Map(),
};

const ENOUGH = { timeout: 30_000 };
const LOST = new Error('the database is gone');

/** A worker that works while something is looked at, and then stops. */
async function whileWorking(
  parts: Partial<WorkerParts> & Pick<WorkerParts, 'drive' | 'inbox'>,
  worlds: readonly string[],
  look: (events: readonly WorkerEvent[]) => Promise<void>,
): Promise<readonly WorkerEvent[]> {
  const events: WorkerEvent[] = [];
  const stop = new AbortController();
  const working = runWorker(
    {
      doorbell: openProcessDoorbell(),
      clock: { now: () => Date.now(), uuid: () => v7() },
      jitter: () => 0,
      expireCalls: async () => 0,
      findFault: (error) =>
        error === LOST ? { code: 'DATABASE_UNREACHABLE', message: 'gone', repair: 'Mend it.' } : undefined,
      onEvent: (event) => events.push(event),
      ...parts,
    },
    { concurrency: 2, grace_ms: 0, worlds },
    stop.signal,
  );
  try {
    await look(events);
  } finally {
    stop.abort();
    await working;
  }
  return events;
}

const kinds = (events: readonly WorkerEvent[]): readonly string[] => events.map(({ kind }) => kind);

forEachDatabase('a worker', (open) => {
  async function queue({ store }: TestDatabase, world_slug: string, turns = 1): Promise<void> {
    await makeWorld(store, world_slug);
    await store.inbox.enqueueTurns({ world_slug, inbox_ids: Array.from({ length: turns }, () => v7()) });
  }

  async function statusesOf({ outside }: TestDatabase, world: string): Promise<readonly string[]> {
    const rows = await outside.query<{ said: string }>(
      `SELECT status || coalesce(': ' || defer_reason, '') AS said FROM agent_inbox WHERE world_slug = $1
       ORDER BY inbox_id`,
      [world],
    );
    return rows.map(({ said }) => said);
  }

  test('a worker puts off what it cannot run, and comes back to it', ENOUGH, async () => {
    const database = await open();
    await queue(database, 'unfit');
    let tries = 0;
    const drive: Drive = async () => {
      tries += 1;
      return { kind: 'unfit', reason: 'NOT_SUPPORTED_YET: not yet', is_final: false };
    };
    const { inbox } = database.store;
    const events = await whileWorking({ drive, inbox }, ['unfit'], () => waitUntil(() => tries === 2));
    assert.deepEqual(await statusesOf(database, 'unfit'), ['deferred: NOT_SUPPORTED_YET: not yet']);
    assert.deepEqual(
      events.flatMap((event) => (event.kind === 'turn_deferred' ? event.delay_ms : [])),
      [250, 500],
    );
  });

  test('a worker puts off a turn that a call in doubt blocks, and prints how that is settled', ENOUGH, async () => {
    const database = await open();
    await queue(database, 'doubted');
    const doubt = { attempt_id: 'A', attempted_turn: 1, source_invocation_id: 'C', command_key: 'bob/act/tool' };
    let tries = 0;
    const drive: Drive = async () => {
      tries += 1;
      return { kind: 'in_doubt', ...doubt };
    };
    await whileWorking({ drive, inbox: database.store.inbox }, ['doubted'], () => waitUntil(() => tries === 2));
    assert.deepEqual(await statusesOf(database, 'doubted'), [
      'deferred: call bob/act/tool of attempt A is in doubt; if it took place, chukwa report C --result FILE, if not, chukwa report C --failed REASON',
    ]);
  });

  test('a worker gives up what can never be done, one turn after the other', ENOUGH, async () => {
    const database = await open();
    await queue(database, 'never', 3);
    const drive: Drive = async () => ({ kind: 'unfit', reason: 'the calendar is over', is_final: true });
    await whileWorking({ drive, inbox: database.store.inbox }, ['never'], async (events) =>
      waitUntil(() => kinds(events).length === 3),
    );
    assert.deepEqual(await statusesOf(database, 'never'), Array(3).fill('consumed: the calendar is over'));
  });

  test('a worker prints why a driver broke or was overtaken, and continues', ENOUGH, async () => {
    const database = await open();
    for (const world of ['broke', 'overtaken', 'fine']) await queue(database, world);
    const drive: Drive = async ({ world_slug }) => {
      if (world_slug === 'broke') throw new Error('a bug');
      if (world_slug === 'overtaken') throw new Overtaken();
      return { kind: 'committed', attempt_id: v7(), attempted_turn: 1, left: LEFT };
    };
    const worlds = ['broke', 'overtaken', 'fine'];
    const events = await whileWorking({ drive, inbox: database.store.inbox }, worlds, (events) =>
      waitUntil(() => events.length === 3),
    );
    assert.deepEqual([...kinds(events)].toSorted(), ['driver_broke', 'overtaken', 'turn_committed']);
  });

  test('a worker waits for a database that is gone, and prints that once', ENOUGH, async () => {
    const database = await open();
    await queue(database, 'gone');
    const { inbox } = database.store;
    const seen: string[] = [];
    let losses = 0;
    const claim: Inbox['claim'] = async (request) => {
      losses += 1;
      if (losses > 2) return inbox.claim(request);
      seen.push('lost');
      throw LOST;
    };
    const drive: Drive = async () => ({ kind: 'committed', attempt_id: v7(), attempted_turn: 1, left: LEFT });
    const onEvent = ({ kind }: WorkerEvent): void => void seen.push(kind);
    await whileWorking({ drive, inbox: { ...inbox, claim }, onEvent }, ['gone'], () =>
      waitUntil(() => seen.includes('turn_committed')),
    );
    assert.deepEqual(seen.slice(0, 3), ['lost', 'database_lost', 'lost']);
    assert.deepEqual(seen.slice(3).toSorted(), ['database_found', 'turn_committed']);
  });

  test('a worker continues an attempt that has lost its driver, and begins none by itself', ENOUGH, async () => {
    const database = await open();
    const { store, outside } = database;
    await makeWorld(store, 'lost');
    await begin(store, 'lost');
    await outside.query(`UPDATE worlds SET lease_until = now() WHERE world_slug = 'lost'`);
    const asked: unknown[] = [];
    const drive: Drive = async ({ world_slug, inbox_id, continues_only }) => {
      asked.push({ world_slug, inbox_id, continues_only });
      await outside.query(`UPDATE worlds SET lease_until = now() + interval '1 hour' WHERE world_slug = 'lost'`);
      return { kind: 'not_asked_for' };
    };
    await whileWorking({ drive, inbox: store.inbox }, ['lost'], () => waitUntil(() => asked.length > 0));
    assert.deepEqual(asked, [{ world_slug: 'lost', inbox_id: undefined, continues_only: true }]);
  });

  test(
    'a worker drives an attempt that two drivers have died of alone, and takes up others again afterwards',
    ENOUGH,
    async () => {
      const database = await open();
      const { store, outside } = database;
      const worlds = ['before', 'suspect', 'after'];
      await queue(database, 'before');
      const ends = new Map<string, () => void>();
      const driven: string[] = [];
      const drive: Drive = async ({ world_slug, inbox_id }) => {
        if (inbox_id !== undefined) await store.attempts.begin({ ...beginning(world_slug), inbox_id }, () => true);
        driven.push([...ends.keys(), world_slug].join(' beside '));
        await new Promise<void>((resolve) => ends.set(world_slug, resolve));
        ends.delete(world_slug);
        await outside.query(`UPDATE worlds SET lease_until = now() + interval '1 hour' WHERE world_slug = $1`, [
          world_slug,
        ]);
        return { kind: 'not_asked_for' };
      };
      let looks = 0;
      const glance: Inbox['glance'] = (within_ms) => {
        looks += 1;
        return store.inbox.glance(within_ms);
      };
      await whileWorking({ drive, inbox: { ...store.inbox, glance } }, worlds, async () => {
        await waitUntil(() => driven.length === 1);
        await makeWorld(store, 'suspect');
        await begin(store, 'suspect');
        await outside.query(`UPDATE attempts SET take_overs = 2 WHERE world_slug = 'suspect'`);
        await outside.query(`UPDATE worlds SET lease_until = now() WHERE world_slug = 'suspect'`);
        const seen = looks;
        await waitUntil(() => looks > seen + 1);
        await queue(database, 'after');
        await waitUntil(() => looks > seen + 3);
        ends.get('before')?.();
        await waitUntil(() => driven.length === 2);
        const left = looks;
        ends.get('suspect')?.();
        await waitUntil(() => driven.length === 3 && looks > left);
        ends.get('after')?.();
      });
      assert.deepEqual(driven, worlds);
    },
  );

  test('a worker drives a turn that it has claimed before the job of the turn before has ended', ENOUGH, async () => {
    const database = await open();
    await queue(database, 'next', 2);
    const { store } = database;
    let claimed = 0;
    const claim: Inbox['claim'] = async (request) => {
      const found = await store.inbox.claim(request);
      claimed += found.length;
      return found;
    };
    let driven = 0;
    const doorbell = openProcessDoorbell();
    const drive: Drive = async ({ world_slug, inbox_id }) => {
      const turn = (driven += 1);
      if (turn > 1) return { kind: 'committed', attempt_id: v7(), attempted_turn: turn, left: LEFT };
      const request = { ...beginning(world_slug), ...(inbox_id === undefined ? {} : { inbox_id }) };
      const begun = await store.attempts.begin(request, () => true);
      assert.ok(begun.kind === 'begun');
      await store.attempts.fail(begun.lease, failing());
      // Another message of the world rings while this job has not ended.
      doorbell.ring('elsewhere');
      await waitUntil(() => claimed === 2);
      return { kind: 'committed', attempt_id: v7(), attempted_turn: turn, left: LEFT };
    };
    await whileWorking({ drive, inbox: { ...store.inbox, claim }, doorbell }, ['next'], () =>
      waitUntil(() => driven === 2),
    );
    assert.equal(claimed, 2);
  });

  test('a worker whose commits take work along continues an attempt that has lost its driver', ENOUGH, async () => {
    const database = await open();
    const { store, outside } = database;
    const endless = ['endless-1', 'endless-2'];
    for (const world of endless) await queue(database, world, 2);
    await makeWorld(store, 'left');
    let driven = 0;
    let isContinued = false;
    const drive: Drive = async ({ world_slug, inbox_id, goesOn }) => {
      if (world_slug === 'left') {
        isContinued = true;
        await outside.query(`UPDATE worlds SET lease_until = now() + interval '1 hour' WHERE world_slug = 'left'`);
        return { kind: 'not_asked_for' };
      }
      driven += 1;
      // A model would let timers run meanwhile, as the embedded database does not.
      await pause();
      await store.inbox.enqueueTurns({ world_slug, inbox_ids: [v7()] });
      const request = { ...beginning(world_slug), ...(inbox_id === undefined ? {} : { inbox_id }) };
      const begun = await store.attempts.begin(request, () => true);
      assert.ok(begun.kind === 'begun');
      await store.attempts.fail(begun.lease, failing());
      const goes_on = goesOn?.();
      const [next] = goes_on === undefined ? [] : await store.inbox.claim({ most: 1, ...goes_on });
      const committed = { kind: 'committed', attempt_id: v7(), attempted_turn: 1, left: LEFT } as const;
      return next === undefined ? committed : { ...committed, next };
    };
    await whileWorking({ drive, inbox: store.inbox }, [...endless, 'left'], async () => {
      await waitUntil(() => driven > 4);
      await begin(store, 'left');
      await outside.query(`UPDATE worlds SET lease_until = now() WHERE world_slug = 'left'`);
      await waitUntil(() => isContinued);
    });
  });

  test('a worker that stops leaves what its last commit has reserved to others, at once', ENOUGH, async () => {
    const database = await open();
    const { inbox } = database.store;
    await queue(database, 'stopped');
    await queue(database, 'reserved');
    const reserve = () => inbox.claim({ most: 1, reserve_ms: 60_000, worlds: ['reserved'] });
    let is_driving = false;
    const drive: Drive = async ({ leave }) => {
      const [next] = await reserve();
      is_driving = true;
      await new Promise((resolve) => leave?.addEventListener('abort', resolve));
      const committed = { kind: 'committed', attempt_id: v7(), attempted_turn: 1, left: LEFT } as const;
      return { ...committed, next: next ?? assert.fail() };
    };
    await whileWorking({ drive, inbox }, ['stopped'], () => waitUntil(() => is_driving));
    assert.equal((await reserve()).length, 1);
  });

  test('a worker prints nothing of a doorbell that connects soon', ENOUGH, async () => {
    const database = await open();
    await makeWorld(database.store, 'soon');
    const faults: (string | undefined)[] = ['not connected yet', 'not connected yet', undefined, undefined];
    let asked = 0;
    const doorbell: Doorbell = { ...openProcessDoorbell(), findFault: () => faults[asked++] };
    const drive: Drive = async () => ({ kind: 'not_asked_for' });
    // By this clock, all looks are at one moment.
    const clock = { now: () => 0, uuid: () => v7() };
    const events = await whileWorking({ drive, inbox: database.store.inbox, doorbell, clock }, ['soon'], () =>
      waitUntil(() => asked >= faults.length),
    );
    assert.deepEqual(kinds(events), []);
  });

  test(
    'a worker prints why a doorbell is silent, again when the reason changes, and when it connects',
    ENOUGH,
    async () => {
      const database = await open();
      await makeWorld(database.store, 'why');
      const faults: readonly (string | undefined)[] = ['slow', 'slow', 'slow', 'refused', 'refused', undefined];
      let asked = 0;
      const doorbell: Doorbell = { ...openProcessDoorbell(), findFault: () => faults[asked++] };
      const drive: Drive = async () => ({ kind: 'not_asked_for' });
      // By this clock, each look at it is a second after the last.
      let now = 0;
      const clock = { now: () => (now += 1_000), uuid: () => v7() };
      const events = await whileWorking({ drive, inbox: database.store.inbox, doorbell, clock }, ['why'], () =>
        waitUntil(() => asked >= faults.length),
      );
      assert.deepEqual(
        events.map((event) => (event.kind === 'doorbell_lost' ? event.reason : event.kind)),
        ['slow', 'refused', 'doorbell_found'],
      );
    },
  );

  test('a worker with a silent doorbell polls', ENOUGH, async () => {
    const database = await open();
    await makeWorld(database.store, 'silent');
    const silent: Doorbell = { ...openProcessDoorbell(), listen: () => () => {}, findFault: () => 'nobody rings' };
    let driven = 0;
    const drive: Drive = async () => {
      driven += 1;
      return { kind: 'committed', attempt_id: v7(), attempted_turn: 1, left: LEFT };
    };
    const events = await whileWorking(
      { drive, inbox: database.store.inbox, doorbell: silent },
      ['silent'],
      async (events) => {
        await waitUntil(() => kinds(events).includes('doorbell_lost'));
        await database.store.inbox.enqueueTurns({ world_slug: 'silent', inbox_ids: [v7()] });
        await waitUntil(() => driven === 1);
      },
    );
    assert.deepEqual(kinds(events), ['doorbell_lost', 'turn_committed']);
  });
});
