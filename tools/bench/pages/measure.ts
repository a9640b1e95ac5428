import pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import type { ProgressLine } from '../progress.js';
import { type Row, toRow } from '../row.js';
import { runChild } from '../starts/child-run.js';
import { inFolder } from '../starts/measure.js';
import { fill, type Filled, SIZE } from './fill.js';
import { type Page, type Serving, startServing } from './serve-process.js';

const RATE = 100;
const SECONDS = 20;
/** Connections at a time. */
const READERS = 16;
const WARM_UP = 200;

/** How fast pages are on a server with a million calls, how large they are, and what they read. */
export async function measurePages(program: string, url: string, progress: ProgressLine): Promise<readonly Row[]> {
  progress.say('filling a database with a million calls');
  const filled = await fill(url, SIZE);
  const serving = await startServing(program, { CHUKWA_DATABASE_URL: url });
  try {
    return [...(await measureServed(url, serving, filled, progress)), await measureFirstEmbedded(program, progress)];
  } finally {
    await serving.close();
  }
}

/** The same on a database that has been filled before. */
export async function measureServed(
  url: string,
  serving: Serving,
  filled: Filled,
  progress: ProgressLine,
): Promise<readonly Row[]> {
  const paths = await listPaths(url, filled);
  progress.say('warming up');
  for (let turn = 0; turn < WARM_UP; turn += 1) await serving.get(paths[turn % paths.length] ?? '/');
  const before = await countScans(url);
  progress.say(`reading ${RATE} pages a second`);
  const pages = await readAtRate(serving, paths);
  progress.say('reading long pages');
  const long = await serving.get(`/attempts/${filled.long_attempt_id}`);
  const longJson = await serving.get(`/attempts/${filled.long_attempt_id}?format=json`);
  const searched = await readInTurn(serving, SEARCHES);
  const scans = (await countScans(url)) - before;
  const slowest = pages.toSorted((one, other) => other.ms - one.ms)[0];
  const largest = pages.toSorted((one, other) => other.bytes - one.bytes)[0];
  return [
    toRow({
      id: 'pages_p99',
      what: 'lists and details with a million calls stored: p99',
      value: percentile(
        pages.map(({ ms }) => ms),
        0.99,
      ),
      unit: 'ms',
      goal: { kind: 'at_most', value: 50 },
      note: `${pages.length} pages at ${RATE} a second; median ${percentile(
        pages.map(({ ms }) => ms),
        0.5,
      ).toFixed(1)} ms; slowest ${slowest?.path} ${slowest?.ms.toFixed(0)} ms`,
    }),
    toRow({
      id: 'pages_search_p99',
      what: 'a search among a million texts: slowest',
      value: Math.max(...searched.map(({ ms }) => ms)),
      unit: 'ms',
      goal: { kind: 'at_most', value: 200, stretch: 50 },
      note: searched.map(({ path, ms }) => `${path} ${ms.toFixed(0)} ms`).join('; '),
    }),
    toRow({
      id: 'pages_scans',
      what: 'whole tables that these pages read',
      value: scans,
      unit: 'scans',
      goal: { kind: 'exactly', value: 0 },
      note: `of ${LARGE.join(', ')}`,
    }),
    toRow({
      id: 'pages_largest',
      what: 'the largest of these pages',
      value: (largest?.bytes ?? 0) / 1e6,
      unit: 'MB',
      goal: { kind: 'at_most', value: 0.1 },
      note: largest?.path ?? '',
    }),
    toRow({
      id: 'pages_long_attempt_time',
      what: 'an attempt with 10,000 calls: time',
      value: long.ms,
      unit: 'ms',
      goal: { kind: 'at_most', value: 1_000 },
      note: `as JSON ${longJson.ms.toFixed(0)} ms`,
    }),
    toRow({
      id: 'pages_long_attempt_size',
      what: 'an attempt with 10,000 calls: size',
      value: long.bytes / 1e6,
      unit: 'MB',
      goal: { kind: 'at_most', value: 2 },
      note: `as JSON ${(longJson.bytes / 1e6).toFixed(2)} MB`,
    }),
  ];
}

