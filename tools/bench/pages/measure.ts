import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { type Row, toRow } from '../figures.js';
import { median, say, spend } from '../measures.js';
import {
  connect,
  makeFolder,
  onStage,
  openServer,
  type Page,
  readPage,
  serve,
  type Serving,
  type Stage,
} from '../stage.js';
import { runProgram } from '../starts.js';
import { fill, LONG } from './fill.js';
import { measureLive } from './live.js';

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
/** Searches for a rare word, a frequent one, a phrase, within a world, and for nothing that is there. */
const SEARCHES = ['number123x45x6', 'candy', '%22leans+back%22', 'candy&world=copy-77', 'nothinghasthis'];

/** The speed of pages on a server with a million calls, their size, their reads, and their cost for a turn. */
export async function measurePages(stage: Stage): Promise<readonly Row[]> {
  const url = await (await openServer(stage))('pages');
  await fill(url);
  return [
    ...(await onStage((served) => measureServed(served, url))),
    ...(await onStage((live) => measureLive(live, url))),
    await measureFirst(stage),
  ];
}

async function measureServed(stage: Stage, url: string): Promise<readonly Row[]> {
  const database = await connect(stage, url);
  const paths = await listPaths(database);
  const serving = await serve(stage, { CHUKWA_DATABASE_URL: url });
  say('warming up');
  await readAtRate(serving, paths, WARM_UP);
  say(`reading ${RATE} pages a second`);
  const watched = { processes: [serving.pid], database };
  const count = RATE * SECONDS;
  const { value: pages, ...cost } = await spend(() => readAtRate(serving, paths, count), count, watched);
  say('reading long pages, and searching');
  const long_attempt = `/attempts/${await findLongAttempt(database)}`;
  const long = await readInTurn(serving, Array(LONG_READS).fill(long_attempt));
  const searched = await readInTurn(
    serving,
    [...SEARCHES, ...SEARCHES].map((words) => `/search?q=${words}`),
  );
  const json = await readPage(serving, `${long_attempt}?format=json`, 'application/json');
  const sorted = pages.toSorted((one, other) => one.ms - other.ms);
  const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))]?.ms ?? Number.NaN;
  const slowest = `slowest ${sorted.at(-1)?.path} ${at(1).toFixed(0)} ms`;
  const parts = `server ${cost.others_ms.toFixed(1)} ms, database ${cost.database_ms.toFixed(1)} ms`;
  const times = long.map(({ ms }) => ms);
  return [
    toRow('pages_p99', at(0.99), `${count} pages at ${RATE} a second; median ${at(0.5).toFixed(1)} ms; ${slowest}`),
    toRow(
      'pages_cpu',
      cost.others_ms + cost.database_ms + cost.cpu_ms,
      `${parts}, client ${cost.cpu_ms.toFixed(1)} ms`,
    ),
    toRow(
      'pages_search',
      Math.max(...searched.map(({ ms }) => ms)),
      searched.map(({ path, ms }) => `${path} ${ms.toFixed(0)} ms`).join('; '),
    ),
    toRow('long_attempt_time', median(times), `the median of ${times.map((ms) => ms.toFixed(0)).join(', ')} ms`),
    toRow('long_attempt_size', (long[0]?.bytes ?? 0) / 1e6, `as JSON ${(json.bytes / 1e6).toFixed(2)} MB`),
  ];
}

async function readAtRate(serving: Serving, paths: readonly string[], count: number): Promise<readonly Page[]> {
  const began = performance.now();
  const pages: Page[] = [];
  let number = 0;
  // A page that has to wait for a free reader counts from when it was due.
  const read = async (): Promise<void> => {
    while (number < count) {
      const due = began + (number / RATE) * 1_000;
      const path = paths[number % paths.length] ?? '/';
      number += 1;
      await wait(Math.max(0, due - performance.now()));
      const page = await readPage(serving, path);
      pages.push({ ...page, ms: performance.now() - due });
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
  return pages;
}

async function readInTurn(serving: Serving, paths: readonly string[]): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (const path of paths) pages.push(await readPage(serving, path));
  return pages;
}

async function findLongAttempt(database: pg.Client): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT attempt_id AS id FROM attempts WHERE world_slug = '${LONG}'`,
  );
  return rows[0]?.id ?? '';
}

/** Each kind of list and detail, of several worlds, early and late parts of lists. */
async function listPaths(database: pg.Client): Promise<readonly string[]> {
  const { rows } = await database.query<Record<'slug' | 'attempt' | 'call' | 'llm', string>>(
    `SELECT world_slug AS slug, attempt_id AS attempt, source_invocation_id AS call, llm_call_id AS llm
     FROM source_invocations
     WHERE world_slug LIKE 'copy-_5' AND attempted_turn IN (1, 50, 100) AND command_key = 'agent_0/act/round-1/try-1'`,
  );
  const { rows: documents } = await database.query<{ path: string; hash: string }>(
    `SELECT DISTINCT ON (kind) CASE kind WHEN 'scenario' THEN 'scenarios' WHEN 'response_source' THEN 'response-sources'
       ELSE 'cognition-workflows' END AS path, hash
     FROM components WHERE kind IN ('scenario', 'response_source', 'cognition_workflow')`,
  );
  const scenario = documents.find(({ path }) => path === 'scenarios')?.hash;
  const lists = [
    '/',
    '/worlds',
    '/worlds?after=copy-3',
    `/worlds?scenario=${scenario}&after=copy-4`,
    '/inbox',
    '/source-invocations',
    '/llm-calls',
    '/scenarios',
    '/response-sources',
    ...documents.map(({ path, hash }) => `/${path}/hash/${hash}`),
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

async function measureFirst(stage: Stage): Promise<Row> {
  say('reading the first page of an embedded database');
  const variables = { CHUKWA_DATA_DIR: await makeFolder(stage) };
  await runProgram(['park', '--json'], variables);
  const serving = await serve(stage, variables);
  await wait(READ_LINK_MS);
  const { ms } = await readPage(serving, '/');
  return toRow('first_page', ms, `the first request to a server, ${READ_LINK_MS / 1_000} s after it listens`);
}
