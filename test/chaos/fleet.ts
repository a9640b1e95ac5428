import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { compose } from '../../engine/main.js';
import { putScenario } from '../../engine/operations/authoring/author.js';
import type { Engine } from '../../engine/operations/engine.js';
import { queueTurns } from '../../engine/operations/running/run-worker.js';
import { createWorld } from '../../engine/operations/worlds/worlds.js';
import { type ScriptedModel, startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { startToys, type Toys } from '../../fixtures/toys/index.js';
import { type Running, startChukwa, whileRunning } from '../acceptance/command.js';
import { emptyDatabase } from '../support/databases.js';
import { must, ROOT } from '../support/park-stage.js';
import { waitUntil } from '../support/wait-until.js';
import { SCRIPT } from './script.js';
import { settleDoubts } from './settler.js';

/** Worlds in a PostgreSQL database of their own, with services and a model that count, for real processes to be destroyed on. */
export interface Fleet {
  /** The address of the database. */
  readonly url: string;
  readonly engine: Engine;
  readonly toys: Toys;
  readonly model: ScriptedModel;
  /** The variables that lead a process here. */
  readonly variables: Readonly<Record<string, string>>;
  /** Asks the database past the engine. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  makeWorlds(number: number): Promise<readonly string[]>;
  /** @returns the messages */
  queue(world_slug: string, turns: number): Promise<readonly string[]>;
  /** Starts a worker that is soon missed, and waits until it works. */
  startWorker(words?: readonly string[]): Promise<Running>;
  /** Tells a worker to end, and expects it to do so in good order. */
  stop(worker: Running): Promise<void>;
  /** Settles what is in doubt, as the services say. */
  settleDoubts(): Promise<void>;
  /** Waits until no message is left to be done, and settles what is in doubt. */
  untilDone(): Promise<void>;
  /** Kills all programs that still run. */
  close(): Promise<void>;
}

/** Opens a fleet without workers, on an empty database of the server that tests share, or of another one. Close it. */
export async function openFleet(elsewhere?: string): Promise<Fleet> {
  let drop = async (): Promise<void> => {};
  const scope = { after: (end: () => Promise<void>) => void (drop = end) };
  const url = elsewhere ?? (await emptyDatabase(scope)).CHUKWA_DATABASE_URL;
  const [toys, model] = await Promise.all([startToys(), startScriptedModel(SCRIPT)]);
  const variables = {
    ...toys.variables,
    CHUKWA_DATABASE_URL: url,
    CHUKWA_LLM_BASE_URL: model.url,
    CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
  };
  const engine = must(await (await compose(variables)).openEngine());
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => {});
  const running = new Set<Running>();
  const close = async (): Promise<void> => {
    for (const worker of running) worker.kill('SIGKILL');
    await pool.end();
    await engine.close();
    await Promise.all([toys.close(), model.close(), drop()]);
  };
  return { url, engine, toys, model, variables, close, ...actions(engine, pool, { variables, running, toys }) };
}

type Actions = Pick<Fleet, 'query' | 'makeWorlds' | 'queue' | 'startWorker' | 'stop' | 'settleDoubts' | 'untilDone'>;

function actions(
  engine: Engine,
  pool: pg.Pool,
  workers: { readonly variables: Fleet['variables']; readonly running: Set<Running>; readonly toys: Toys },
): Actions {
  let made = 0;
  const query: Actions['query'] = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await pool.query<Row>(text, [...values])).rows;
  const settle = (): Promise<void> => settleDoubts({ engine, toys: workers.toys, query });
  return {
    query,
    async makeWorlds(number) {
      const root = join(ROOT, 'workflows');
      const place = { working_folder: root, root };
      const scenario_hash = must(await putScenario(engine, join(root, 'park', 'scenario.json'), place));
      const slugs = Array.from({ length: number }, () => `park-${(made += 1)}`);
      for (const world_slug of slugs) must(await createWorld(engine, { world_slug, scenario_hash }));
      return slugs;
    },
    queue: async (world_slug, turns) => must(await queueTurns(engine, { world_slug, turns })).inbox_ids,
    ...workerActions(workers),
    settleDoubts: settle,
    async untilDone() {
      for (;;) {
        await settle();
        const left = await query("SELECT 1 FROM agent_inbox WHERE status <> 'consumed' LIMIT 1");
        if (left.length === 0) return;
        await wait(100);
      }
    },
  };
}

function workerActions({
  variables,
  running,
}: {
  readonly variables: Fleet['variables'];
  readonly running: Set<Running>;
}): Pick<Fleet, 'startWorker' | 'stop'> {
  return {
    async startWorker(words = []) {
      const worker = startChukwa(['worker', '--lease', '1', ...words, '--json'], variables);
      running.add(worker);
      void worker.ended.finally(() => running.delete(worker));
      await untilSaid(worker, 'working');
      return worker;
    },
    async stop(worker) {
      worker.kill('SIGTERM');
      const { code, stderr } = await worker.ended;
      assert.equal(code, 0, stderr);
    },
  };
}

/** A worker's kinds of events so far. The document of one that cannot start has several lines, and no event. */
export function kindsOf(worker: Running): readonly string[] {
  const lines = worker.said().split('\n').slice(0, -1);
  const events = lines.filter((line) => line.startsWith('{"'));
  return events.map((line) => (JSON.parse(line) as { readonly kind: string }).kind);
}

/** Waits until a worker has reported such an event. @throws AssertionError where it ends instead */
export function untilSaid(worker: Running, ...kinds: readonly string[]): Promise<void> {
  return whileRunning(
    worker,
    waitUntil(() => kindsOf(worker).some((kind) => kinds.includes(kind))),
  );
}

/** Makes every call take so long that there is a middle to be destroyed in. */
export function slowDown({ model, toys }: Fleet, milliseconds: number): void {
  const listener = (): Promise<void> => wait(milliseconds);
  model.onRequest(listener);
  for (const toy of [toys.vending, toys.fountain, toys.phone]) toy.onRequest(listener);
}
