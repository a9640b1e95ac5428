import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { queueTurns } from '../../engine/operations/running/run-worker.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { must, type ParkStage, sharedStage } from '../support/park-stage.js';
import { freePort } from '../support/free-port.js';
import { NEEDS_NATS, startNats } from '../support/nats-server.js';
import { waitUntil } from '../support/wait-until.js';
import { askHere, type Running, type RunningHere, runHere, startChukwa, startHere, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';
import { script } from './readings.js';

const PATCH = { json: { kind: 'final_patch', patch: { narration: 'Bob reads on.', effects: [] } } };
const CALL = { json: { kind: 'tool_call', tool_call: { name: 'send_text', arguments: {} } } };
const READS_ON = { version: 1, label: 'reads on', turns: { '*': { 'bob/act/round-1/try-1': PATCH } } } as const;
const ENOUGH = { timeout: 300_000 };

type Stage = ParkStage & { readonly outside: NonNullable<ParkStage['outside']> };

describe('workers (PostgreSQL)', ENOUGH, () => {
  const opened = sharedStage('PostgreSQL');
  /** What ends each worker, for those that a failed test leaves. */
  const ends: (() => void)[] = [];
  after(() => ends.forEach((end) => end()));

  async function open(): Promise<Stage> {
    const stage = await opened();
    const { outside } = stage;
    assert.ok(outside);
    stage.model.setScript(READS_ON);
    return { ...stage, outside };
  }

  const WORKER = ['worker', '--lease', '1', '--json'];

  /** Starts a worker as a process of its own, for signals and sudden ends, and waits until it works. */
  async function startProcess(stage: Stage): Promise<Running> {
    const worker = startChukwa(WORKER, stage.variables);
    ends.push(() => worker.kill('SIGKILL'));
    await untilItWorks(worker);
    return worker;
  }

  /** Starts a worker within this process, which is several times cheaper, and waits until it works. */
  async function startWorker(
    stage: Stage,
    words: readonly string[] = [],
    variables: Readonly<Record<string, string>> = {},
  ): Promise<RunningHere> {
    const worker = startHere([...WORKER, ...words], { ...stage.variables, ...variables });
    ends.push(worker.interrupt);
    await untilItWorks(worker);
    return worker;
  }

  async function stop(worker: RunningHere): Promise<void> {
    worker.interrupt();
    await endsWell(worker);
  }

  async function endsWell({ ended }: Pick<Running, 'ended'>): Promise<void> {
    const { code, stderr } = await ended;
    assert.equal(code, 0, stderr);
  }

  const untilItWorks = (worker: RunningHere | Running): Promise<void> =>
    whileRunning(
      worker,
      waitUntil(() => kindsOf(worker).includes('working')),
    );

  async function makeWorlds(stage: Stage, number: number): Promise<readonly WorldSnapshot[]> {
    const worlds: WorldSnapshot[] = [];
    for (let made = 0; made < number; made += 1) worlds.push(await stage.makeWorld({ scenario: 'simple' }));
    return worlds;
  }

  async function queue(stage: Stage, { world_slug }: WorldSnapshot, turns = 1): Promise<void> {
    must(await queueTurns(stage.engine, { world_slug, turns }));
  }

  const untilTurn = (stage: Stage, { world_slug }: WorldSnapshot, turn: number): Promise<void> =>
    waitUntil(async () => (await stage.world(world_slug)).turn === turn);

  test('three of them do every turn of twenty worlds once, and stop in good order by any signal', async () => {
    const stage = await open();
    const worlds = await makeWorlds(stage, 20);
    for (const world of worlds) await queue(stage, world, 3);
    const workers = await Promise.all([startProcess(stage), startProcess(stage), startProcess(stage)]);
    for (const world of worlds) await untilTurn(stage, world, 3);
    const [first, second, third] = workers;
    assert.ok(first && second && third);
    first.kill('SIGINT');
    second.kill('SIGTERM');
    third.kill('SIGHUP');
    await Promise.all(workers.map(endsWell));
    for (const world of worlds) {
      const attempts = await attemptsOf(stage, world);
      assert.deepEqual(
        attempts.map(({ attempted_turn, status, take_overs }) => [attempted_turn, status, take_overs]),
        [1, 2, 3].map((turn) => [turn, 'committed', 0]),
      );
    }
    assert.deepEqual(await stage.engine.store.inbox.count(), []);
    assert.equal(stage.model.requests.length, 60);
    for (const worker of workers) assert.ok(kindsOf(worker).includes('turn_committed'), 'one of them did nothing');
  });

  test('a turn is queued from the command line, with the command to watch it', async () => {
    const stage = await open();
    const [world] = await makeWorlds(stage, 1);
    assert.ok(world);
    const { world_slug } = world;
    const report = await askHere<{ readonly inbox_ids: readonly string[] }>(
      ['run', world_slug, '--queue', '--turns', '2'],
      stage.variables,
    );
    assert.deepEqual(
      { ...report, inbox_ids: report.inbox_ids.length },
      { world: world_slug, queued: 2, inbox_ids: 2, waiting: 2 },
    );
    const { code, stdout } = await runHere(['run', world_slug, '--queue'], stage.variables);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`Queued 1 turn of ${world_slug}; with earlier ones, 3 are queued`));
    const worker = await startWorker(stage, ['--worlds', world_slug]);
    await untilTurn(stage, world, 3);
    await stop(worker);
  });

  test('a worker that must go before its turn is done hands it over, and no finished call is repeated', async () => {
    const stage = await open();
    const world = await stage.makeWorld({ scenario: 'tools' });
    const asked: string[] = [];
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    stage.model.setScript(
      script({ 'bob/act/round-1/try-1': CALL, 'bob/act/round-2/try-1': PATCH, 'bob/act/round-1/try-2': PATCH }),
    );
    stage.model.onRequest(async ({ key }) => {
      asked.push(key);
      if (asked.length === 2) await held;
    });
    await queue(stage, world);
    const first = await startWorker(stage, ['--grace', '0']);
    await whileRunning(
      first,
      waitUntil(() => asked.length === 2),
    );
    await stop(first);
    assert.ok(kindsOf(first).includes('turn_handed_over'), first.said());
    const second = await startWorker(stage);
    await untilTurn(stage, world, 1);
    await stop(second);
    release();
    const [attempt, ...others] = await attemptsOf(stage, world);
    assert.deepEqual([attempt?.status, attempt?.take_overs, others.length], ['committed', 0, 0]);
    assert.deepEqual(asked, [asked[0], asked[1], asked[1]]);
  });

  test('a worker that is killed is missed, and another goes on with its attempt', async () => {
    const stage = await open();
    const [world] = await makeWorlds(stage, 1);
    assert.ok(world);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    stage.model.onRequest(async () => {
      asked += 1;
      if (asked === 1) await held;
    });
    await queue(stage, world);
    const first = await startProcess(stage);
    await whileRunning(
      first,
      waitUntil(() => asked === 1),
    );
    const second = await startWorker(stage);
    first.kill('SIGKILL');
    await first.ended;
    await untilTurn(stage, world, 1);
    await stop(second);
    release();
    const [attempt, ...others] = await attemptsOf(stage, world);
    assert.deepEqual([attempt?.status, attempt?.take_overs, others.length], ['committed', 1, 0]);
  });

  test('a worker whose model takes longer than its lease keeps its world: slow is not dead', async () => {
    const stage = await open();
    const [world] = await makeWorlds(stage, 1);
    assert.ok(world);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    stage.model.onRequest(() => held);
    await queue(stage, world);
    const workers = await Promise.all([startWorker(stage), startWorker(stage)]);
    const leaseEnd = async (): Promise<number> => {
      const [row] = await stage.outside.query<{ until: Date | null }>(
        'SELECT lease_until AS until FROM worlds WHERE world_slug = $1',
        [world.world_slug],
      );
      return row?.until?.getTime() ?? 0;
    };
    await waitUntil(async () => (await leaseEnd()) > 0);
    const began = await leaseEnd();
    await waitUntil(async () => (await leaseEnd()) > began + 2_500);
    release();
    await untilTurn(stage, world, 1);
    await Promise.all(workers.map((worker) => stop(worker)));
    assert.deepEqual(
      (await attemptsOf(stage, world)).map(({ status, take_overs }) => [status, take_overs]),
      [['committed', 0]],
    );
  });

  test('the second wish to stop is obeyed at once', async () => {
    const stage = await open();
    const [world] = await makeWorlds(stage, 1);
    assert.ok(world);
    let asked = false;
    stage.model.onRequest(() => {
      asked = true;
      return new Promise(() => {});
    });
    await queue(stage, world);
    const worker = await startProcess(stage);
    await whileRunning(
      worker,
      waitUntil(() => asked),
    );
    worker.kill('SIGTERM');
    await whileRunning(
      worker,
      waitUntil(() => kindsOf(worker).includes('leaving')),
    );
    worker.kill('SIGINT');
    assert.equal((await worker.ended).code, 130);
    stage.model.reset();
    stage.model.setScript(READS_ON);
    const next = await startWorker(stage);
    await untilTurn(stage, world, 1);
    await stop(next);
  });

  // The engine that queues has a doorbell of its own, as another process would.
  const SILENT: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
    'a doorbell that reaches no other process': async () => ({ CHUKWA_DOORBELL: 'process' }),
    'a NATS server that is not there': async () => ({
      CHUKWA_DOORBELL: 'nats',
      CHUKWA_NATS_URL: `nats://127.0.0.1:${await freePort()}`,
    }),
  };
  for (const [what, variables] of Object.entries(SILENT)) {
    test(`${what} delays work and loses none`, async () => {
      const stage = await open();
      const [world] = await makeWorlds(stage, 1);
      assert.ok(world);
      const worker = await startWorker(stage, [], await variables());
      await queue(stage, world, 2);
      await untilTurn(stage, world, 2);
      await stop(worker);
    });
  }

  test('NATS may die and come back: the worker says so, and works on', NEEDS_NATS, async () => {
    const stage = await open();
    const [world] = await makeWorlds(stage, 1);
    assert.ok(world);
    const nats = await startNats();
    const variables = { CHUKWA_DOORBELL: 'nats', CHUKWA_NATS_URL: nats.url };
    const worker = await startWorker(stage, [], variables);
    try {
      await nats.kill();
      await whileRunning(
        worker,
        waitUntil(() => kindsOf(worker).includes('doorbell_lost')),
      );
      await queue(stage, world);
      await untilTurn(stage, world, 1);
      await nats.start();
      await whileRunning(
        worker,
        waitUntil(() => kindsOf(worker).lastIndexOf('doorbell_found') > kindsOf(worker).lastIndexOf('doorbell_lost')),
      );
      await askHere(['run', world.world_slug, '--queue'], { ...stage.variables, ...variables });
      await untilTurn(stage, world, 2);
      await stop(worker);
    } finally {
      await nats.kill();
    }
  });

  test('connections that are cut cost a moment: the worker waits for the database and goes on', async () => {
    const stage = await open();
    const [world] = await makeWorlds(stage, 1);
    assert.ok(world);
    const ours = await stage.outside.query<{ readonly pid: number }>('SELECT pid FROM pg_stat_activity');
    const worker = await startWorker(stage);
    await stage.outside.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> ALL($1)`,
      [ours.map(({ pid }) => pid)],
    );
    await queue(stage, world, 2);
    await untilTurn(stage, world, 2);
    await stop(worker);
  });

  async function attemptsOf({ engine }: ParkStage, { world_slug }: WorldSnapshot): Promise<readonly AttemptRecord[]> {
    const summaries = await engine.store.records.attempts(world_slug);
    const records = await Promise.all(summaries.map(({ attempt_id }) => engine.store.records.attempt(attempt_id)));
    return records.flatMap((record) => record ?? []).toSorted((one, other) => one.epoch - other.epoch);
  }
});

test(
  'a worker is the one process of an embedded database, and does what was queued before',
  ENOUGH,
  async (context) => {
    const folder = await makeFolder(context);
    const model = await startScriptedModel(READS_ON);
    context.after(() => model.close());
    const variables = {
      CHUKWA_DATA_DIR: folder,
      CHUKWA_LLM_BASE_URL: model.url,
      CHUKWA_LLM_API_KEY: 'a-key-of-the-test',
    };
    const made = await runHere(
      ['world', 'create', 'alone', '--scenario', 'workflows/simple', '--root', 'workflows'],
      variables,
    );
    assert.equal(made.code, 0, made.stderr);
    await askHere(['run', 'alone', '--queue', '--turns', '2'], variables);
    const worker = startChukwa(['worker', '--json'], variables);
    await whileRunning(
      worker,
      waitUntil(() => kindsOf(worker).filter((kind) => kind === 'turn_committed').length === 2),
    );
    const second = await runHere(['worker', '--wait', '0'], variables);
    assert.equal(second.code, 4);
    assert.match(second.stderr, /DATABASE_LOCKED/);
    worker.kill('SIGTERM');
    assert.equal((await worker.ended).code, 0);
  },
);

/** The kinds of a worker's events so far. */
function kindsOf(worker: Pick<Running, 'said'>): readonly string[] {
  const lines = worker.said().split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { readonly kind: string }).kind);
}
