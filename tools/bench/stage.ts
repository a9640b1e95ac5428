import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import pg from 'pg';
import { compose } from '../../engine/main.js';
import { startPostgres, toUrls } from '../postgres-server.js';

export type Variables = Readonly<Record<string, string>>;

/** The package's own folder, and its compiled program. */
export const ROOT = (await compose({})).package_root;
const PROGRAM = join(ROOT, 'dist/engine/chukwa.js');

/** Whatever is started for a measurement ends with its stage. */
export interface Stage {
  after(end: () => unknown): void;
}

/** Does something on a stage. What was started last ends first. */
export async function onStage<Value>(task: (stage: Stage) => Promise<Value>): Promise<Value> {
  const ends: (() => unknown)[] = [];
  try {
    return await task({ after: (end) => void ends.push(end) });
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

/** A temporary folder. */
export async function makeFolder(stage: Stage): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chukwa-bench-'));
  stage.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A connection to a database. */
export async function connect(stage: Stage, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  stage.after(() => client.end());
  return client;
}

/**
 * Finds a server to make empty databases on: the one that `CHUKWA_BENCH_DATABASE_URL` names, else one that is started here
 * and flushes its commits.
 * @returns makes a database by its name, and gives its address
 */
export async function openServer(stage: Stage): Promise<(name: string) => Promise<string>> {
  const given = process.env['CHUKWA_BENCH_DATABASE_URL'];
  const own = given === undefined ? await startPostgres({ is_durable: true }) : undefined;
  stage.after(() => own?.stop());
  const server = own ?? { url: toUrls(given ?? '') };
  const client = await connect(stage, given ?? server.url('postgres'));
  return async (name) => {
    const whole = `chukwa_bench_${process.pid}_${name.replaceAll(/\W/g, '_')}`;
    await client.query(`CREATE DATABASE ${whole}`);
    stage.after(() => client.query(`DROP DATABASE ${whole} WITH (FORCE)`));
    return server.url(whole);
  };
}

/** A process of the compiled program. */
export type Running = ChildProcess & { readonly stdout: Readable };

/** Starts the compiled program. @param preload a module that is loaded before it, and may write to its fourth stream */
export function startProgram(words: readonly string[], variables: Variables, preload?: string): Running {
  const flags = preload === undefined ? [] : ['--import', preload];
  return spawn(process.execPath, [...flags, PROGRAM, ...words], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...variables },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  }) as Running;
}

const TOKEN = 'an-operator-of-a-benchmark-with-32-characters';

/** A `chukwa serve` in a process of its own. */
export interface Serving {
  readonly pid: number;
  /** `http://127.0.0.1:4747`, without a slash at the end. */
  readonly url: string;
}

/** Starts a server. @param variables that say where its database is */
export async function serve(stage: Stage, variables: Variables): Promise<Serving> {
  const tokens = { CHUKWA_OPERATOR_TOKEN: TOKEN, CHUKWA_TOKEN: TOKEN.replace('operator', 'consumer') };
  const child = startProgram(['serve', '--port', '0', '--grace', '0'], { ...variables, ...tokens });
  const gone = once(child, 'exit');
  stage.after(() => {
    child.kill('SIGTERM');
    return gone;
  });
  return { pid: child.pid ?? 0, url: await findUrl(child.stdout) };
}

async function findUrl(output: Readable): Promise<string> {
  let said = '';
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    const [url] = /http:\/\/[\d.:]+/.exec(said) ?? [];
    if (url === undefined) continue;
    output.resume();
    return url;
  }
  throw new Error('the server ended before it listened');
}

/** What lets a request in as an operator's. */
export const AS_OPERATOR = { authorization: `Bearer ${TOKEN}` };

/** One answer of a server. */
export interface Page {
  readonly path: string;
  readonly ms: number;
  readonly bytes: number;
}

/** Reads a page as an operator. @throws Error where it is not answered with a page */
export async function readPage({ url }: Pick<Serving, 'url'>, path: string, accept = 'text/html'): Promise<Page> {
  const began = performance.now();
  const response = await fetch(`${url}${path}`, { headers: { ...AS_OPERATOR, accept } });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${path} is answered with ${response.status}: ${body.toString('utf8')}`);
  return { path, ms: performance.now() - began, bytes: body.byteLength };
}
