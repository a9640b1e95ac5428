import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { v7 } from 'uuid';
import { startScriptedModel } from '../../../fixtures/toys/scripted-model/index.js';
import { type Row, toRow } from '../row.js';
import { median } from '../statistics.js';
import type { Scene } from './scene.js';

/** Of each attempt: after these it is suspected of them, and driven alone. */
const DEATHS = 2;
const ATTEMPTS = 10;
const ROUNDS = 2;
const LEASE_SECONDS = 2;
const LOOK_MS = 20;

/**
 * From the end of a dead worker's lease until another has its attempt: a worker is killed in the middle of attempts, time
 * and again, and the next one is its heir.
 */
export async function measureTakeOvers(program: string, url: string, scene: Scene): Promise<Row> {
  await scene.empty();
  const model = await startScriptedModel({ version: 1, label: 'silent', turns: {} });
  model.onRequest(() => new Promise(() => {}));
  const variables = { CHUKWA_DATABASE_URL: url, CHUKWA_LLM_BASE_URL: model.url };
  try {
    const delays: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const worlds = scene.worlds.slice(round * ATTEMPTS, (round + 1) * ATTEMPTS);
      const before = model.requests.length;
      const hasBegun = () => model.requests.length - before >= ATTEMPTS;
      delays.push(...(await timeRound(scene, worlds, () => startWorker(program, variables, worlds), hasBegun)));
    }
    return toTakeOverRow(delays);
  } finally {
    await model.close();
  }
}

/** Lets a worker begin attempts, and kills it and its heir in the middle of them. */
async function timeRound(
  scene: Scene,
  worlds: readonly string[],
  start: () => Promise<ChildProcess>,
  hasBegun: () => boolean,
): Promise<readonly number[]> {
  for (const world_slug of worlds) await scene.engine.store.inbox.enqueueTurns({ world_slug, inbox_ids: [v7()] });
  const delays: number[] = [];
  let driver = await start();
  try {
    while (!hasBegun()) await pause(LOOK_MS);
    for (let deaths = 0; deaths < DEATHS; deaths += 1) {
      const heir = await start();
      delays.push(...(await timeTakeOvers(scene, worlds, driver)));
      driver = heir;
    }
    return delays;
  } finally {
    driver.kill('SIGKILL');
    await once(driver, 'exit');
  }
}

/** A worker of these worlds, and no others. */
async function startWorker(
  program: string,
  variables: Readonly<Record<string, string>>,
  worlds: readonly string[],
): Promise<ChildProcess> {
  const words = ['worker', '--lease', String(LEASE_SECONDS), '--concurrency', String(ATTEMPTS), '--json'];
  const only = ['--worlds', ...worlds];
  const worker = spawn(process.execPath, [program, ...words, ...only], {
    env: { ...process.env, CHUKWA_LLM_API_KEY: 'a-key-of-the-bench', ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(worker.stdout, 'data');
  worker.stdout.resume();
  return worker;
}

interface Lease {
  readonly world_slug: string;
  readonly epoch: number;
  /** Milliseconds since 1970, by the clock of the database, as is what follows. */
  readonly ends_at: number;
  readonly seen_at: number;
}

const LEASES = `
  SELECT world_slug, lease_epoch::int AS epoch, extract(epoch FROM lease_until)::float8 * 1000 AS ends_at,
    extract(epoch FROM clock_timestamp())::float8 * 1000 AS seen_at
  FROM worlds WHERE lease_attempt_id IS NOT NULL AND world_slug = ANY($1::text[])`;

/** Kills a worker. @returns for each of its attempts, how long after its lease another worker had it */
async function timeTakeOvers(
  { outside }: Scene,
  worlds: readonly string[],
  driver: ChildProcess,
): Promise<readonly number[]> {
  const gone = once(driver, 'exit');
  driver.kill('SIGKILL');
  await gone;
  const { rows: left } = await outside.query<Lease>(LEASES, [worlds]);
  const delays = new Map<string, number>();
  while (delays.size < left.length) {
    await pause(LOOK_MS);
    const { rows: held } = await outside.query<Lease>(LEASES, [worlds]);
    for (const { world_slug, epoch, seen_at } of held) {
      const before = left.find((lease) => lease.world_slug === world_slug);
      if (before === undefined || before.epoch === epoch || delays.has(world_slug)) continue;
      delays.set(world_slug, seen_at - before.ends_at);
    }
  }
  return [...delays.values()];
}

function toTakeOverRow(delays: readonly number[]): Row {
  return toRow({
    id: 'take_over_after_lease',
    what: "a dead worker's lease ends to another going on, the latest",
    value: Math.max(...delays) / 1000,
    unit: 's',
    goal: { kind: 'at_most', value: 1 },
    note: `${delays.length} attempts of ${ROUNDS * DEATHS} workers that were killed; median ${(median(delays) / 1000).toFixed(2)} s`,
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, milliseconds));
}
