import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import type { Answers } from '../../fixtures/toys/scripted-model/index.js';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { showWorld } from '../../engine/operations/worlds/worlds.js';
import { type Edit, editWorkflows, must } from '../support/park-stage.js';
import { finalPatch, setState, toolCall } from '../support/turn-player.js';
import { assertNothingRuns } from './aftermath.js';
import { type Arena, openArena, type Staged } from './arena.js';
import { extent, KINDS } from '../support/extent.js';
import { Died } from './mortal-driver.js';

/** How far apart the points are. */
const STRIDE = extent(10, 1);

/** The first four see each other, and the first of them buys something; each of the others is alone. */
const TOGETHER = ['bob', 'ann', 'cai', 'dot'];
const SUBJECTS = [...TOGETHER, 'eve', 'fay', 'gil', 'hal'];

const placeOf = (id: string): string => (TOGETHER.includes(id) ? 'park' : `${id}_home`);

const toCrowd: Edit = (scenario) => ({
  ...scenario,
  environments: [...new Set(SUBJECTS.map(placeOf))].map((label) => ({ label, content: 'Quiet.' })),
  entities: [
    ...SUBJECTS.map((id) => ({ id, name: id, kind: 'agent', environment: placeOf(id), state: 'idle' })),
    { id: 'vending_machine', name: 'Vending machine', kind: 'prop', environment: 'park', state: 'lit' },
  ],
  cognition: (scenario['cognition'] as readonly JsonObject[]).map((part) => ({ ...part, subjects: SUBJECTS })),
});

const toConcurrent: Edit = (workflow) => ({ ...workflow, execution: 'per_subject_concurrent' });

const BUYS = toolCall('buy_candy', { actor_id: 'bob', machine_id: 'vending_machine', button: 'C' });

const SAYS: Answers = {
  version: 1,
  label: 'a crowd',
  turns: {
    '1': {
      ...Object.fromEntries(
        SUBJECTS.map((id) => [`${id}/act/round-1/try-1`, { json: finalPatch([setState(id, 'at work')]) }]),
      ),
      'bob/act/round-1/try-1': { json: BUYS },
      'bob/act/round-2/try-1': { json: finalPatch([setState('vending_machine', 'empty')]) },
    },
  },
};

async function stageCrowd(context: TestContext): Promise<Staged> {
  const edits = { 'one-candy-bar/scenario.json': toCrowd, 'tools/workflow.json': toConcurrent };
  return { workflows: await editWorkflows(context, edits), says: SAYS };
}

for (const kind of KINDS) {
  describe(`a driver that dies after any of its steps with eight subjects in flight (${kind})`, () => {
    let arena: Arena;
    before(async () => {
      arena = await openArena(kind);
    });
    after(() => arena.close());

    test('a driver that dies after any of its steps with eight subjects in flight is followed by one that commits the turn once, with no side effect twice, or names the one in doubt', async (context) => {
      const staged = await stageCrowd(context);
      const undisturbed = await playDying(arena, staged, Infinity);
      assert.equal(undisturbed.status, 'committed');
      assert.equal(undisturbed.sales.length, 1);
      assert.ok(undisturbed.superseded > 0, 'nobody changed what another had read');
      for (let life = 1; life < undisturbed.steps; life += STRIDE) {
        const death = await playDying(arena, staged, life);
        const where = `dead after step ${life} of ${undisturbed.steps}`;
        assert.ok(death.sales.length <= undisturbed.sales.length, `${where}: something was bought twice`);
        if (death.status === 'failed') assert.equal(death.failure_class, 'interrupted', where);
        else {
          assert.deepEqual([death.status, death.attempts], ['committed', 1], where);
          assert.deepEqual([death.world, death.sales], [undisturbed.world, undisturbed.sales], where);
          assert.deepEqual(death.unnoted, [], `${where}: a call of a discarded run is not noted as superseded`);
        }
      }
    });
  });
}

/** Plays the first turn of a fresh crowd by a driver that dies after so many steps, and one that lives. */
async function playDying(arena: Arena, staged: Staged, life: number) {
  const world_slug = await arena.makeWorld('one-candy-bar', staged);
  const steps = await playTogether(arena, world_slug, life);
  const { turn: stands } = must(await showWorld(arena.freshEngine(), { world_slug }));
  arena.stage.model.onRequest(async () => {});
  if (stands < 1) await play(arena, world_slug, Infinity);
  const { records } = arena.freshStore();
  const attempts = await records.attempts(world_slug);
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
    sales: arena.stage.toys.vending.served.map(({ body }) => body),
    superseded: attempt.superseded_call_count,
    // A performance that was interrupted says by itself that nothing followed from it.
    unnoted: attempt.invocations.flatMap(({ command_key, is_superseded, status, performance }) =>
      isRepeated(command_key) && !is_superseded && status !== 'interrupted' ? [`${command_key} ${performance}`] : [],
    ),
  };
}

/** The model answers nobody until all subjects have asked it, or the driver has gone. @returns how many steps that took */
async function playTogether(arena: Arena, world_slug: string, life: number): Promise<number> {
  const { model } = arena.stage;
  let answerAll = (): void => {};
  const asked = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  model.onRequest(async () => {
    if (model.requests.length >= SUBJECTS.length) answerAll();
    await asked;
  });
  return play(arena, world_slug, life).finally(answerAll);
}

/** @returns how many steps the driver took */
async function play(arena: Arena, world_slug: string, life: number): Promise<number> {
  const { engine, done } = arena.mortalEngine(life);
  const { signal } = new AbortController();
  await runTurns(engine, { world_slug, turns: 1, signal, onProgress: () => {} }).catch((error: unknown) => {
    if (!(error instanceof Died)) throw error;
  });
  return done();
}
