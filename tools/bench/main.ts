import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { compose } from '../../engine/main.js';
import { type Group, readArguments, type Wanted } from './arguments.js';
import { measureAuthoring } from './authoring/measure.js';
import { measureFleet } from './fleet/measure.js';
import { measureQueuedTurns } from './fleet/queued-turns.js';
import { measureRungCommits } from './fleet/rung-commits.js';
import { measureStalls } from './fleet/stalls.js';
import { drawCurves } from './growth/draw.js';
import { measureGrowth } from './growth/measure.js';
import { measurePages } from './pages/measure.js';
import { openProgressLine, type ProgressLine } from './progress.js';
import { measureReducer } from './reducer/measure.js';
import { renderCurves, renderTable } from './render-table.js';
import type { Row } from './row.js';
import { openBenchStage } from './stage/stage.js';
import { measureStarts } from './starts/measure.js';
import { measureMakespan } from './subjects/measure-makespan.js';
import { measureVillage } from './subjects/village.js';
import { measureSubjects } from './subjects/measure.js';
import { measureEmbeddedTurns } from './turns/embedded.js';
import { measureServedTurns, withFreshDatabase } from './turns/served.js';
import { measureRoundTrips } from './wire/measure.js';

// Measures the compiled program, so that it must be built: npm run build && npm run bench

const composition = await compose({});
const dist = join(composition.package_root, 'dist');

const MEASURES: Readonly<Record<Group, (progress: ProgressLine, rounds: number) => Promise<readonly Row[]>>> = {
  starts: (progress) => measureStarts(join(dist, 'engine', 'chukwa.js'), progress),
  reducer: async (progress) => {
    progress.say('timing the reducer');
    return measureReducer(await composition.openAuthoring());
  },
  authoring: (progress) => {
    progress.say('checking documents');
    return measureAuthoring(composition);
  },
  trips: (progress) => onServer((url, stage) => measureRoundTrips(url, stage, progress)),
  served: (progress) => onServer((url, stage) => measureServedTurns(url, stage, progress)),
  fleet: (progress) =>
    withFreshDatabase(process.env['CHUKWA_BENCH_DATABASE_URL'], (url) =>
      measureFleet(join(dist, 'engine', 'chukwa.js'), url, progress),
    ),
  queue: (progress) =>
    withFreshDatabase(process.env['CHUKWA_BENCH_DATABASE_URL'], async (url) => [
      ...(await measureQueuedTurns(url, progress)),
      ...(await measureRungCommits(url, progress)),
    ]),
  stalls: (progress, rounds) =>
    withFreshDatabase(process.env['CHUKWA_BENCH_DATABASE_URL'], (url) => measureStalls(url, rounds, progress)),
  subjects: (progress) =>
    withFreshDatabase(process.env['CHUKWA_BENCH_DATABASE_URL'], (url) => measureSubjects(url, progress)),
  pages: (progress) =>
    withFreshDatabase(process.env['CHUKWA_BENCH_DATABASE_URL'], (url) =>
      measurePages(join(dist, 'engine', 'chukwa.js'), url, progress),
    ),
  village: async (progress) => {
    const { openEngine, package_root } = await compose({ CHUKWA_DATABASE_URL: 'memory:' });
    return measureVillage(openEngine, package_root, progress);
  },
  makespan: async (progress) => measureMakespan(await composition.openAuthoring(), progress),
  embedded: (progress) => onStage((stage) => measureEmbeddedTurns(join(dist, 'template.tar.gz'), stage, progress)),
};

type Stage = Awaited<ReturnType<typeof openBenchStage>>;

async function onStage(measure: (stage: Stage) => Promise<readonly Row[]>): Promise<readonly Row[]> {
  const stage = await openBenchStage();
  try {
    return await measure(stage);
  } finally {
    await stage.close();
  }
}

function onServer(measure: (url: string, stage: Stage) => Promise<readonly Row[]>): Promise<readonly Row[]> {
  const server = process.env['CHUKWA_BENCH_DATABASE_URL'];
  return withFreshDatabase(server, (url) => onStage((stage) => measure(url, stage)));
}

async function measureAll(
  { groups, rounds }: Extract<Wanted, { kind: 'figures' }>,
  progress: ProgressLine,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const group of groups) rows.push(...(await MEASURES[group](progress, rounds)));
  return rows;
}

/** @returns what is printed */
async function measure(wanted: Wanted, progress: ProgressLine): Promise<string> {
  const machine = { node: process.version, cores: cpus().length, platform: `${process.platform}-${process.arch}` };
  const toText = (measured: object, table: string): string =>
    wanted.is_json ? `${JSON.stringify({ machine, ...measured }, null, 2)}\n` : table;
  if (wanted.kind === 'figures') {
    const rows = await measureAll(wanted, progress);
    return toText({ rows }, renderTable(rows));
  }
  const curves = await measureGrowth(join(dist, 'engine', 'chukwa.js'), wanted.families, progress);
  if (wanted.draw_file !== undefined) await writeFile(wanted.draw_file, drawCurves(curves));
  return toText({ curves }, renderCurves(curves));
}

const wanted = readArguments(process.argv.slice(2));
if (wanted.kind === 'instead') {
  (wanted.exit_code === 0 ? process.stdout : process.stderr).write(wanted.text);
  process.exitCode = wanted.exit_code;
} else {
  const progress = openProgressLine(process.stderr);
  const said = await measure(wanted, progress).finally(() => progress.end());
  process.stdout.write(said);
}
