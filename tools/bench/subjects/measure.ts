import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import { median } from '../statistics.js';
import type { ModelOrder, ModelWord, TurnsOrder, TurnsWord } from './process-words.js';

const SUBJECTS = 1_000;
const MODEL_MS = 200;
const TURNS = 5;

/** Turns of many concurrent subjects, each with one generation of a slow model, with everything recorded. */
export async function measureSubjects(url: string, progress: ProgressLine): Promise<readonly Row[]> {
  progress.say(`running turns of ${SUBJECTS} concurrent subjects`);
  return toSubjectsRows(await timeSubjects(url, SUBJECTS));
}

/** Some turns of so many concurrent subjects, the model and the engine in processes of their own. */
export async function timeSubjects(database_url: string, subjects: number, turns = TURNS): Promise<TurnsWord> {
  const model = start('model-process', { subjects, delay_ms: MODEL_MS } satisfies ModelOrder);
  try {
    const { url } = await receive<ModelWord>(model);
    const engine = start('turns-process', { url, database_url, subjects, turns } satisfies TurnsOrder);
    return await receive<TurnsWord>(engine);
  } finally {
    if (model.connected) model.disconnect();
  }
}

function start(name: string, order: ModelOrder | TurnsOrder): ChildProcess {
  return fork(fileURLToPath(new URL(`./${name}.js`, import.meta.url)), [JSON.stringify(order)], { execArgv: [] });
}

/** @throws Error where the process ends without a message */
async function receive<Word>(child: ChildProcess): Promise<Word> {
  const word = once(child, 'message') as Promise<[Word]>;
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`a process of the benchmark ended with ${String(code)}`);
  });
  const [said] = await Promise.race([word, gone]);
  gone.catch(() => {});
  return said;
}

function toSubjectsRows({ seconds, cpu_seconds, peak_mb }: TurnsWord): readonly Row[] {
  const in_order = (SUBJECTS * MODEL_MS) / 1000;
  const what = `${SUBJECTS} concurrent subjects, each with a generation of ${MODEL_MS} ms`;
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
  ];
}
