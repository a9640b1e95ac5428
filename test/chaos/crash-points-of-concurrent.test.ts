import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { runTurns } from '../../engine/operations/run-turns.js';
import { showWorld } from '../../engine/operations/worlds.js';
import { must } from '../support/park-stage.js';
import { assertNothingRuns } from './aftermath.js';
import { type Arena, openArena } from './arena.js';
import { extent } from './extent.js';
import { Died } from './mortal-driver.js';

/** The turn that dies: five villagers at once, of whom some change what others see, and one buys something. */
const TURN = 2;

/** How far apart the points are. */
const STRIDES = extent({ embedded: 6, PostgreSQL: 12 }, { embedded: 1, PostgreSQL: 1 });

for (const kind of ['embedded', 'PostgreSQL'] as const) {
  describe(`a driver that dies after any of its steps with five subjects in flight (${kind})`, () => {
    let arena: Arena;
    before(async () => {
      arena = await openArena(kind);
    });
    after(() => arena.close());

    test('is followed by one that commits the turn once, with no side effect twice, or names the one in doubt', async () => {
      const undisturbed = await playDying(arena, Infinity);
      assert.equal(undisturbed.status, 'committed');
      for (let life = 1; life < undisturbed.steps; life += STRIDES[kind]) {
        const death = await playDying(arena, life);
        const where = `dead after step ${life} of ${undisturbed.steps}`;
        assert.ok(death.sales.length <= undisturbed.sales.length, `${where}: something was bought twice`);
        if (death.status === 'failed') assert.equal(death.failure_class, 'interrupted', where);
        else {
          assert.deepEqual([death.status, death.attempts], ['committed', 1], where);
          assert.deepEqual([death.world, death.sales], [undisturbed.world, undisturbed.sales], where);
          assert.deepEqual(
            death.unnoted,
            undisturbed.unnoted,
            `${where}: a call of a discarded run is not noted as superseded`,
          );
        }
      }
    });
  });
}

/** Plays a fresh village to the turn before, then that turn by a driver that dies after so many steps, and one that lives. */
async function playDying(arena: Arena, life: number) {
  const world_slug = await arena.makeWorld('village');
  await play(arena, { world_slug, life: Infinity, turns: TURN - 1 });
  const before = arena.stage.toys.vending.served.length;
  const steps = await play(arena, { world_slug, life, turns: 1 });
  const { turn: stands } = must(await showWorld(arena.freshEngine(), { world_slug }));
  if (stands < TURN) await play(arena, { world_slug, life: Infinity, turns: 1 });
  const { records } = arena.freshStore();
  const attempts = (await records.attempts(world_slug)).filter(({ attempted_turn }) => attempted_turn === TURN);
  const attempt = (await records.attempt(attempts.at(-1)?.attempt_id ?? '')) ?? assert.fail();
  const { turn, environments, entities } = must(await showWorld(arena.freshEngine(), { world_slug }));
  await assertNothingRuns(arena, world_slug);
  const keys = attempt.invocations.map(({ command_key }) => command_key);
  const isRepeated = (key: string): boolean => keys.some((other) => other.startsWith(`${key}@`));
  return {
    steps,
    status: attempt.status,
    failure_class: attempt.failure_class,
    attempts: attempts.length,
    world: { turn, environments, entities },
    sales: arena.stage.toys.vending.served.slice(before).map(({ body }) => body),
    // A performance that was interrupted says by itself that nothing followed from it.
    unnoted: attempt.invocations.flatMap(({ command_key, is_superseded, status, performance }) =>
      isRepeated(command_key) && !is_superseded && status !== 'interrupted' ? [`${command_key} ${performance}`] : [],
    ),
  };
}

interface Life {
  readonly world_slug: string;
  readonly life: number;
  readonly turns: number;
}

/** @returns how many steps the driver took */
async function play(arena: Arena, { world_slug, life, turns }: Life): Promise<number> {
  const { engine, done } = arena.mortalEngine(life);
  const { signal } = new AbortController();
  const request = { world_slug, turns, signal, onProgress: () => {}, execution: 'per_subject_concurrent' as const };
  await runTurns(engine, request).catch((error: unknown) => {
    if (!(error instanceof Died)) throw error;
  });
  return done();
}
