import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v7 } from 'uuid';
import type { AttemptLease, Reserved, Written } from '../../engine/ports/attempts.js';
import type { Store } from '../../engine/store/open-store.js';
import { forEachDatabase } from '../support/databases.js';
import { isHeldUp } from './held-up.js';
import {
  answered,
  batch,
  begin,
  beginning,
  committing,
  contentsOf,
  endLease,
  failing,
  generationStart,
  makeWorld,
  message,
  NOON,
  patchOf,
  pended,
  pendingStart,
  refused,
  toyStart,
  finishCall,
  startCall,
} from './record-fixtures.js';

const SYSTEM = message('system', 'author', 'You are Zoe.');

forEachDatabase('an overtaken driver', (open) => {
  const writes: Readonly<
    Record<string, (store: Store, lease: AttemptLease, open: Opened) => Promise<Written | Reserved>>
  > = {
    'starts no call': (store, lease) => startCall(store, lease, toyStart('late', 9)),
    'starts no generation': (store, lease) =>
      startCall(store, lease, generationStart(9, [message('user', 'subject', 'never said')], 9)),
    'writes no refusal': (store, lease) => {
      const start = toyStart('late', 9);
      return startCall(store, lease, { ...start, refused: refused(start) });
    },
    'flushes no chunk': (store, lease, { generation }) =>
      store.attempts.flushChunks(lease, generation.llm_call_id, batch(1, ['late'])),
    'finishes no call': (store, lease, { toy }) => finishCall(store, lease, answered(toy, {})),
    'finishes no generation': (store, lease, { generation }) =>
      finishCall(store, lease, answered(generation, { text: 'late', finish_reason: 'stop' })),
    'pends no call': async (store, lease, { toy }) => {
      const written = await store.attempts.pendCall(lease, toy.source_invocation_id, pended(toy));
      return written === 'overtaken' ? written : 'written';
    },
    'lets nothing rest': async (store, lease) =>
      (await store.attempts.suspend(lease, { at: NOON, agents: [] })) === 'overtaken' ? 'overtaken' : 'written',
    'takes in no message': (store, lease) => store.attempts.discard(lease, lease.attempt_id),
    'commits nothing': (store, lease, { generation }) =>
      store.attempts.commit(lease, committing(generation, [patchOf({ before: 'rested', after: 'tired' })])),
    'fails nothing': async (store, lease) =>
      (await store.attempts.fail(lease, failing())) === 'overtaken' ? 'overtaken' : 'written',
    'renews nothing': (store, lease) => store.attempts.renew(lease, 1_000_000),
  };

  interface Opened {
    readonly toy: ReturnType<typeof toyStart>;
    readonly generation: ReturnType<typeof generationStart>;
  }

  for (const [name, write] of Object.entries(writes)) {
    test(name, async () => {
      const { store, outside } = await open();
      const slug = name.replaceAll(' ', '-');
      await makeWorld(store, slug);
      const { lease } = await begin(store, slug);
      const opened = { toy: pendingStart('a', 1), generation: generationStart(2, [SYSTEM]) };
      await startCall(store, lease, opened.toy);
      await startCall(store, lease, opened.generation);
      await endLease(outside, slug);
      await begin(store, slug);
      const before = await contentsOf(outside);
      assert.equal(await write(store, lease, opened), 'overtaken');
      assert.equal(await contentsOf(outside), before);
    });
  }

  test('an overtaken driver writes nothing either once its attempt has ended', async () => {
    const { store } = await open();
    await makeWorld(store, 'ended');
    const { lease } = await begin(store, 'ended');
    await store.attempts.fail(lease, failing());
    assert.equal(await startCall(store, lease, toyStart('late', 1)), 'overtaken');
  });

  test('an overtaken driver waits at the fence while the world is being taken, and then writes nothing', async () => {
    const { store, kind, database, outside } = await open();
    if (kind === 'embedded') return;
    await makeWorld(store, 'race');
    const { lease } = await begin(store, 'race');
    const taker = await database.pool.connect();
    const late = (async () => {
      try {
        await taker.query('BEGIN');
        await taker.query(`SELECT FROM worlds WHERE world_slug = 'race' FOR UPDATE`);
        const write = startCall(store, lease, toyStart('late', 1));
        assert.equal(await isHeldUp(write, outside), true);
        await taker.query(`UPDATE worlds SET lease_epoch = lease_epoch + 1 WHERE world_slug = 'race'`);
        await taker.query('COMMIT');
        return await write;
      } finally {
        taker.release(true);
      }
    })();
    assert.equal(await late, 'overtaken');
    assert.equal((await store.records.attempt(lease.attempt_id))?.source_invocation_count, 0);
  });

  test('two drivers that begin at once get one lease', async () => {
    const { store, anotherStore } = await open();
    await makeWorld(store, 'rivals');
    const rivals = [store, await anotherStore(), store, await anotherStore()];
    const outcomes = await Promise.all(rivals.map((rival) => rival.attempts.begin(beginning('rivals'), () => true)));
    assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['begun', 'held', 'held', 'held']);
  });

  test('no text streams into a generation that is not there', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'streams');
    const { lease } = await begin(store, 'streams');
    const before = await contentsOf(outside);
    await assert.rejects(store.attempts.flushChunks(lease, v7(), batch(1, ['lost'])), /did not find all calls/);
    assert.equal(await contentsOf(outside), before);
  });
});
