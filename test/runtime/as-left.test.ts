import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadScenario } from '../../engine/operations/running/load-program.js';
import { createWorld, timeAt } from '../../engine/operations/worlds/worlds.js';
import type { AttemptStore, LeftWorld } from '../../engine/ports/attempts.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import type { Progress } from '../../engine/runtime/progress.js';
import type { AttemptEnd, AttemptRequest } from '../../engine/runtime/attempt-request.js';
import { runAttempt } from '../../engine/runtime/run-attempt.js';
import { loadScript, must, type ParkStage, sharedStage } from '../support/park-stage.js';

// A driver that continues with the world that it has just left takes it by the statement that writes the first calls,
// and does not read it. It is an optimisation, and changes no result.

interface RunTurn {
  readonly end: AttemptEnd;
  /** The ways in which attempts began, in order. */
  readonly beginnings: readonly string[];
  readonly progress: readonly Progress[];
}

/** Runs a world's next turn, and tells how it began. */
async function runNext(
  { engine }: ParkStage,
  { world_slug, scenario_hash }: WorldSnapshot,
  otherwise: Partial<AttemptRequest> = {},
  broken: Partial<AttemptStore> = {},
): Promise<RunTurn> {
  const { program, scenario } = must(await loadScenario(engine, scenario_hash));
  const beginnings: string[] = [];
  const progress: Progress[] = [];
  const attempts = { ...engine.runtime.attempts, ...broken };
  const watched: AttemptStore = {
    ...attempts,
    begin: async (...given) => {
      beginnings.push('read');
      return attempts.begin(...given);
    },
    beginAsLeft: async (...given) => {
      const written = await attempts.beginAsLeft(...given);
      beginnings.push(written === 'written' ? 'as left' : 'not as left');
      return written;
    },
  };
  const end = await runAttempt(
    { ...engine.runtime, attempts: watched },
    {
      world_slug,
      program,
      simulationTime: (turn) => timeAt(scenario, turn),
      signal: new AbortController().signal,
      onProgress: (event) => void progress.push(event),
      ...otherwise,
    },
  );
  return { end, beginnings, progress };
}

function leftBy({ end }: RunTurn): LeftWorld {
  return end.kind === 'committed' ? end.left : assert.fail(`the turn ended as ${JSON.stringify(end)}`);
}

/** A world of the simple scenario, after its first turn. */
async function leaveOne(open: () => Promise<ParkStage>) {
  const stage = await open();
  stage.model.setScript(await loadScript('simple'));
  const world = await stage.makeWorld({ scenario: 'simple' });
  return { stage, world, left: leftBy(await runNext(stage, world)) };
}

/** A world's contents as a reader finds them. */
async function readAs({ engine }: ParkStage, world: WorldSnapshot, event_turns = 0): Promise<LeftWorld['world']> {
  const holder = { host: 'reader', pid: 1 };
  const request = { holder, attempt_id: engine.runtime.clock.uuid(), started_at: 0, lease_ms: 1_000 };
  const adopt = () => ({ kind: 'adopts', source_invocation_ids: [] }) as const;
  const pinned = {
    scenario_hash: world.scenario_hash,
    renderer_version: 'reader',
    plugin_versions: {},
    event_turns,
    adopt,
  };
  const begun = await engine.runtime.attempts.begin(
    { ...request, ...pinned, world_slug: world.world_slug },
    () => true,
  );
  assert.ok(begun.kind === 'begun');
  return begun.world;
}