/** Tables that grow with every call, attempt or turn. */
const LARGE = ['source_invocations', 'llm_calls', 'llm_chunks', 'attempts', 'turns', 'world_patches', 'search_entries'];

const SEARCHES = [
  '/search?q=number123456',
  '/search?q=bob',
  '/search?q=%22cold+front%22',
  '/search?q=bob&world=bench-77',
  '/search?q=nothinghasthis',
];

/** Each kind of list and detail, of several worlds, early and late parts of lists. */
async function listPaths(url: string, filled: Filled): Promise<readonly string[]> {
  const rows = await select<{ slug: string; attempt: string; call: string; llm: string }>(
    url,
    `SELECT world_slug AS slug, attempt_id AS attempt, source_invocation_id AS call, llm_call_id AS llm
     FROM source_invocations
     WHERE world_slug = ANY ($1) AND invocation_seq = 4 AND attempted_turn IN (1, 50, 100)`,
    [filled.world_slugs.filter((_slug, index) => index % 25 === 0)],
  );
  const lists = [
    '/',
    '/worlds',
    '/worlds?after=bench-3',
    `/worlds?scenario=${filled.scenario_hash}&after=bench-4`,
    '/inbox',
    '/source-invocations',
    '/llm-calls',
    '/scenarios',
    '/response-sources',
    `/response-sources/hash/${filled.source_hash}`,
    `/cognition-workflows/hash/${filled.workflow_hash}`,
    `/scenarios/hash/${filled.scenario_hash}`,
  ];
  const details = rows.flatMap(({ slug, attempt, call, llm }) => [
    `/worlds/${slug}`,
    `/worlds/${slug}?until=40`,
    `/worlds/${slug}/attempts?limit=20&after=${attempt}`,
    `/worlds/${slug}/turns/50`,
    `/worlds/${slug}/diff?from=40&to=50`,
    `/attempts/${attempt}`,
    `/attempts/${attempt}/source-invocations`,
    `/source-invocations/${call}`,
    `/source-invocations?after=${call}`,
    `/llm-calls/${llm}`,
    `/llm-calls?after=${llm}`,
  ]);
  // Each list stands among the details as often as each of them.
  return details.flatMap((path, index) => [path, lists[index % lists.length] ?? '/']);
}

async function readAtRate(serving: Serving, paths: readonly string[]): Promise<readonly Page[]> {
  const began = performance.now();
  const pages: Page[] = [];
  let number = 0;
  // A page that has to wait for a free reader counts from when it was due.
  const read = async (): Promise<void> => {
    while (number < RATE * SECONDS) {
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

async function countScans(url: string): Promise<number> {
  // Sessions tell their counts about once a second.
  await wait(1_500);
  const [row] = await select<{ scans: string }>(
    url,
    'SELECT sum(seq_scan) AS scans FROM pg_stat_user_tables WHERE relname = ANY ($1)',
    [LARGE],
  );
  return Number(row?.scans ?? 0);
}

async function select<Found extends object>(url: string, text: string, values: readonly unknown[]): Promise<Found[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Found>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function measureFirstEmbedded(program: string, progress: ProgressLine): Promise<Row> {
  progress.say('reading the first page of an embedded database');
  const page = await inFolder(async (folder) => {
    const variables = { CHUKWA_DATA_DIR: `${folder}/data` };
    await runChild(program, ['park', '--json'], variables);
    const serving = await startServing(program, variables);
    try {
      return await serving.get('/');
    } finally {
      await serving.close();
    }
  });
  return toRow({
    id: 'pages_first_embedded',
    what: 'the first page over an embedded database',
    value: page.ms,
    unit: 'ms',
    goal: { kind: 'at_most', value: 100 },
    note: 'the first request to a server that has just begun to listen',
  });
}
