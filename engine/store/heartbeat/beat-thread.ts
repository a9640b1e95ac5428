import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import type { AttemptLease } from '../../ports/attempts.js';
import type { BeatSettings, FromBeat } from './beat-message.js';
import { prepareSession } from '../session-settings.js';
import { countAwake, readLeases } from './lease-board.js';
import { renewLeases } from './renew-leases.js';

// A thread with a connection of its own and nothing else to do: it beats while the main thread computes or waits for a
// model. It ends with the process, and falls silent when the main thread has hung for too long. The next beat, on a new
// connection, makes up for one that failed.
//
// A main thread that is blocked for good handles no signal and cannot be stopped in good order. After `end_ms` this thread
// kills the process. It counts its own ticks and not the time, which passes while a process is paused.

const { board, connectionString, lease_ms, hang_ms, end_ms } = workerData as BeatSettings;
/** Several beats may be lost before the lease is. */
const BEAT_MS = Math.ceil(lease_ms / 5);
const TICK_MS = 1_000;

let client: pg.Client | undefined;
let awake = { times: countAwake(board), at: performance.now() };
let silent_ticks = 0;

setTimeout(() => void beat(), BEAT_MS);

setInterval(() => {
  silent_ticks += 1;
  lookWhetherAwake();
  if (silent_ticks * TICK_MS >= end_ms) endProcess();
}, TICK_MS);

function lookWhetherAwake(): void {
  const times = countAwake(board);
  if (times === awake.times) return;
  awake = { times, at: performance.now() };
  silent_ticks = 0;
}

/** The streams of this thread lead through the one that hangs, and so would an exit. A pipe that nobody reads takes no text. */
function endProcess(): void {
  const [seconds, attempts] = [
    Math.round(end_ms / 1000),
    readLeases(board)
      .map((lease) => lease.attempt_id)
      .join(', '),
  ];
  const driven = attempts === '' ? '' : ` It drove ${attempts}; see chukwa attempt ID for the call that was under way.`;
  try {
    writeSync(
      2,
      `chukwa: this process has been blocked by its own work for ${seconds} s and does not respond; it is killed.${driven}\n`,
    );
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}

async function beat(): Promise<void> {
  const began = performance.now();
  lookWhetherAwake();
  const leases = readLeases(board);
  if (leases.length > 0 && began - awake.at < hang_ms) await renew(leases);
  setTimeout(() => void beat(), Math.max(0, BEAT_MS - (performance.now() - began)));
}

async function renew(leases: readonly AttemptLease[]): Promise<void> {
  try {
    client ??= await connect();
    const lost = await renewLeases(client, leases, lease_ms);
    if (lost.length > 0) parentPort?.postMessage({ lost } satisfies FromBeat, []);
  } catch {
    const broken = client;
    client = undefined;
    broken?.end().catch(() => {});
  }
}

async function connect(): Promise<pg.Client> {
  const fresh = new pg.Client({
    connectionString,
    application_name: 'chukwa heartbeat',
    connectionTimeoutMillis: BEAT_MS,
    query_timeout: BEAT_MS * 2,
  });
  // The next question is answered with it.
  fresh.on('error', () => {});
  await fresh.connect();
  await prepareSession(fresh);
  return fresh;
}
