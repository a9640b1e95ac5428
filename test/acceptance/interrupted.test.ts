import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { RunReport } from '../../engine/operations/run-turns.js';
import type { AttemptRecord, AttemptSummary, LlmCallRecord, WorldSnapshot } from '../../engine/ports/records.js';
import { type ScriptedModel, startScriptedModel } from '../../fixtures/scripted-model/index.js';
import { loadScript, type ParkStage, sharedStage } from '../support/park-stage.js';
import { askChukwa, makeFolder, startChukwa, whileRunning } from './command.js';
import { callAt, keysOf, onlyAttempt, script } from './readings.js';

const FIRST = 'bob/act/round-1/try-1';
const HANGS = script({ [FIRST]: { fault: 'hang', text: '{"kind": "fin' } });

/** The attempt of a process that is gone: ended as interrupted, with every call that it left under way. */
function assertInterrupted(attempt: AttemptRecord, key: string): void {
  assert.deepEqual([attempt.status, attempt.failure_class], ['interrupted', 'interrupted']);
  assert.ok(attempt.ended_at !== null);
  const call = callAt(attempt, key);
  assert.deepEqual([call.status, call.failure_class], ['interrupted', 'interrupted']);
  assert.deepEqual(attempt.patches, []);
  assert.equal(attempt.timeline.at(-1)?.event_kind, 'attempt_interrupted');
}

describe('a process that is killed in the middle of a turn (PostgreSQL)', () => {
  const open = sharedStage('PostgreSQL');

  async function killWhileAsked(stage: ParkStage, world: WorldSnapshot, asked: Promise<void>): Promise<void> {
    const running = startChukwa(['run', world.world_slug, '--json'], stage.variables);
    await whileRunning(running, asked);
    const left = await countRunning(stage, world);
    running.kill('SIGKILL');
    await running.ended;
    assert.ok(left > 0, 'nothing was under way');
    assert.equal(await countRunning(stage, world), left, 'a dead process has tidied up');
  }

  async function countRunning({ outside }: ParkStage, { world_slug }: WorldSnapshot): Promise<number> {
    const [row] =
      (await outside?.query<{ readonly count: number }>(
        `SELECT (SELECT count(*) FROM attempts WHERE world_slug = $1 AND status = 'running')::int
           + (SELECT count(*) FROM source_invocations WHERE world_slug = $1 AND status = 'running')::int
           + (SELECT count(*) FROM llm_calls WHERE world_slug = $1 AND status = 'running')::int AS count`,
        [world_slug],
      )) ?? [];
    assert.ok(row);
    return row.count;
  }

  async function attemptsOf({ engine }: ParkStage, { world_slug }: WorldSnapshot): Promise<readonly AttemptRecord[]> {
    const summaries = await engine.store.records.attempts(world_slug);
    const records = await Promise.all(summaries.map(({ attempt_id }) => engine.store.records.attempt(attempt_id)));
    return records.flatMap((record) => record ?? []).toSorted((one, other) => one.epoch - other.epoch);
  }

  test('leaves running rows; the next run marks them interrupted, commits the turn, and leaves none', async () => {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'simple' });
    stage.model.setScript(HANGS);
    await killWhileAsked(stage, world, new Promise((resolve) => stage.model.onRequest(async () => resolve())));
    stage.model.setScript(await loadScript('simple'));
    const next = await stage.run(world);
    assert.equal(onlyAttempt(next).status, 'committed');
    assert.deepEqual([next.before.turn, next.after.turn], [0, 1]);
    const [dead, living, ...others] = await attemptsOf(stage, world);
    assert.ok(dead && living && others.length === 0);
    assertInterrupted(dead, FIRST);
    assert.equal((await stage.llmCall(callAt(dead, FIRST).llm_call_id)).status, 'interrupted');
    assert.deepEqual([dead.attempted_turn, living.attempted_turn], [1, 1]);
    assert.ok(living.epoch > dead.epoch);
    assert.deepEqual(
      next.progress.flatMap((event) => (event.kind === 'attempt_began' ? event.interrupted_attempts : [])),
      [dead.attempt_id],
    );
    assert.equal(await countRunning(stage, world), 0);
  });

  test('is tidied up after by a run of any other world once its lease has ended', async () => {
    const stage = await open();
    const [world, other] = [
      await stage.makeWorld({ scenario: 'simple' }),
      await stage.makeWorld({ scenario: 'simple' }),
    ];
    stage.model.setScript(HANGS);
    await killWhileAsked(stage, world, new Promise((resolve) => stage.model.onRequest(async () => resolve())));
    await stage.outside?.query(`UPDATE worlds SET lease_until = now() WHERE world_slug = $1`, [world.world_slug]);
    stage.model.setScript(await loadScript('simple'));
    assert.equal(onlyAttempt(await stage.run(other)).status, 'committed');
    const [dead] = await attemptsOf(stage, world);
    assert.ok(dead);
    assertInterrupted(dead, FIRST);
    assert.equal(await countRunning(stage, world), 0);
  });

  test('says of a side effect under way that nobody knows whether it took place', async () => {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'tools' });
    stage.model.setScript(await loadScript('tools'));
    stage.toys.vending.misbehave('hang');
    await killWhileAsked(stage, world, new Promise((resolve) => stage.toys.vending.onRequest(async () => resolve())));
    stage.toys.reset();
    assert.equal(onlyAttempt(await stage.run(world)).status, 'committed');
    const [dead] = await attemptsOf(stage, world);
    assert.ok(dead);
    assertInterrupted(dead, `${FIRST}/tool`);
    assert.match(callAt(dead, `${FIRST}/tool`).failure_message ?? '', /side effect took place is not known/);
    assert.equal(callAt(dead, FIRST).status, 'succeeded');
    assert.equal(await countRunning(stage, world), 0);
  });

  test('keeps a living driver safe: a second one is refused, and told who it is', async () => {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'simple' });
    stage.model.setScript(HANGS);
    const asked = new Promise<void>((resolve) => stage.model.onRequest(async () => resolve()));
    const running = startChukwa(['run', world.world_slug, '--json'], stage.variables);
    await whileRunning(running, asked);
    const refused = await askChukwa<object>(['run', world.world_slug], stage.variables, 4);
    running.kill('SIGKILL');
    await running.ended;
    assert.match(JSON.stringify(refused), new RegExp(`WORLD_BUSY.*process ${running.pid} `));
    assert.equal((await attemptsOf(stage, world)).length, 1);
  });
});

