import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Diagnosis } from '../../engine/operations/composition.js';
import type { RunReport } from '../../engine/operations/running/run-turns.js';
import type { AttemptRecord, AttemptSummary, LlmCallRecord } from '../../engine/ports/records.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import { type ScriptedModel, startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { loadScript, type ParkStage, sharedStage } from '../support/park-stage.js';
import { askHere, runHere, startChukwa, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';
import { callAt, onlyAttempt, script } from './readings.js';
import { misbehave } from '../support/faults.js';

const FIRST = 'bob/act/round-1/try-1';
const HANGS = script({ [FIRST]: { fault: 'hang', text: '{"kind": "fin' } });

/** How often a call was performed, and how each performance ended. */
function performances(attempt: AttemptRecord, key: string): readonly string[] {
  return attempt.invocations.filter(({ command_key }) => command_key === key).map(({ status }) => status);
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

  /** Until it is settled, an attempt shows how, and keeps its world from running; then it shows what was decided. */
  async function assertSettles(stage: ParkStage, attempt: AttemptRecord): Promise<void> {
    const show = async () => (await runHere(['attempt', attempt.attempt_id], stage.variables)).stdout;
    const settle = ['attempt', 'settle', attempt.attempt_id, '--not-performed'];
    const doubtful = await show();
    assert.match(doubtful, new RegExp(`In doubt: ${FIRST}/tool +--call ${attempt.failed_source_invocation_id}`));
    assert.ok(doubtful.includes(`npx chukwa ${settle.join(' ')}`), doubtful);
    assert.match(JSON.stringify(await askHere(['run', attempt.world_slug], stage.variables, 1)), /CALL_IN_DOUBT/);
    await askHere(settle, stage.variables);
    const settled = await show();
    assert.match(settled.replaceAll(/\s+/g, ' '), /Settled since: it did not take place\./);
    assert.doesNotMatch(settled, /In doubt|attempt settle/);
  }

  test('a killed process leaves running rows; the next run continues the attempt, and commits the turn', async () => {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'simple' });
    stage.model.setScript(HANGS);
    await killWhileAsked(stage, world, new Promise((resolve) => stage.model.onRequest(async () => resolve())));
    stage.model.setScript(await loadScript('simple'));
    const next = await stage.run(world);
    const attempt = onlyAttempt(next);
    assert.deepEqual([attempt.status, attempt.take_overs], ['committed', 1]);
    assert.deepEqual([next.before.turn, next.after.turn], [0, 1]);
    assert.deepEqual(
      (await attemptsOf(stage, world)).map(({ attempt_id }) => attempt_id),
      [attempt.attempt_id],
    );
    assert.deepEqual(performances(attempt, FIRST), ['interrupted', 'succeeded']);
    assert.equal((await stage.llmCall(callAt(attempt, FIRST).llm_call_id)).status, 'interrupted');
    assert.deepEqual(
      next.progress.flatMap((event) => (event.kind === 'attempt_began' ? event.continued : [])),
      [{ answered: 0, interrupted: 1 }],
    );
    assert.equal(await countRunning(stage, world), 0);
  });

  test('the attempt of a killed process fails where a side effect was under way, and names the call', async () => {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'tools' });
    stage.model.setScript(await loadScript('tools'));
    misbehave(stage.toys.vending, 'hang');
    await killWhileAsked(stage, world, new Promise((resolve) => stage.toys.vending.onRequest(async () => resolve())));
    stage.toys.reset();
    let asked = 0;
    stage.toys.vending.onRequest(async () => void (asked += 1));
    const next = await stage.run(world);
    const attempt = onlyAttempt(next);
    const tool = callAt(attempt, `${FIRST}/tool`);
    assert.deepEqual([attempt.status, attempt.failure_class], ['failed', 'interrupted']);
    assert.equal(attempt.failed_source_invocation_id, tool.source_invocation_id);
    assert.equal(next.after.turn, 0);
    assert.match(tool.failure_message ?? '', /it is unknown whether \w+ side effect took place/);
    assert.deepEqual(performances(attempt, FIRST), ['succeeded']);
    assert.equal(asked, 0, 'the side effect was asked for again');
    assert.equal(await countRunning(stage, world), 0);
    await assertSettles(stage, attempt);
  });

  test('a second driver is refused while the first one lives, and the message names the first', async () => {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'simple' });
    stage.model.setScript(HANGS);
    const asked = new Promise<void>((resolve) => stage.model.onRequest(async () => resolve()));
    const running = startChukwa(['run', world.world_slug, '--json'], stage.variables);
    await whileRunning(running, asked);
    const refused = await askHere<object>(['run', world.world_slug], stage.variables, 4);
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

  test('a killed process leaves its folder to the next, which continues the attempt and commits the turn', async (context) => {
    const variables = { CHUKWA_DATA_DIR: await makeFolder(context), CHUKWA_LLM_BASE_URL: model.url };
    const scenario = ['--scenario', 'workflows/simple/scenario.json'];
    await askHere<WorldSnapshot>(['world', 'create', 'brief', ...scenario], variables);
    const asked = new Promise<void>((resolve) => model.onRequest(async () => resolve()));
    const running = startChukwa(['run', 'brief', '--json'], variables);
    await whileRunning(running, asked);
    running.kill('SIGKILL');
    assert.equal((await running.ended).code, null);
    const { diagnoses } = await askHere<{ diagnoses: readonly Diagnosis[] }>(['doctor', 'brief'], variables);
    const left = await askHere<{ attempts: readonly AttemptSummary[] }>(['attempts', 'brief'], variables);
    assert.deepEqual(
      left.attempts.map(({ status, is_driven }) => [status, is_driven]),
      [['running', false]],
    );
    const [open] = left.attempts;
    const diagnosis = diagnoses.find(({ subject }) => subject === 'world brief');
    assert.equal(diagnosis?.message, `the driver of turn 1 is gone (attempt ${open?.attempt_id})`);
    assert.match(
      diagnosis?.repair ?? '',
      /^chukwa run brief resumes it\. To end it: chukwa stop [\w-]+, then chukwa run brief\.$/,
    );
    model.setScript(await loadScript('simple'));
    const report = await askHere<RunReport>(['run', 'brief', '--turns', '2'], variables);
    assert.deepEqual(
      report.turns.map(({ attempted_turn, status }) => [attempted_turn, status]),
      [
        [1, 'committed'],
        [2, 'committed'],
      ],
    );
    const { attempts } = await askHere<{ attempts: readonly AttemptSummary[] }>(['attempts', 'brief'], variables);
    assert.equal(attempts.length, 2);
    const first = attempts.find(({ attempted_turn }) => attempted_turn === 1);
    const record = await askHere<AttemptRecord>(['attempt', first?.attempt_id ?? ''], variables);
    assert.deepEqual(performances(record, FIRST), ['interrupted', 'succeeded']);
    const generation = await askHere<LlmCallRecord>(['llm-call', callAt(record, FIRST).llm_call_id ?? ''], variables);
    assert.equal(generation.status, 'interrupted');
  });
});
