import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { decideCall } from '../../engine/operations/people/approvals.js';
import { askToStop, reportCall } from '../../engine/operations/settling/reports.js';
import { queueTurns, runWorker, type WorkerEvent } from '../../engine/operations/running/run-worker.js';
import { showWorld } from '../../engine/operations/worlds/worlds.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import { withFallback } from '../support/fallback-scene.js';
import { loadScript, must } from '../support/park-stage.js';
import { script } from '../acceptance/readings.js';
import { assertNothingRuns, attemptsOf, countEnded, withoutIds } from './aftermath.js';
import { type Arena, openArena, type Played } from './arena.js';
import { extent, KINDS } from '../support/extent.js';
import { Died } from './mortal-driver.js';

const ANSWER = { status: 'answered', from: 'Emil', body: 'I come with the first snow.', postage: 'paid' };
/** Of a stream, so that it is flushed while it streams. */
const PIECE_MS = 45;

/** The result of a world, without the parts that differ from run to run. */
async function look(arena: Arena, world_slug: string) {
  const attempts = await attemptsOf(arena, world_slug);
  const { turn, environments, entities } = must(await showWorld(arena.freshEngine(), { world_slug }));
  await assertNothingRuns(arena, world_slug);
  return {
    world: { turn, environments, entities },
    attempts: attempts.map((attempt) => ({
      attempted_turn: attempt.attempted_turn,
      status: attempt.status,
      patches: withoutIds(attempt.patches),
      audit: attempt.audit.map(({ audit_kind }) => audit_kind),
      ended: countEnded(attempt),
    })),
  };
}

/** Plays a turn whose driver dies after so many steps, to its end. @returns how many steps that driver took */
type Play<Outcome> = (life: number) => Promise<{ readonly steps: number; readonly outcome: Outcome }>;

/** After how many steps each driver dies later than the one before it. */
const STRIDE = extent(3, 1);

/** Plays a turn once in peace, and then again for steps of it. @returns the outcomes of those */
async function playDeaths<Outcome>(stride: number, play: Play<Outcome>) {
  const undisturbed = await play(Infinity);
  const deaths: { readonly where: string; readonly outcome: Outcome }[] = [];
  for (let life = 1; life < undisturbed.steps; life += stride) {
    const { outcome } = await play(life);
    deaths.push({ where: `dead after step ${life} of ${undisturbed.steps}`, outcome });
  }
  assert.ok(undisturbed.steps > 4, `there are only ${undisturbed.steps} steps, which is too few to die after`);
  return { undisturbed: undisturbed.outcome, deaths };
}

