import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import type { AttemptLease } from '../../ports/attempts.js';
import type { BeatSettings, FromBeat, ToBeat } from './beat-message.js';
import { prepareSession } from '../session-settings.js';
import { renewLeases } from './renew-leases.js';

// A thread with a connection of its own and nothing else to do: it beats while the main thread computes or waits for a
// model. It ends with the process, and falls silent when the main thread has hung for too long. A beat that fails is
// made up for by the next, on a new connection.
//
// A main thread that computes for ever handles no signal, so that nobody could stop it in good order: in the end this one
// ends the process. It counts its own ticks and not the time, which goes on while a process is paused.

const { connectionString, lease_ms, hang_ms, end_ms } = workerData as BeatSettings;
/** Several beats may be lost before the lease is. */
const BEAT_MS = Math.ceil(lease_ms / 5);
const TICK_MS = 1_000;

const leases = new Map<string, AttemptLease>();
let client: pg.Client | undefined;
let awake_at = performance.now();
let silent_ticks = 0;
let beating: NodeJS.Timeout | undefined;

parentPort?.on('message', (message: ToBeat) => {
  switch (message.kind) {
    case 'keep':
      leases.set(message.lease.attempt_id, message.lease);
      beating ??= setTimeout(() => void beat(), BEAT_MS);
      return;
    case 'drop':
      leases.delete(message.attempt_id);
      return;
    case 'awake':
      awake_at = performance.now();
      silent_ticks = 0;
      return;
  }
});

setInterval(() => {
  silent_ticks += 1;
  if (silent_ticks * TICK_MS >= end_ms) endProcess();
}, TICK_MS);

/** The streams of this thread lead through the one that hangs, and so would an exit. */
function endProcess(): void {
  const [seconds, attempts] = [Math.round(end_ms / 1000), [...leases.keys()].join(', ')];
  const driven = attempts === '' ? '' : ` It drove ${attempts}; see chukwa attempt ID for the call that was under way.`;
  writeSync(
    2,
    `chukwa: this process has been stuck in work of its own for ${seconds} s and hears nobody; it is killed.${driven}\n`,
  );
  process.kill(process.pid, 'SIGKILL');
}

async function beat(): Promise<void> {
  const began = performance.now();
  if (leases.size > 0 && began - awake_at < hang_ms) await renew();
  const rest = Math.max(0, BEAT_MS - (performance.now() - began));
  beating = leases.size > 0 ? setTimeout(() => void beat(), rest) : undefined;
}

async function renew(): Promise<void> {
  try {
    client ??= await connect();
    const lost = await renewLeases(client, [...leases.values()], lease_ms);
    const told = lost.filter((attempt_id) => leases.delete(attempt_id));
    if (told.length > 0) parentPort?.postMessage({ lost: told } satisfies FromBeat, []);
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
