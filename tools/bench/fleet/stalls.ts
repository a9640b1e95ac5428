import type { WorkerEvent } from '../../../engine/operations/run-worker.js';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import { median } from '../statistics.js';
import { openQueue } from './queue.js';

/** Of the worlds of a run, and how many turns a worker drives at a time. */
const RUNS = [
  { worlds: 1, hands: 8 },
  { worlds: 3, hands: 2 },
  { worlds: 8, hands: 16 },
  { worlds: 16, hands: 8 },
  { worlds: 64, hands: 8 },
];
const TURNS = 800;
const SAMPLE_MS = 25;
/** A worker that misses a turn sees it when it looks by itself, half a second later on average. */
const STALL_MS = 400;
/** Worlds take turns: so many times the median is no stall yet. */
const ORDINARY = 3;

/**
 * Runs a queue to its end time and again, and looks for worlds that wait longer for their next turn than their
 * order in the queue makes them. Samples are counted and not the clock: a busy machine is no stall.
 */
export async function measureStalls(url: string, rounds: number, progress: ProgressLine): Promise<readonly Row[]> {
  let stalled = 0;
  let longest = 0;
  for (const { worlds, hands } of RUNS) {
    const queue = await openQueue(url, `stalls-${worlds}`, worlds);
    try {
      for (let round = 0; round < rounds; round += 1) {
        progress.say(`looking for stalls: ${worlds} worlds, ${hands} hands, ${round + 1} of ${rounds}`);
        await queue.enqueue(TURNS);
        const watch = watchWorlds();
        const worker = await queue.startWorker(hands, watch.onEvent);
        await worker.reach(TURNS);
        const waited = watch.end();
        await worker.stop();
        longest = Math.max(longest, waited);
        if (waited >= STALL_MS) stalled += 1;
      }
    } finally {
      await queue.close();
    }
  }
  return [
    toRow({
      id: 'stalled_runs',
      what: `runs of ${TURNS} queued turns in which a worker stalled`,
      value: (stalled / (RUNS.length * rounds)) * 100,
      unit: '%',
      goal: { kind: 'exactly', value: 0 },
      note: `${stalled} of ${RUNS.length * rounds} runs over 1 to 64 worlds, 2 to 16 hands; the longest wait ${longest.toFixed(0)} ms above three medians`,
    }),
  ];
}

/** Samples how long each world waits from a turn to its next. */
function watchWorlds() {
  let sample = 0;
  const ended = new Map<string, number>();
  const waits: number[] = [];
  const timer = setInterval(() => {
    sample += 1;
  }, SAMPLE_MS);
  return {
    onEvent(event: WorkerEvent): void {
      if (event.kind === 'turn_committed') ended.set(event.world_slug, sample);
      if (event.kind !== 'turn_began') return;
      const since = ended.get(event.world_slug);
      if (since !== undefined) waits.push((sample - since) * SAMPLE_MS);
    },
    /** @returns by how much the longest wait is above what the order of the queue makes all wait */
    end(): number {
      clearInterval(timer);
      return Math.max(...waits) - ORDINARY * median(waits);
    },
  };
}