for (const kind of KINDS) {
  describe(`a driver that dies after any of its steps where something waits (${kind})`, () => {
    let arena: Arena;
    before(async () => {
      arena = await openArena(kind);
    });
    after(() => arena.close());

    test('a driver that dies on the way to a suspension is followed by one that suspends as well, or names the letter that is in doubt', async () => {
      const { undisturbed, deaths } = await playDeaths(STRIDE, async (life) => {
        const world_slug = await arena.makeWorld('letters');
        const played = await arena.play(world_slug, life);
        const { steps } = played;
        const next = steps === life ? await arena.play(world_slug, Infinity) : played;
        if (next.report?.turns[0]?.status === 'suspended') {
          await answer(next);
          await arena.play(world_slug, Infinity);
        }
        return { steps, outcome: await lookAtLetter(world_slug) };
      });
      const doubtful = deaths.filter(({ outcome }) => outcome.first?.status === 'failed');
      for (const { where, outcome } of doubtful) {
        assert.equal(outcome.first?.failure_class, 'interrupted', where);
        assert.equal(outcome.in_doubt, 'nora/act/round-1/try-1/tool', where);
      }
      for (const { where, outcome } of deaths)
        if (!doubtful.some((doubt) => doubt.where === where)) assert.deepEqual(outcome.left, undisturbed.left, where);
      // The call's start, and the answer that said that it comes later.
      if (STRIDE === 1) assert.equal(doubtful.length, 2);
    });

    test('a driver that dies in a turn that was suspended and answered is followed by one that handles the answer once', async () => {
      const { undisturbed, deaths } = await playDeaths(STRIDE, async (life) => {
        const world_slug = await arena.makeWorld('letters');
        await answer(await arena.play(world_slug, Infinity));
        const { steps } = await arena.play(world_slug, life);
        await goOn(world_slug);
        return { steps, outcome: await lookAtLetter(world_slug) };
      });
      for (const { where, outcome } of deaths) assert.deepEqual(outcome.left, undisturbed.left, where);
    });

    for (const decision of ['approved', 'denied'] as const)
      test(`a driver that dies before or after a call is ${decision} makes it once at most, and nobody is asked again`, async () => {
        const before_it = await playDeaths(STRIDE, async (life) => {
          const world_slug = await arena.makeWorld('bills');
          const played = await arena.play(world_slug, life);
          if (played.report === undefined) await arena.play(world_slug, Infinity);
          // Nobody is asked where the small bill is in doubt.
          if (await decideOn(world_slug, decision)) await arena.play(world_slug, Infinity);
          return { steps: played.steps, outcome: await lookAtBill(world_slug) };
        });
        const after_it = await playDeaths(1, async (life) => {
          const world_slug = await arena.makeWorld('bills');
          await arena.play(world_slug, Infinity);
          await decideOn(world_slug, decision);
          const { steps } = await arena.play(world_slug, life);
          await goOn(world_slug);
          return { steps, outcome: await lookAtBill(world_slug) };
        });
        const { undisturbed } = after_it;
        assert.deepEqual(undisturbed.asked, [['ida/act/round-2/try-1/tool', decision, 'ann']]);
        assert.equal(undisturbed.paid, decision === 'approved' ? 1 : 0);
        assert.deepEqual(before_it.undisturbed, undisturbed);
        for (const { where, outcome } of before_it.deaths)
          if (outcome.left.attempts[0]?.status === 'failed')
            assert.deepEqual([outcome.asked, outcome.paid], [[], 0], where);
          else assert.deepEqual(outcome, undisturbed, where);
        const doubtful = after_it.deaths.filter(({ outcome }) => outcome.left.attempts[0]?.status === 'failed');
        for (const { where, outcome } of after_it.deaths) {
          assert.deepEqual(outcome.asked, undisturbed.asked, where);
          if (doubtful.some((doubt) => doubt.where === where)) assert.ok(outcome.paid <= 1, where);
          else assert.deepEqual(outcome, undisturbed, where);
        }
        // The start of the payment, and its answer.
        assert.equal(doubtful.length, decision === 'approved' ? 2 : 0);
      });

    test('a driver that dies with an answer and a request to stop is followed by one that makes no further call', async () => {
      const world_slug = await arena.makeWorld('tools');
      const { model, toys } = arena.stage;
      await arena.play(world_slug, () => model.requests.length > 0);
      const [open] = await attemptsOf(arena, world_slug);
      must(await askToStop(arena.freshEngine(), open?.attempt_id ?? ''));
      const { report } = await arena.play(world_slug, Infinity);
      const [turn] = report?.turns ?? [];
      assert.deepEqual([turn?.attempt_id, turn?.status], [open?.attempt_id, 'failed']);
      assert.deepEqual([model.requests.length, toys.vending.served.length], [1, 0]);
      await assertNothingRuns(arena, world_slug);
    });

    test('a driver that dies with queued turns, from their claim on, is followed by one that does each of them once', async () => {
      const { undisturbed, deaths } = await playDeaths(STRIDE, async (life) => {
        const world_slug = await arena.makeWorld('simple');
        must(await queueTurns(arena.freshEngine(), { world_slug, turns: 2 }));
        const steps = await work(arena, life);
        await letTimePass(arena);
        await work(arena, Infinity);
        return { steps, outcome: await look(arena, world_slug) };
      });
      assert.deepEqual(
        undisturbed.attempts.map(({ status }) => status),
        ['committed', 'committed'],
      );
      for (const { where, outcome } of deaths) assert.deepEqual(outcome, undisturbed, where);
    });

    test('a driver that dies in a turn with a long stream, also while it streams, is followed by one that commits the same turn', async () => {
      const { undisturbed, deaths } = await playDeaths(STRIDE, async (life) => {
        const world_slug = await arena.makeWorld('simple');
        arena.stage.model.onPiece(() => wait(PIECE_MS));
        const { steps } = await arena.play(world_slug, life);
        arena.stage.model.onPiece(async () => {});
        await goOn(world_slug);
        return { steps, outcome: await look(arena, world_slug) };
      });
      // Lease, start, answer and commit are four steps: without a flush there are too few of them.
      for (const { where, outcome } of deaths) assert.deepEqual(outcome, undisturbed, where);
    });

    test('a driver that dies between a first source that fails and its fallback is followed by one that asks no source again that has ended', async (context) => {
      const workflows = await withFallback(context);
      const first = 'bob/act/round-1/try-1';
      const [patch] = Object.values((await loadScript('simple')).turns['1'] ?? {});
      assert.ok(patch);
      const says = script({ [first]: { status: 503 }, [`${first}/fallback`]: patch });
      const { undisturbed, deaths } = await playDeaths(1, async (life) => {
        const world_slug = await arena.makeWorld('simple', { workflows, says });
        const { steps } = await arena.play(world_slug, life);
        await goOn(world_slug);
        return { steps, outcome: await look(arena, world_slug) };
      });
      assert.deepEqual(undisturbed.attempts[0]?.ended, { [first]: 1, [`${first}/fallback`]: 1 });
      for (const { where, outcome } of deaths) assert.deepEqual(outcome, undisturbed, where);
    });

    test('a driver that dies in a pipeline with a gate is followed by one that asks no model, and no gate, again that has ended', async () => {
      const { undisturbed, deaths } = await playDeaths(STRIDE, async (life) => {
        const world_slug = await arena.makeWorld('notice-board');
        const { steps } = await arena.play(world_slug, life);
        await goOn(world_slug);
        return { steps, outcome: await look(arena, world_slug) };
      });
      assert.equal(undisturbed.attempts[0]?.ended['mara/synthesize/round-1/try-2/gate/try-1'], 1);
      for (const { where, outcome } of deaths) assert.deepEqual(outcome, undisturbed, where);
    });

    async function answer({ report }: Played): Promise<void> {
      const call = report?.awaited?.[0]?.source_invocation_id ?? assert.fail('nothing is awaited');
      const said = await reportCall(arena.freshEngine(), call, { kind: 'answered', value: ANSWER });
      assert.equal(must(said).accepted, true);
    }

    /** @returns false where nobody is asked */
    async function decideOn(world_slug: string, decision: 'approved' | 'denied'): Promise<boolean> {
      const engine = arena.freshEngine();
      const [waiting] = await engine.store.approvals.list({ world_slug, status: 'waiting', limit: 1 });
      if (waiting === undefined) return false;
      const { approval_id } = waiting;
      return must(await decideCall(engine, { approval_id, decision, decided_by: 'ann', reason: 'so it is' })).accepted;
    }

    /** Who was asked for what, and how often the bill was paid of which they were. */
    async function lookAtBill(world_slug: string) {
      const left = await look(arena, world_slug);
      const approvals = await arena.freshStore().approvals.list({ world_slug, limit: 10 });
      const asked = approvals.map(({ command_key, status, decided_by }) => [command_key, status, decided_by]);
      const paid = arena.stage.toys.office.served.filter(({ body }) => JSON.stringify(body).includes('480')).length;
      return { left, asked, paid };
    }

    /** Lets a driver that lives do what one that died has left, if anything is. */
    async function goOn(world_slug: string): Promise<void> {
      const attempts = await attemptsOf(arena, world_slug);
      if (attempts.every(({ status }) => status !== 'committed')) await arena.play(world_slug, Infinity);
    }

    /** In every case, the post was given at most one letter for each attempt. */
    async function lookAtLetter(world_slug: string) {
      const left = await look(arena, world_slug);
      const [first]: readonly (AttemptRecord | undefined)[] = await attemptsOf(arena, world_slug);
      assert.ok(arena.stage.toys.post.served.length <= left.attempts.length, 'a letter was sent twice');
      const in_doubt = first?.invocations.find(
        ({ source_invocation_id }) => source_invocation_id === first.failed_source_invocation_id,
      )?.command_key;
      return { left, first, in_doubt };
    }
  });
}

