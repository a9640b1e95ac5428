import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { queueTurns } from '../../engine/operations/running/run-worker.js';
import type { AttemptSummary } from '../../engine/ports/records.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import type { Progress } from '../../engine/runtime/progress.js';
import { loadScript, must, openParkStage, type ParkStage, sharedStage } from '../support/park-stage.js';
import { waitUntil } from '../support/wait-until.js';
import { askHere, type Running, type RunningHere, runHere, startChukwa, startHere, whileRunning } from './command.js';
import { script } from './readings.js';
import { misbehave } from '../support/faults.js';

const FIRST = 'bob/act/round-1/try-1';
const PATCH = { json: { kind: 'final_patch', patch: { narration: 'Bob reads on.', effects: [] } } };
const READS_ON = { version: 1, label: 'reads on', turns: { '*': { [FIRST]: PATCH } } } as const;
const BROKEN = { ...READS_ON, turns: { '*': { [FIRST]: { status: 500 } } } } as const;
const ENOUGH = { timeout: 120_000 };

async function attemptsOf({ engine }: ParkStage, { world_slug }: WorldSnapshot): Promise<readonly AttemptSummary[]> {
  const attempts = await engine.store.records.attempts(world_slug);
  return attempts.toSorted((one, other) => one.started_at.localeCompare(other.started_at));
}

const ends = (attempts: readonly AttemptSummary[]) =>
  attempts.map(({ attempted_turn, status }) => [attempted_turn, status]);

async function untilWorking(worker: Pick<Running, 'ended' | 'said'>): Promise<void> {
  await whileRunning(
    worker,
    waitUntil(() => worker.said().includes('"kind":"working"')),
  );
}