describe('a world that is gone on with as it was left', () => {
  const open = sharedStage('PostgreSQL');
  test('plays no turn after the last one that is asked for', async () => {
    const { stage, world, left } = await leaveOne(open);
    const second = await runNext(stage, world, { left, until_turn: 2 });
    assert.deepEqual(second.beginnings, ['as left']);
    const { end } = await runNext(stage, world, { left: leftBy(second), until_turn: 2 });
    assert.equal(end.kind, 'not_asked_for');
    assert.equal((await stage.world(world.world_slug)).turn, 2);
  });

  test('is not read again, and turns out as it would have', async () => {
    const stage = await open();
    stage.model.setScript(await loadScript('park'));
    const world = await stage.makeWorld({ scenario: 'park' });
    const read = await stage.makeWorld({ scenario: 'park' });
    let left: LeftWorld | undefined;
    for (let turn = 1; turn <= 6; turn += 1) {
      const ran = await runNext(stage, world, left === undefined ? {} : { left });
      assert.deepEqual(ran.beginnings, [left === undefined ? 'read' : 'as left']);
      left = leftBy(ran);
    }
    stage.toys.reset();
    stage.model.reset();
    stage.model.setScript(await loadScript('park'));
    for (let turn = 1; turn <= 6; turn += 1) await runNext(stage, read);
    const [one, other] = [await stage.world(world.world_slug), await stage.world(read.world_slug)];
    assert.deepEqual([one.turn, one.entities, one.environments], [6, other.entities, other.environments]);
    assert.ok(left !== undefined);
    const known = [...new Set(left.world.events.map(({ turn }) => turn))];
    assert.deepEqual(left.world, await readAs(stage, world, known.length));
  });

  test('is taken together with the queued turn that asks for it', async () => {
    const { stage, world, left } = await leaveOne(open);
    const { inbox, worlds } = stage.engine.store;
    const { world_slug } = world;
    const inbox_id = stage.engine.runtime.clock.uuid();
    await inbox.enqueueTurns({ world_slug, inbox_ids: [inbox_id] });
    const ran = await runNext(stage, world, { left, inbox_id });
    assert.deepEqual([ran.beginnings, ran.end.kind], [['as left'], 'committed']);
    assert.deepEqual(await inbox.queues(world_slug), []);
    assert.equal((await worlds.find(world_slug))?.turn, 2);
  });

  test('is left alone by a queued turn that was taken back', async () => {
    const { stage, world, left } = await leaveOne(open);
    const { inbox, worlds } = stage.engine.store;
    const { world_slug } = world;
    const inbox_id = stage.engine.runtime.clock.uuid();
    await inbox.enqueueTurns({ world_slug, inbox_ids: [inbox_id] });
    assert.equal(await inbox.takeBack(world_slug, 'enough'), 1);
    const ran = await runNext(stage, world, { left, inbox_id });
    assert.deepEqual([ran.beginnings, ran.end.kind], [['not as left', 'read'], 'not_asked_for']);
    assert.equal((await worlds.find(world_slug))?.turn, 1);
  });

  test('has the same rows: the attempt, its beginning before its calls, and its agents', async () => {
    const stage = await open();
    stage.model.setScript(await loadScript('park'));
    const world = await stage.makeWorld({ scenario: 'park' });
    const first = await runNext(stage, world);
    const second = await runNext(stage, world, { left: leftBy(first) });
    const third = await runNext(stage, world, { left: leftBy(second) });
    assert.ok(third.end.kind === 'committed');
    const record = await stage.engine.store.records.attempt(third.end.attempt_id);
    assert.deepEqual([record?.attempted_turn, record?.status, record?.epoch], [3, 'committed', 3]);
    assert.equal(record?.timeline[0]?.event_kind, 'attempt_began');
    assert.equal(record?.timeline[1]?.event_kind, 'call_started');
    assert.deepEqual(
      second.progress.slice(0, 2).map(({ kind }) => kind),
      ['attempt_began', 'call_started'],
    );
  });

  test('and that another driver has changed since is read again, and nothing of the first attempt to begin remains', async () => {
    const { stage, world, left } = await leaveOne(open);
    await runNext(stage, world);
    const asked = stage.model.requests.length;
    const ran = await runNext(stage, world, { left });
    assert.deepEqual(ran.beginnings, ['not as left', 'read']);
    assert.deepEqual([ran.end.kind, leftBy(ran).world.turn], ['committed', 3]);
    assert.equal((await stage.engine.store.records.attempts(world.world_slug)).length, 3);
    assert.equal(stage.model.requests.length - asked, asked / 2, 'the model was asked twice');
    assert.equal(ran.progress.filter(({ kind }) => kind === 'attempt_began').length, 1);
  });

  test('and that was deleted and made anew by that name is read', async () => {
    const { stage, world, left } = await leaveOne(open);
    const { world_slug, scenario_hash } = world;
    assert.equal((await stage.engine.store.worlds.delete(world_slug)).kind, 'deleted');
    must(await createWorld(stage.engine, { world_slug, scenario_hash }));
    await runNext(stage, world);
    const ran = await runNext(stage, world, { left });
    assert.deepEqual([ran.beginnings, leftBy(ran).world.turn], [['not as left', 'read'], 2]);
  });

  test('and that another driver holds is refused as ever', async () => {
    const { stage, world, left } = await leaveOne(open);
    await readAs(stage, world);
    const ran = await runNext(stage, world, { left });
    assert.deepEqual([ran.beginnings, ran.end.kind], [['not as left', 'read'], 'held']);
  });

  test('can be stopped before anything is asked, which is on record', async () => {
    const { stage, world, left } = await leaveOne(open);
    const ran = await runNext(stage, world, { left, signal: AbortSignal.abort() });
    assert.deepEqual(ran.beginnings, ['as left']);
    assert.equal(ran.end.kind === 'failed' && ran.end.failure.failure_class, 'stopped');
    const after = await runNext(stage, world, { left });
    assert.deepEqual(after.beginnings, ['not as left', 'read']);
    assert.equal(leftBy(after).world.turn, 2);
  });

  test('and whose driver breaks at its end is gone on with from the record, by one that reads it', async () => {
    const stage = await open();
    stage.model.setScript(await loadScript('park'));
    const world = await stage.makeWorld({ scenario: 'park' });
    let ran = await runNext(stage, world);
    for (let turn = 2; turn <= 4; turn += 1) ran = await runNext(stage, world, { left: leftBy(ran) });
    const left = leftBy(ran);
    await assert.rejects(
      runNext(stage, world, { left }, { commit: () => Promise.reject(new Error('broken')) }),
      /broken/,
    );
    const asked = stage.model.requests.length;
    const after = await runNext(stage, world, { left });
    assert.deepEqual([after.beginnings, leftBy(after).world.turn], [['not as left', 'read'], 5]);
    assert.equal(stage.model.requests.length, asked, 'the model was asked again');
    assert.equal((await stage.engine.store.records.attempts(world.world_slug)).length, 5);
  });

  test('whose beginning was written but not acknowledged is continued, too', async () => {
    const { stage, world, left } = await leaveOne(open);
    const { beginAsLeft } = stage.engine.runtime.attempts;
    const unanswered: AttemptStore['beginAsLeft'] = async (...given) => {
      await beginAsLeft(...given);
      throw new Error('the connection was lost');
    };
    const asked = stage.model.requests.length;
    await assert.rejects(runNext(stage, world, { left }, { beginAsLeft: unanswered }), /was lost/);
    assert.equal(stage.model.requests.length, asked, 'something went out');
    const after = await runNext(stage, world);
    assert.equal(leftBy(after).world.turn, 2);
    assert.equal((await stage.engine.store.records.attempts(world.world_slug)).length, 2);
  });
});