describe('a process that is killed in the middle of a turn (embedded, in a folder)', () => {
  let model: ScriptedModel;
  before(async () => {
    model = await startScriptedModel(HANGS);
  });
  after(() => model.close());

  test('leaves the folder to the next, which marks the attempt interrupted and commits the turn', async (context) => {
    const variables = { CHUKWA_DATA_DIR: await makeFolder(context), CHUKWA_LLM_BASE_URL: model.url };
    const scenario = ['--scenario', 'workflows/simple/scenario.json'];
    await askChukwa<WorldSnapshot>(['world', 'create', 'brief', ...scenario], variables);
    const asked = new Promise<void>((resolve) => model.onRequest(async () => resolve()));
    const running = startChukwa(['run', 'brief', '--json'], variables);
    await whileRunning(running, asked);
    running.kill('SIGKILL');
    assert.equal((await running.ended).code, null);
    model.setScript(await loadScript('simple'));
    const report = await askChukwa<RunReport>(['run', 'brief', '--turns', '2'], variables);
    assert.deepEqual(
      report.turns.map(({ attempted_turn, status }) => [attempted_turn, status]),
      [
        [1, 'committed'],
        [2, 'committed'],
      ],
    );
    const { attempts } = await askChukwa<{ attempts: readonly AttemptSummary[] }>(['attempts', 'brief'], variables);
    const dead = attempts.find(({ status }) => status === 'interrupted');
    assert.ok(dead && attempts.length === 3);
    const record = await askChukwa<AttemptRecord>(['attempt', dead.attempt_id], variables);
    assertInterrupted(record, FIRST);
    assert.deepEqual(keysOf(record), [FIRST]);
    const generation = await askChukwa<LlmCallRecord>(['llm-call', callAt(record, FIRST).llm_call_id ?? ''], variables);
    assert.equal(generation.status, 'interrupted');
  });
});
