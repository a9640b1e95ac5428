import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compose } from '../../engine/main.js';
import { measureAuthoring } from './authoring/measure.js';
import { measureFleet } from './fleet/measure.js';
import { drawCurves } from './growth/draw.js';
import { GROWTH, measureGrowth } from './growth/measure.js';
import { measurePages } from './pages/measure.js';
import { openProgressLine, type ProgressLine } from './progress.js';
import { measureReducer } from './reducer/measure.js';
import { renderCurves, renderTable } from './render-table.js';
import type { Row } from './row.js';
import { openBenchStage } from './stage/stage.js';
import { measureStarts } from './starts/measure.js';
import { measureMakespan } from './subjects/measure-makespan.js';
import { measureSubjects } from './subjects/measure.js';
import { measureEmbeddedTurns } from './turns/embedded.js';
import { measureServedTurns, withFreshDatabase } from './turns/served.js';
import { measureRoundTrips } from './wire/measure.js';

// Measures the compiled program, so that it must be built: npm run build && npm run bench [-- --json] [--only NAME ...]
// With --growth it measures curves in place of figures, and --draw FILE draws them.

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    growth: { type: 'boolean', default: false },
    draw: { type: 'string' },
  },
});

const composition = await compose({});
const dist = join(composition.package_root, 'dist');

/** In order: what is measured by starting processes comes first, while this one is still small. */
const MEASURES: Readonly<Record<string, (progress: ProgressLine) => Promise<readonly Row[]>>> = {
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
  subjects: (progress) =>
    withFreshDatabase(process.env['CHUKWA_BENCH_DATABASE_URL'], (url) => measureSubjects(url, progress)),
  pages: (progress) =>
    withFreshDatabase(process.env['CHUKWA_BENCH_DATABASE_URL'], (url) =>
      measurePages(join(dist, 'engine', 'chukwa.js'), url, progress),
    ),
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

function choose(names: readonly string[], all: readonly string[]): readonly string[] {
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`nothing to measure is named ${unknown.join(', ')}: ${all.join(', ')}`);
  return names.length === 0 ? all : names;
}

async function measureAll(names: readonly string[], progress: ProgressLine): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const name of choose(names, Object.keys(MEASURES))) rows.push(...((await MEASURES[name]?.(progress)) ?? []));
  return rows;
}

async function report(progress: ProgressLine): Promise<string> {
  const machine = { node: process.version, cores: cpus().length, platform: `${process.platform}-${process.arch}` };
  if (!flags.growth) {
    const rows = await measureAll(flags.only, progress);
    return flags.json ? `${JSON.stringify({ machine, rows }, null, 2)}\n` : renderTable(rows);
  }
  const curves = await measureGrowth(join(dist, 'engine', 'chukwa.js'), choose(flags.only, GROWTH), progress);
  if (flags.draw !== undefined) await writeFile(flags.draw, drawCurves(curves));
  return flags.json ? `${JSON.stringify({ machine, curves }, null, 2)}\n` : renderCurves(curves);
}

const progress = openProgressLine(process.stderr);
const said = await report(progress).finally(() => progress.end());
process.stdout.write(said);
