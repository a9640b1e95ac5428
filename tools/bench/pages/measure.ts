import { setTimeout as wait } from 'node:timers/promises';
import { connect, withClient, withDatabases } from '../databases.js';
import { inFolder } from '../documents.js';
import { say, type Spent, spendCpu } from '../measures.js';
import { type Row, toRow } from '../row.js';
import { runChild } from '../starts.js';
import { fill, type Filled } from './fill.js';
import { measureLive } from './live.js';
import { listPaths, SEARCHES } from './paths.js';
import { type Page, type Serving, whileServing } from './serving.js';

const RATE = 100;
const SECONDS = 20;
/** Connections at a time. */
const READERS = 16;
/** Until then Node.js compiles, and sessions of the database plan their statements. */
const WARM_UP = 1_500;
/** A person has to read the link that a server prints before following it. */
const READ_LINK_MS = 1_000;
/** How often a long page is read. */
const LONG_READS = 5;

/** The speed of pages on a server with a million calls, their size, their reads, and their cost for a turn. */
export async function measurePages(program: string): Promise<readonly Row[]> {
  const rows = await withDatabases(async (make) => {
    const url = await make('pages');
    const filled = await fill(url);
    const served = await whileServing(program, { CHUKWA_DATABASE_URL: url }, (serving) =>
      measureServed(url, serving, filled),
    );
    return [...served, ...(await measureLive(program, url))];
  });
  return [...rows, await measureFirstEmbedded(program)];
}

async function measureServed(url: string, serving: Serving, filled: Filled): Promise<readonly Row[]> {
  const paths = await listPaths(url, filled);
  const scansBefore = await countScans(url);
  say('warming up');
  await readAtRate(serving, { paths, pages: WARM_UP });
  say(`reading ${RATE} pages a second`);
  const outside = await connect(url);
  const read = () => readAtRate(serving, { paths, pages: RATE * SECONDS });
  const { value: pages, spent } = await spendCpu(outside, [serving.pid], read);
  await outside.end();
  say('reading long pages, and searching');
  const long = await readInTurn(serving, Array(LONG_READS).fill(`/attempts/${filled.long_attempt_id}`));
  const longJson = await serving.get(`/attempts/${filled.long_attempt_id}?format=json`);
  const searched = await readInTurn(serving, [...SEARCHES, ...SEARCHES]);
  const scans = [...(await countScans(url))].map(
    ([name, count]) => [name, count - (scansBefore.get(name) ?? 0)] as const,
  );
  return [...toServedRows(pages, spent), toScanRow(scans), toSearchRow(searched), ...toLongRows(long, longJson)];
}

function toServedRows(pages: readonly Page[], spent: Spent): readonly Row[] {
  const slowest = pages.toSorted((one, other) => other.ms - one.ms)[0];
  const largest = pages.toSorted((one, other) => other.bytes - one.bytes)[0];
  const times = pages.map(({ ms }) => ms);
  const perPage = (ms: number): number => ms / pages.length;
  const { own: client, others: server, database } = spent;
  return [
    toRow({
      id: 'pages_p99',
      what: 'lists and details with a million calls stored: p99',
      value: percentile(times, 0.99),
      unit: 'ms',
      goal: { kind: 'at_most', value: 50 },
      note: `${pages.length} pages at ${RATE} a second; median ${percentile(times, 0.5).toFixed(1)} ms; slowest ${slowest?.path} ${slowest?.ms.toFixed(0)} ms`,
    }),
    toRow({
      id: 'pages_cpu',
      what: 'one of these pages: CPU',
      value: perPage(server + database + client),
      unit: 'ms',
      goal: { kind: 'at_most', value: 8 },
      note: `server ${perPage(server).toFixed(1)} ms, database ${perPage(database).toFixed(1)} ms, client ${perPage(client).toFixed(1)} ms`,
    }),
    toRow({
      id: 'pages_largest',
      what: 'the largest of these pages',
      value: (largest?.bytes ?? 0) / 1e6,
      unit: 'MB',
      goal: { kind: 'at_most', value: 0.1 },
      note: largest?.path ?? '',
    }),
  ];
}

