import type { Family } from '../arguments.js';
import type { ProgressLine } from '../progress.js';
import { median } from '../statistics.js';
import { timeSubjects } from '../subjects/measure.js';
import { withFreshDatabase } from '../turns/served.js';
import { type Curve, trace } from './curve.js';
import { traceFleet } from './fleet.js';
import { traceStored } from './stored.js';
import { traceTurns } from './turns.js';

const SUBJECTS = [1, 10, 100, 1_000, 10_000];

/**
 * Measures how figures develop while their causes grow.
 * @param program the compiled program
 * @param families those that are wanted
 */
export async function measureGrowth(
  program: string,
  families: readonly Family[],
  progress: ProgressLine,
): Promise<readonly Curve[]> {
  const measures: Readonly<Record<Family, (url: string) => Promise<readonly Curve[]>>> = {
    turns: (url) => traceTurns(url, progress),
    subjects: async (url) => [await traceSubjects(url, progress)],
    fleet: (url) => traceFleet(program, url, progress),
    stored: (url) => traceStored(url, progress),
  };
  const curves: Curve[] = [];
  for (const family of families)
    curves.push(...(await withFreshDatabase(process.env['CHUKWA_BENCH_DATABASE_URL'], measures[family])));
  return curves;
}

function traceSubjects(url: string, progress: ProgressLine): Promise<Curve> {
  const about = {
    id: 'subjects',
    title: 'a turn, models of 200 ms',
    over: 'concurrent subjects',
    unit: 's',
  } as const;
  return trace(
    about,
    SUBJECTS,
    async (subjects) => {
      const { seconds, cpu_seconds } = await timeSubjects(url, subjects, subjects > 1_000 ? 2 : 5);
      return { y: median(seconds), cpu_ms: median(cpu_seconds) * 1000 };
    },
    (text) => progress.say(text),
  );
}
