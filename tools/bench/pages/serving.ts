import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Variables } from '../worlds.js';

/** A `chukwa serve` in a process of its own. */
export interface Serving {
  readonly pid: number;
  /** `http://127.0.0.1:4747`, without a slash at the end. */
  readonly url: string;
  /** Lets an operator in. */
  readonly token: string;
  /** Reads a page as an operator. @returns how long it took, and how many bytes it has */
  get(path: string): Promise<Page>;
}

/** One page, as it came. */
export interface Page {
  readonly path: string;
  readonly ms: number;
  readonly bytes: number;
}

const TOKEN = 'an-operator-of-a-benchmark-with-32-characters';

/** Starts a server for as long as a task takes. @param variables that say where its database is */
export async function whileServing<Value>(
  program: string,
  variables: Variables,
  task: (serving: Serving) => Promise<Value>,
): Promise<Value> {
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', '--grace', '0'], {
    env: {
      ...process.env,
      ...variables,
      CHUKWA_OPERATOR_TOKEN: TOKEN,
      CHUKWA_TOKEN: TOKEN.replace('operator', 'consumer'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  const url = await findUrl(child.stdout);
  try {
    const get = (path: string): Promise<Page> => getPage({ url, token: TOKEN }, path);
    return await task({ pid: child.pid ?? 0, url, token: TOKEN, get });
  } finally {
    child.kill('SIGTERM');
    await gone;
  }
}

/** Reads a page as an operator. @throws Error where it is not answered with a page */
export async function getPage({ url, token }: Pick<Serving, 'url' | 'token'>, path: string): Promise<Page> {
  const began = performance.now();
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}`, accept: 'text/html' } });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${path} is answered with ${response.status}: ${body.toString('utf8')}`);
  return { path, ms: performance.now() - began, bytes: body.byteLength };
}

async function findUrl(output: Readable): Promise<string> {
  let said = '';
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    const url = /http:\/\/[\d.:]+/.exec(said)?.[0];
    if (url !== undefined) {
      output.resume();
      return url;
    }
  }
  throw new Error('the server ended before it listened');
}