function toScanRow(scans: readonly (readonly [string, number])[]): Row {
  const read = scans.filter(([, count]) => count > 0).map(([name, count]) => `${count} of ${name}`);
  return toRow({
    id: 'pages_scans',
    what: 'whole tables that these pages and searches read',
    value: scans.reduce((sum, [, count]) => sum + count, 0),
    unit: 'scans',
    goal: { kind: 'exactly', value: 0 },
    note: read.join(', ') || `none of ${LARGE.join(', ')}`,
  });
}

function toSearchRow(searched: readonly Page[]): Row {
  return toRow({
    id: 'pages_search',
    what: 'a search among a million texts: slowest',
    value: Math.max(...searched.map(({ ms }) => ms)),
    unit: 'ms',
    goal: { kind: 'at_most', value: 200, stretch: 50 },
    note: searched.map(({ path, ms }) => `${path} ${ms.toFixed(0)} ms`).join('; '),
  });
}

function toLongRows(long: readonly Page[], longJson: Page): readonly Row[] {
  const times = long.map(({ ms }) => ms);
  return [
    toRow({
      id: 'pages_long_attempt_time',
      what: 'an attempt with 10,000 calls: time',
      value: percentile(times, 0.5),
      unit: 'ms',
      goal: { kind: 'at_most', value: 1_000 },
      note: `the median of ${times.map((ms) => ms.toFixed(0)).join(', ')} ms; as JSON ${longJson.ms.toFixed(0)} ms`,
    }),
    toRow({
      id: 'pages_long_attempt_size',
      what: 'an attempt with 10,000 calls: size',
      value: (long[0]?.bytes ?? 0) / 1e6,
      unit: 'MB',
      goal: { kind: 'at_most', value: 2 },
      note: `as JSON ${(longJson.bytes / 1e6).toFixed(2)} MB`,
    }),
  ];
}

/** Tables that grow with every call, attempt or turn. */
const LARGE = ['source_invocations', 'llm_calls', 'llm_chunks', 'attempts', 'turns', 'world_patches', 'search_entries'];

interface Reading {
  readonly paths: readonly string[];
  /** How many pages are read, of these paths in turn. */
  readonly pages: number;
}

async function readAtRate(serving: Serving, { paths, pages: most }: Reading): Promise<readonly Page[]> {
  const began = performance.now();
  const pages: Page[] = [];
  let number = 0;
  // A page that has to wait for a free reader counts from when it was due.
  const read = async (): Promise<void> => {
    while (number < most) {
      const due = began + (number / RATE) * 1_000;
      const path = paths[number % paths.length] ?? '/';
      number += 1;
      await wait(Math.max(0, due - performance.now()));
      const page = await serving.get(path);
      pages.push({ ...page, ms: performance.now() - due });
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
  return pages;
}

async function readInTurn(serving: Serving, paths: readonly string[]): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (const path of paths) pages.push(await serving.get(path));
  return pages;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** How often each large table was read as a whole. */
async function countScans(url: string): Promise<ReadonlyMap<string, number>> {
  // Sessions tell their counts about once a second.
  await wait(1_500);
  const text = 'SELECT relname AS name, seq_scan AS scans FROM pg_stat_user_tables WHERE relname = ANY ($1)';
  const { rows } = await withClient(url, (client) => client.query<{ name: string; scans: string }>(text, [LARGE]));
  return new Map(rows.map(({ name, scans }) => [name, Number(scans)]));
}

async function measureFirstEmbedded(program: string): Promise<Row> {
  say('reading the first page of an embedded database');
  const page = await inFolder(async (folder) => {
    const variables = { CHUKWA_DATA_DIR: `${folder}/data` };
    await runChild(program, ['park', '--json'], variables);
    return whileServing(program, variables, async (serving) => {
      await wait(READ_LINK_MS);
      return serving.get('/');
    });
  });
  return toRow({
    id: 'pages_first_embedded',
    what: 'the first page over an embedded database',
    value: page.ms,
    unit: 'ms',
    goal: { kind: 'at_most', value: 100 },
    note: `the first request to a server, ${READ_LINK_MS / 1_000} s after it has begun to listen`,
  });
}
