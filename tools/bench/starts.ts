import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { renderNumber, type Row, toRow } from './figures.js';
import { median } from './measures.js';
import { makeFolder, onStage, type Stage, startProgram, type Variables } from './stage.js';

/** Commands, and how often each is run in an empty folder and in an existing one. */
const START = { empty: ['migrate', '--json'], existing: ['world', 'list', '--json'] };
const START_RUNS = { empty: 4, existing: 7 };
const PARK = ['park', '--json'];
const PARK_RUNS = 3;

/** The start-up time of the program, and the memory of the park, on an empty data folder and on an existing one. */
export async function measureStarts(stage: Stage): Promise<readonly Row[]> {
  const data = await makeFolder(stage);
  await runProgram(['migrate'], { CHUKWA_DATA_DIR: data });
  const rows: Row[] = [];
  for (const folder of ['empty', 'existing'] as const) {
    const run = (words: readonly string[]): Promise<Run> =>
      folder === 'existing'
        ? runProgram(words, { CHUKWA_DATA_DIR: data })
        : onStage(async (fresh) => runProgram(words, { CHUKWA_DATA_DIR: await makeFolder(fresh) }));
    const starts: Run[] = [];
    for (let count = 0; count < START_RUNS[folder]; count += 1) starts.push(await run(START[folder]));
    const parks: Run[] = [];
    for (let count = 0; count < PARK_RUNS; count += 1) parks.push(await run(PARK));
    const [ms, cpu_ms] = [median(starts.map((one) => one.first_byte_ms)), median(starts.map((one) => one.cpu_ms))];
    const note = `chukwa ${START[folder].join(' ')}; median of ${starts.length}; ${renderNumber(cpu_ms / 1000)} s of CPU`;
    rows.push(toRow(`start_${folder}`, ms / 1000, note));
    const peak_mb = Math.max(...parks.map((one) => one.peak_mb));
    rows.push(toRow(`park_memory_${folder}`, peak_mb, `chukwa ${PARK.join(' ')}; greatest of ${parks.length}`));
  }
  return rows;
}

/** What one run of the program took. */
interface Run {
  /** From the spawn to the first byte of its answer. */
  readonly first_byte_ms: number;
  readonly peak_mb: number;
  /** Of its whole life, kernel's included. */
  readonly cpu_ms: number;
}

// Written at the child's end to a pipe of its own. The kernel's peak of the program alone is used where there is one:
// resource usage begins with that of the parent.
const REPORT = `data:text/javascript,${encodeURIComponent(`
import { readFileSync, writeSync } from 'node:fs';
process.on('exit', () => {
  let peak = process.resourceUsage().maxRSS;
  try { peak = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]); } catch {}
  const { user, system } = process.cpuUsage();
  writeSync(3, JSON.stringify({ peak_mb: (peak * 1024) / 1e6, cpu_ms: (user + system) / 1000 }));
});`)}`;

/** Runs the program once, to its end. @throws Error where it does not exit with 0 */
export async function runProgram(words: readonly string[], variables: Variables): Promise<Run> {
  const begun = performance.now();
  const child = startProgram(words, variables, REPORT);
  let first_byte_ms = Number.NaN;
  child.stdout.once('data', () => {
    first_byte_ms = performance.now() - begun;
  });
  child.stdout.resume();
  const [[code], report] = await Promise.all([once(child, 'exit'), text(child.stdio[3] as Readable)]);
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}`);
  return { first_byte_ms, ...(JSON.parse(report) as Pick<Run, 'peak_mb' | 'cpu_ms'>) };
}
