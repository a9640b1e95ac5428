import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import { median } from '../statistics.js';
import { type ChildRun, runChild } from './child-run.js';

const START_RUNS = { empty: 4, existing: 7 };
const PARK_RUNS = { empty: 3, existing: 3 };
const MAKE = ['migrate', '--json'];
const LIST = ['world', 'list', '--json'];
const PARK = ['park', '--json'];

/**
 * The start-up time of the compiled program, and the memory of the park, on an empty data folder and on an existing
 * one.
 * @param program the compiled `chukwa.js`
 */
export async function measureStarts(program: string, progress: ProgressLine): Promise<readonly Row[]> {
  progress.say('starting on an empty folder');
  const emptyStarts = await onEmptyFolders(program, MAKE, START_RUNS.empty);
  progress.say('starting on a folder that is there');
  const existingStarts = await onOneFolder(program, LIST, START_RUNS.existing);
  progress.say('running the park on an empty folder');
  const emptyParks = await onEmptyFolders(program, PARK, PARK_RUNS.empty);
  progress.say('running the park on a folder that is there');
  const existingParks = await onOneFolder(program, PARK, PARK_RUNS.existing);
  return [
    toStartRow('empty', MAKE, emptyStarts, { value: 4, stretch: 2 }),
    toStartRow('existing', LIST, existingStarts, { value: 2, stretch: 1 }),
    toMemoryRow('empty', emptyParks, 550),
    toMemoryRow('existing', existingParks, 450),
  ];
}

type Folder = 'empty' | 'existing';

function toStartRow(
  folder: Folder,
  words: readonly string[],
  runs: readonly ChildRun[],
  goal: { readonly value: number; readonly stretch: number },
): Row {
  const cpu_ms = median(runs.map((run) => run.cpu_ms));
  return toRow({
    id: `start_${folder}`,
    what: `start to answer, ${folder} folder`,
    value: median(runs.map(({ first_byte_ms }) => first_byte_ms)) / 1000,
    unit: 's',
    goal: { kind: 'at_most', ...goal },
    note: `chukwa ${words.join(' ')}; median of ${runs.length}; ${(cpu_ms / 1000).toFixed(2)} s of CPU`,
  });
}

function toMemoryRow(folder: Folder, runs: readonly ChildRun[], limit_mb: number): Row {
  return toRow({
    id: `park_memory_${folder}`,
    what: `peak memory of the park, ${folder} folder`,
    value: Math.max(...runs.map(({ peak_mb }) => peak_mb)),
    unit: 'MB',
    goal: { kind: 'at_most', value: limit_mb },
    note: `chukwa ${PARK.join(' ')}; greatest of ${runs.length}`,
  });
}

async function onEmptyFolders(program: string, words: readonly string[], times: number): Promise<readonly ChildRun[]> {
  const runs: ChildRun[] = [];
  for (let run = 0; run < times; run += 1)
    runs.push(await inFolder((folder) => runChild(program, words, { CHUKWA_DATA_DIR: join(folder, 'data') })));
  return runs;
}

function onOneFolder(program: string, words: readonly string[], times: number): Promise<readonly ChildRun[]> {
  return inFolder(async (folder) => {
    const variables = { CHUKWA_DATA_DIR: join(folder, 'data') };
    await runChild(program, ['migrate'], variables);
    const runs: ChildRun[] = [];
    for (let run = 0; run < times; run += 1) runs.push(await runChild(program, words, variables));
    return runs;
  });
}

/** Runs a task in a temporary folder. */
export async function inFolder<Value>(task: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-bench-'));
  try {
    return await task(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
