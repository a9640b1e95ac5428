import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { inFolder } from './documents.js';
import { median, say } from './measures.js';
import { type Goal, type Row, toRow } from './row.js';
import type { Variables } from './worlds.js';

const START_RUNS = { empty: 4, existing: 7 };
const PARK_RUNS = 3;
const MAKE = ['migrate', '--json'];
const LIST = ['world', 'list', '--json'];
const PARK = ['park', '--json'];

/**
 * The start-up time of the compiled program, and the memory of the park, on an empty data folder and on an existing one.
 * @param program the compiled `chukwa.js`
 */
export async function measureStarts(program: string): Promise<readonly Row[]> {
  say('starting the program');
  return [
    toStartRow('empty', MAKE, await onEmptyFolders(program, MAKE, START_RUNS.empty), { value: 4, stretch: 2 }),
    toStartRow('existing', LIST, await onOneFolder(program, LIST, START_RUNS.existing), { value: 2, stretch: 1 }),
    toMemoryRow('empty', await onEmptyFolders(program, PARK, PARK_RUNS), 550),
    toMemoryRow('existing', await onOneFolder(program, PARK, PARK_RUNS), 450),
  ];
}

function toStartRow(
  folder: keyof typeof START_RUNS,
  words: readonly string[],
  runs: readonly ChildRun[],
  goal: Omit<Goal, 'kind'>,
): Row {
  const cpu_seconds = median(runs.map(({ cpu_ms }) => cpu_ms)) / 1000;
  return toRow({
    id: `start_${folder}`,
    what: `start to answer, ${folder} folder`,
    value: median(runs.map(({ first_byte_ms }) => first_byte_ms)) / 1000,
    unit: 's',
    goal: { kind: 'at_most', ...goal },
    note: `chukwa ${words.join(' ')}; median of ${runs.length}; ${cpu_seconds.toFixed(2)} s of CPU`,
  });
}

function toMemoryRow(folder: keyof typeof START_RUNS, runs: readonly ChildRun[], limit_mb: number): Row {
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

/** The resources of one run of the program. */
interface ChildRun {
  /** From the spawn to the first byte of its answer. */
  readonly first_byte_ms: number;
  readonly peak_mb: number;
  /** Of its whole life, kernel's included. */
  readonly cpu_ms: number;
}

// Written at the child's end to a pipe of its own. The kernel's peak of the program alone is used where there is one:
// resource usage begins with that of the parent.
const REPORT_PEAK = `
import { readFileSync, writeSync } from 'node:fs';
process.on('exit', () => {
  let peak = process.resourceUsage().maxRSS;
  try { peak = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]); } catch {}
  const { user, system } = process.cpuUsage();
  writeSync(3, JSON.stringify({ peak_mb: (peak * 1024) / 1e6, cpu_ms: (user + system) / 1000 }));
});`;

/**
 * Runs the compiled program once, to its end.
 * @throws Error where it does not exit with 0
 */
export async function runChild(program: string, words: readonly string[], variables: Variables): Promise<ChildRun> {
  const preload = `data:text/javascript,${encodeURIComponent(REPORT_PEAK)}`;
  const begun = performance.now();
  const child = spawn(process.execPath, ['--import', preload, program, ...words], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...variables },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let first_byte_ms = Number.NaN;
  child.stdout?.once('data', () => {
    first_byte_ms = performance.now() - begun;
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const [[code], , complaint, report] = await Promise.all([ended, ...child.stdio.slice(1).map(readAll)]);
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${complaint}`);
  return { first_byte_ms, ...(JSON.parse(report ?? '') as Pick<ChildRun, 'peak_mb' | 'cpu_ms'>) };
}

async function readAll(stream: ChildProcess['stdio'][number]): Promise<string> {
  return stream instanceof Readable ? text(stream) : '';
}
