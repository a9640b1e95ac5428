import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { v7 } from 'uuid';
import { runWorker, type WorkerEvent } from '../../engine/operations/running/run-worker.js';
import type { Engine } from '../../engine/operations/engine.js';
import { loadScript, must, type ParkStage, sharedStage } from '../support/park-stage.js';

const ENOUGH = { timeout: 120_000 };

interface Worked {
  readonly events: readonly WorkerEvent[];
  /** How many messages the claims gave, in all. */
  readonly claimed: number;
  /** How often each member of the store was called. */
  readonly asked: Readonly<Record<string, number>>;
}

/** Queues turns of so many new worlds, and lets a worker do them all. */
async function work(stage: ParkStage, worlds: number, turns: number, concurrency: number): Promise<Worked> {
  stage.model.setScript(await everyTurn());
  const slugs: string[] = [];
  for (let made = 0; made < worlds; made += 1) slugs.push((await stage.makeWorld({ scenario: 'simple' })).world_slug);
  for (const world_slug of slugs)
    await stage.engine.store.inbox.enqueueTurns({ world_slug, inbox_ids: Array.from({ length: turns }, () => v7()) });
  const { engine, asked, counted } = watch(stage.engine);
  const events: WorkerEvent[] = [];
  const stop = new AbortController();
  const committed = () => events.filter(({ kind }) => kind === 'turn_committed').length;
  must(
    await runWorker(engine, {
      concurrency,
      grace_ms: 0,
      lease_ms: 30_000,
      worlds: slugs,
      signal: stop.signal,
      onReady: () => {},
      onEvent: (event) => {
        events.push(event);
        if (committed() === worlds * turns || event.kind === 'turn_failed') stop.abort();
      },
    }),
  );
  assert.equal(committed(), worlds * turns);
  return { events, claimed: counted.claimed, asked };
}

/** The engine, with the calls of its store counted. */
function watch(engine: Engine) {
  const asked: Record<string, number> = {};
  const counted = { claimed: 0 };
  const count = <Part extends object>(part: Part): Part =>
    Object.fromEntries(
      Object.entries(part).map(([name, member]: [string, unknown]) => [
        name,
        typeof member !== 'function'
          ? member
          : async (...given: readonly unknown[]) => {
              asked[name] = (asked[name] ?? 0) + 1;
              const answer: unknown = await Reflect.apply(member, part, given);
              if (name === 'claim') counted.claimed += (answer as readonly unknown[]).length;
              return answer;
            },
      ]),
    ) as Part;
  const { store, runtime } = engine;
  const parts = { ...store, inbox: count(store.inbox), pending: count(store.pending) };
  return {
    engine: {
      ...engine,
      store: { ...parts, worlds: count(store.worlds), components: count(store.components) },
      runtime: { ...runtime, attempts: count(runtime.attempts) },
    },
    asked,
    counted,
  };
}

/** The model's answers in the first turn of the simple scenario, in every turn. */
async function everyTurn() {
  const { turns, ...script } = await loadScript('simple');
  const [answers = {}] = Object.values(turns);
  return { ...script, turns: { '*': answers } };
}

describe('queued turns', () => {
  const open = sharedStage('PostgreSQL');
  test(
    'sixteen hands claim the first turn of each of eight worlds, and commits reserve the others',
    ENOUGH,
    async () => {
      const { claimed } = await work(await open(), 8, 5, 16);
      assert.equal(claimed, 8);
    },
  );

  test('two hands claim two turns of eight worlds, and commits take all others with them', ENOUGH, async () => {
    const { claimed } = await work(await open(), 8, 5, 2);
    assert.equal(claimed, 2);
  });

  test(
    'a worker reads a world and its scenario once, and takes each further turn with its first call',
    ENOUGH,
    async () => {
      const { asked } = await work(await open(), 1, 10, 2);
      const { find = 0, begin = 0, beginAsLeft = 0, writeCalls = 0, commit = 0, claim = 0 } = asked;
      assert.deepEqual(
        { begin, beginAsLeft, writeCalls, commit },
        { begin: 1, beginAsLeft: 9, writeCalls: 1, commit: 10 },
      );
      assert.ok(find <= 3, `worlds and components were read ${find} times`);
      assert.ok(claim <= 12, `${claim} claims`);
    },
  );

  test('a worker looks for calls that are out of time once a second at most', ENOUGH, async () => {
    const { asked } = await work(await open(), 2, 5, 2);
    assert.equal(asked['expire'] ?? 0, 0);
  });
});