describe('a queue whose model answers 500 (PostgreSQL)', ENOUGH, () => {
  const open = sharedStage('PostgreSQL');
  const WORKER = ['worker', '--lease', '1', '--json'];
  const endings = new Set<() => void>();
  after(() => endings.forEach((end) => end()));

  async function startWorker(stage: ParkStage, words: readonly string[] = []): Promise<RunningHere> {
    const worker = startHere([...WORKER, ...words], stage.variables);
    endings.add(worker.interrupt);
    await untilWorking(worker);
    return worker;
  }

  async function stop(worker: RunningHere): Promise<void> {
    worker.interrupt();
    const { code, stderr } = await worker.ended;
    endings.delete(worker.interrupt);
    assert.equal(code, 0, stderr);
  }

  async function queued(stage: ParkStage, turns: number): Promise<WorldSnapshot> {
    const world = await stage.makeWorld({ scenario: 'simple' });
    must(await queueTurns(stage.engine, { world_slug: world.world_slug, turns }));
    return world;
  }

  test('a queue whose model answers 500 keeps its turns in their order, and does all of them once the model has recovered', async () => {
    const stage = await open();
    const world = await queued(stage, 2);
    stage.model.setScript(BROKEN);
    stage.model.onRequest(async () => {
      if (stage.model.requests.length === 2) stage.model.setScript(READS_ON);
    });
    const worker = await startWorker(stage);
    await waitUntil(async () => (await stage.world(world.world_slug)).turn === 2);
    await stop(worker);
    assert.deepEqual(ends(await attemptsOf(stage, world)), [
      [1, 'failed'],
      [1, 'committed'],
      [2, 'committed'],
    ]);
    assert.match(worker.said(), /"kind":"turn_failed".*"put_off":\{"kind":"put_off","retry":1/);
    assert.deepEqual(await stage.engine.store.inbox.count(), []);
  });

  test('a queue whose model answers 500 gives a turn up after its last retry, and goes on with the next', async () => {
    const stage = await open();
    const world = await queued(stage, 2);
    stage.model.setScript(BROKEN);
    const worker = await startWorker(stage, ['--max-retries', '1']);
    await waitUntil(
      async () => (await attemptsOf(stage, world)).filter(({ status }) => status === 'failed').length >= 3,
    );
    stage.model.setScript(READS_ON);
    await waitUntil(async () => (await stage.engine.store.inbox.count()).length === 0);
    await stop(worker);
    const attempts = await attemptsOf(stage, world);
    assert.deepEqual(ends(attempts).slice(0, 3), [
      [1, 'failed'],
      [1, 'failed'],
      [1, 'failed'],
    ]);
    assert.equal(attempts.length, 4);
  });

  test('a queue whose model answers 500 loses no turn where its worker is killed after the failure: the turn is put off by the same statement', async () => {
    const stage = await open();
    const world = await queued(stage, 2);
    stage.model.setScript(BROKEN);
    const worker = startChukwa(WORKER, stage.variables);
    endings.add(() => worker.kill('SIGKILL'));
    await untilWorking(worker);
    await waitUntil(async () => ends(await attemptsOf(stage, world)).some(([, status]) => status === 'failed'));
    worker.kill('SIGKILL');
    await worker.ended;
    const { world_slug } = world;
    const [queue] = await stage.engine.store.inbox.queues(world_slug);
    assert.equal(queue?.queued_turns, 2);
    assert.match(queue?.put_off?.reason ?? '', /failed, http_status/);
    assert.match((await runHere(['attempts', world_slug], stage.variables)).stdout, /http_status/);
    stage.model.setScript(READS_ON);
    const next = await startWorker(stage);
    await waitUntil(async () => (await stage.world(world_slug)).turn === 2);
    await stop(next);
  });

  test('a queue whose model answers 500 consumes a turn that fails for what the model says', async () => {
    const stage = await open();
    const world = await queued(stage, 1);
    stage.model.setScript(
      script(Object.fromEntries([1, 2, 3].map((at) => [`bob/act/round-1/try-${at}`, { text: 'nonsense' }]))),
    );
    const worker = await startWorker(stage);
    await waitUntil(async () => (await stage.engine.store.inbox.count()).length === 0);
    await stop(worker);
    assert.deepEqual(ends(await attemptsOf(stage, world)), [[1, 'failed']]);
  });
});

describe('run --retries', () => {
  const open = sharedStage('PostgreSQL');
  async function runWith(retries: number, failures: number) {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'simple' });
    stage.model.setScript(failures > 0 ? BROKEN : READS_ON);
    stage.model.onRequest(async () => {
      if (stage.model.requests.length > failures) stage.model.setScript(READS_ON);
    });
    const progress: Progress[] = [];
    const onProgress = (event: Progress): void => void progress.push(event);
    const { signal } = new AbortController();
    const { world_slug } = world;
    const report = must(await runTurns(stage.engine, { world_slug, turns: 2, retries, signal, onProgress }));
    const waits = progress.flatMap((event) => (event.kind === 'turn_waits' ? [event.retry] : []));
    return { turns: report.turns.map(({ attempted_turn, status }) => [attempted_turn, status]), waits };
  }

  test('run --retries tries a turn anew that failed transiently, and goes on with the next one', ENOUGH, async () => {
    assert.deepEqual(await runWith(2, 1), {
      turns: [
        [1, 'failed'],
        [1, 'committed'],
        [2, 'committed'],
      ],
      waits: [1],
    });
  });

  test('run --retries stops at the first failure where none is wanted', async () => {
    assert.deepEqual(await runWith(0, 1), { turns: [[1, 'failed']], waits: [] });
  });

  test('run --retries stops after the last retry', ENOUGH, async () => {
    assert.deepEqual(await runWith(1, 9), {
      turns: [
        [1, 'failed'],
        [1, 'failed'],
      ],
      waits: [1],
    });
  });

  test('a variable of a source that is not set refuses a run before its first call, and puts a queued turn off', async (context) => {
    const lacking = await openParkStage('PostgreSQL', () => ({ CHUKWA_TOY_VENDING_URL: '' }));
    context.after(lacking.close);
    lacking.model.setScript(await loadScript('tools'));
    const world = await lacking.makeWorld({ scenario: 'tools' });
    const { world_slug } = world;
    const { signal } = new AbortController();
    const request = { world_slug, turns: 1, retries: 5, signal, onProgress: () => {} };
    const refused = await runTurns(lacking.engine, request);
    const [problem] = refused.ok ? [] : refused.problems;
    assert.equal(problem?.code, 'SOURCE_NOT_READY');
    assert.match(problem.message, /source .*vending.* CHUKWA_TOY_VENDING_URL is not set/);
    must(await queueTurns(lacking.engine, { world_slug, turns: 1 }));
    const worker = startHere(['worker', '--json'], lacking.variables);
    await whileRunning(
      worker,
      waitUntil(() => /"turn_deferred".*CHUKWA_TOY_VENDING_URL/.test(worker.said())),
    );
    worker.interrupt();
    await worker.ended;
    assert.deepEqual([await attemptsOf(lacking, world), lacking.model.requests.length], [[], 0]);
    // A run that offers the tool to no model does not need its variable.
    lacking.model.setScript(READS_ON);
    const narrowed = await runTurns(lacking.engine, { ...request, tools: [] });
    assert.equal(must(narrowed).turns[0]?.status, 'committed');
  });

  test('run --retries tries nothing anew while a call is in doubt', async () => {
    const stage = await open();
    stage.model.setScript(await loadScript('tools'));
    misbehave(stage.toys.vending, 'reset_connection');
    const { world_slug } = await stage.makeWorld({ scenario: 'tools' });
    const progress: Progress[] = [];
    const onProgress = (event: Progress): void => void progress.push(event);
    const { signal } = new AbortController();
    const report = must(await runTurns(stage.engine, { world_slug, turns: 1, retries: 5, signal, onProgress }));
    assert.deepEqual([report.turns.length, report.turns[0]?.failure_class], [1, 'transport']);
    assert.ok(!progress.some(({ kind }) => kind === 'turn_waits'), 'a retry was promised');
    assert.equal(stage.toys.vending.served.length, 1);
  });

  test('run --retries tries no turn again whose model has used up its tries; it says why, and the next run tries the turn again', async () => {
    const stage = await open();
    const nonsense = Object.fromEntries([1, 2, 3].map((at) => [`bob/act/round-1/try-${at}`, { text: 'nonsense' }]));
    stage.model.setScript(script(nonsense));
    const { world_slug } = await stage.makeWorld({ scenario: 'simple' });
    const ran = await runHere(['run', world_slug, '--retries', '5'], stage.variables);
    assert.equal(ran.code, 3, ran.stderr);
    const said = ran.stdout.replaceAll(/\s+/g, ' ');
    assert.match(said, /turn 1 failed, generation_attempts_exhausted/);
    assert.match(
      said,
      new RegExp(
        `tries that max_generation_attempts allows; --retries is for failures in transport alone\\..*npx chukwa run ${world_slug} `,
      ),
    );
    assert.doesNotMatch(said, /tried again|is transient/);
    assert.equal(stage.model.requests.length, 3);
    stage.model.setScript(READS_ON);
    assert.equal((await runHere(['run', world_slug], stage.variables)).code, 0);
    assert.deepEqual(ends(await attemptsOf(stage, await stage.world(world_slug))), [
      [1, 'failed'],
      [1, 'committed'],
    ]);
  });
});

describe('run --retries (PostgreSQL)', ENOUGH, () => {
  const open = sharedStage('PostgreSQL');

  test('run --retries announces the wait, and a request to stop ends it', async () => {
    const stage = await open();
    const { world_slug } = await stage.makeWorld({ scenario: 'simple' });
    stage.model.setScript(BROKEN);
    const run = startHere(['run', world_slug, '--retries', '9'], stage.variables);
    await whileRunning(
      run,
      waitUntil(() => /turn 1 is tried again in .* retry 1 of 9/.test(run.said())),
    );
    run.interrupt();
    assert.equal((await run.ended).code, 130);
  });

  test('run --retries is refused beside --queue', async () => {
    const stage = await open();
    const refused = await askHere<object>(['run', 'any', '--queue', '--retries', '1'], stage.variables, 2);
    assert.match(JSON.stringify(refused), /USAGE/);
  });
});
