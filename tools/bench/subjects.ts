import { withDatabases } from '../databases.js';
import type { Scene } from '../documents.js';
import { openHelper } from '../helper.js';
import { median, say } from '../measures.js';
import { type Row, toRow } from '../row.js';
import { measureMakespan } from './measure-makespan.js';
import type { TurnsOrder, TurnsTaken } from './turns-process.js';

const SUBJECTS = 1_000;
const MODEL_MS = 200;
const TURNS = 5;

/** Turns of many concurrent subjects: with everything recorded and a slow model, and over virtual time. */
export async function measureSubjects(): Promise<readonly Row[]> {
  say(`running turns of ${SUBJECTS} concurrent subjects`);
  const { seconds, cpu_seconds, peak_mb } = await withDatabases(async (make) =>
    timeSubjects(await make('subjects'), SUBJECTS, TURNS),
  );
  const what = `${SUBJECTS} concurrent subjects, each with a generation of ${MODEL_MS} ms`;
  const in_order = (SUBJECTS * MODEL_MS) / 1000;
  return [
    toRow({
      id: 'concurrent_subjects',
      what: `turn of ${what}`,
      value: median(seconds),
      unit: 's',
      goal: { kind: 'at_most', value: 5, stretch: 2 },
      note: `the models alone take ${in_order} s in order; ${median(cpu_seconds).toFixed(1)} s of CPU, of the engine's process`,
    }),
    toRow({
      id: 'concurrent_subjects_memory',
      what: `peak memory of the engine's process, ${what}`,
      value: peak_mb,
      unit: 'MB',
      goal: { kind: 'at_most', value: 600 },
      note: `the greatest resident set in ${TURNS} turns; model and database are other processes`,
    }),
    ...(await measureMakespan()),
  ];
}

/** Some turns of so many concurrent subjects, each at home, the model and the engine in processes of their own. */
export async function timeSubjects(database_url: string, subjects: number, turns: number): Promise<TurnsTaken> {
  const places = Array.from({ length: subjects }, (_none, index) => `home_${index}`);
  const scene: Scene = { places, execution: 'per_subject_concurrent' };
  const module = (name: string): URL => new URL(`./${name}-process.js`, import.meta.url);
  const model = await openHelper<object, unknown>(module('model'), [JSON.stringify(scene), `${MODEL_MS}`]);
  const engine = await openHelper<TurnsOrder, TurnsTaken>(module('turns'));
  try {
    return await engine.ask({ database_url, model_url: String(model.first), scene, turns });
  } finally {
    await engine.close();
    await model.close();
  }
}