/** Lets a worker work until nothing is left, or until it dies. @returns its steps */
async function work(arena: Arena, life: number): Promise<number> {
  const { engine, done } = arena.mortalEngine(life);
  const stop = new AbortController();
  const onEvent = ({ kind }: WorkerEvent): void => {
    if (kind === 'driver_broke') stop.abort();
  };
  const settings = { concurrency: 1, grace_ms: 0, lease_ms: 30_000, onEvent, onReady: () => {} };
  const watched = watch(arena, stop);
  try {
    must(await runWorker(engine, { ...settings, signal: stop.signal }));
  } catch (error) {
    if (!(error instanceof Died)) throw error;
  } finally {
    stop.abort();
    await watched;
  }
  return done();
}

async function watch(arena: Arena, stop: AbortController): Promise<void> {
  const { inbox } = arena.freshStore();
  while (!stop.signal.aborted) {
    if ((await inbox.count()).length === 0) stop.abort();
    await wait(20);
  }
}

/** Leases end, and so does what a claim reserves. */
async function letTimePass({ database }: Arena): Promise<void> {
  await database.outside.query('UPDATE worlds SET lease_until = now() WHERE lease_attempt_id IS NOT NULL');
  await database.outside.query(
    "UPDATE agent_inbox SET next_retry_at = now() WHERE status = 'pending' AND next_retry_at < 'infinity'",
  );
}
