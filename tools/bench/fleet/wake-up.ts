import { v7 } from 'uuid';
import { openNatsDoorbell } from '../../../engine/doorbells/nats.js';
import { parseNatsUrl } from '../../../engine/doorbells/nats-url.js';
import type { Doorbell } from '../../../engine/ports/doorbell.js';
import { runWorker } from '../../../engine/runtime/worker/run-worker.js';
import { openServerDoorbell } from '../../../engine/store/doorbell/server-doorbell.js';
import { startNats } from '../../nats-server.js';
import { type Row, toRow } from '../row.js';
import type { Scene } from './scene.js';

const RINGS = 300;
const BETWEEN_MS = 10;

/** From the queueing of a turn to the first statement of the worker that it wakes, by each doorbell. */
export async function measureWakeUps(url: string, scene: Scene): Promise<readonly Row[]> {
  const nats = await startNats();
  try {
    const address = parseNatsUrl(nats.url);
    if (!address.ok) throw new Error('the server of the benchmark has an address that is none');
    return [
      ...toRows('postgres', 'LISTEN/NOTIFY', await timeRings(scene, () => openServerDoorbell(url))),
      ...toRows('nats', 'NATS', await timeRings(scene, () => openNatsDoorbell(address.value))),
    ];
  } finally {
    await nats.kill();
  }
}

/** A worker that does nothing with what it claims, so that nothing but waking up is measured. */
async function timeRings(scene: Scene, open: () => Doorbell): Promise<readonly number[]> {
  const { inbox } = scene.engine.store;
  const [listening, ringing] = [open(), open()];
  const stop = new AbortController();
  let looked = (): void => {};
  let rung_at = 0;
  const claim: typeof inbox.claim = (request) => {
    looked();
    return inbox.claim(request);
  };
  const worked = runWorker(
    {
      inbox: { ...inbox, claim, lapsed: async () => (looked(), []) },
      doorbell: listening,
      clock: scene.engine.runtime.clock,
      jitter: Math.random,
      drive: async () => ({ kind: 'not_asked_for' }),
      expireCalls: async () => 0,
      findFault: () => undefined,
      onEvent: () => {},
    },
    { concurrency: RINGS * 2, grace_ms: 0 },
    stop.signal,
  );
  const deaf = ringing.listen(() => {});
  const times: number[] = [];
  while (listening.findFault() !== undefined || ringing.findFault() !== undefined) await pause(BETWEEN_MS);
  for (let rings = 0; rings < RINGS; rings += 1) {
    const world_slug = scene.worlds[rings % scene.worlds.length] ?? '';
    await scene.empty();
    await pause(BETWEEN_MS);
    const woken = new Promise<number>((resolve) => (looked = () => resolve(performance.now())));
    rung_at = performance.now();
    await inbox.enqueueTurns({ world_slug, inbox_ids: [v7()] });
    ringing.ring(world_slug);
    times.push((await woken) - rung_at);
  }
  stop.abort();
  await worked;
  deaf();
  await Promise.all([listening.close(), ringing.close()]);
  return times.toSorted((one, other) => one - other);
}

function toRows(id: string, name: string, times: readonly number[]): readonly Row[] {
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  const note = `${times.length} turns queued, queueing included`;
  return [
    toRow({
      id: `wake_up_${id}_p50`,
      what: `${name}: a turn is queued to a worker's first statement, p50`,
      value: at(0.5),
      unit: 'ms',
      goal: { kind: 'at_most', value: 20, stretch: 10 },
      note,
    }),
    toRow({
      id: `wake_up_${id}_p99`,
      what: `${name}: the same, p99`,
      value: at(0.99),
      unit: 'ms',
      goal: { kind: 'at_most', value: 50, stretch: 25 },
      note,
    }),
  ];
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, milliseconds));
}
