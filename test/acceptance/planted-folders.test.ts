import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { acquireKernelLock } from '../../engine/store/kernel-lock.js';
import { runHere } from './command.js';
import { makeFolder } from '../support/folder.js';

const OPERATOR_TOKEN = 'the-real-token-of-a-real-operator-0123456789';
const PLANTED_TOKEN = 'the-token-that-the-planter-has-made-up';
const ATTEMPT = '01a2015a-0bd6-7667-b4f2-ff813afe9e27';

/** Listens for what a planted folder makes others send. */
async function openThief(t: TestContext, said = '{"accepted": true, "message": "thank you"}') {
  const caught: string[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      caught.push(`${request.url} ${JSON.stringify(request.headers)} ${Buffer.concat(pieces).toString()}`);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(said);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { caught, port: (server.address() as AddressInfo).port };
}

/** A process that lives as long as the test. */
function startBystander(t: TestContext): number {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  t.after(() => child.kill());
  return child.pid ?? assert.fail('no process was started');
}

interface Planted {
  readonly url: string;
  readonly pid: number;
  readonly mode?: number;
  readonly folder_mode?: number;
}

async function plant(t: TestContext, { url, pid, mode = 0o600, folder_mode = 0o700 }: Planted) {
  const data_dir = join(await makeFolder(t), '.chukwa');
  await mkdir(data_dir);
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  await writeFile(join(data_dir, 'lock'), JSON.stringify({ host: hostname(), pid, boot }));
  // The planter holds the folder, and so its file is believed.
  const kernel = await acquireKernelLock(data_dir);
  t.after(() => kernel.kind === 'taken' && kernel.release());
  await writeFile(join(data_dir, 'serve.json'), JSON.stringify({ url, pid, command_token: PLANTED_TOKEN }));
  await chmod(join(data_dir, 'serve.json'), mode);
  await chmod(data_dir, folder_mode);
  return { CHUKWA_DATA_DIR: data_dir, CHUKWA_OPERATOR_TOKEN: OPERATOR_TOKEN, CHUKWA_TOKEN: `${OPERATOR_TOKEN}-not` };
}

async function tryAll(
  t: TestContext,
  variables: Awaited<ReturnType<typeof plant>>,
): Promise<readonly (number | null)[]> {
  const result = join(await makeFolder(t), 'result.json');
  await writeFile(result, '{"a": 1}');
  const stopped = await runHere(['stop', ATTEMPT, '--wait', '0'], variables);
  const reported = await runHere(['report', ATTEMPT, '--result', result, '--wait', '0'], variables);
  return [stopped.code, reported.code];
}

describe('a folder planted by a stranger', () => {
  const places: readonly (readonly [what: string, planted: (port: number) => Partial<Planted>])[] = [
    ['names a server of another machine', () => ({ url: 'http://192.0.2.1:80' })],
    ['hides another machine behind a user name', (port) => ({ url: `http://127.0.0.1:${port}@192.0.2.1` })],
    ['has a file that others may read', () => ({ mode: 0o644 })],
    ['may be written by others', () => ({ folder_mode: 0o777 })],
    ['names a process that is not there', () => ({ pid: 2 ** 22 + 1 })],
  ];
  for (const [what, change] of places)
    test(`a folder planted by a stranger that ${what} causes no request`, async (t) => {
      const { caught, port } = await openThief(t);
      const planted = { url: `http://127.0.0.1:${port}`, pid: startBystander(t), ...change(port) };
      const codes = await tryAll(t, await plant(t, planted));
      assert.ok(
        codes.every((code) => code !== 0),
        JSON.stringify(codes),
      );
      assert.deepEqual(caught, []);
    });

  for (const said of ['{}', '[]', 'null', '{"accepted": true}', '{"message": 7, "accepted": "yes"}'])
    test(`a folder planted by a stranger whose server answers ${said} has acknowledged nothing, and that is said`, async (t) => {
      const { port } = await openThief(t, said);
      const url = `http://127.0.0.1:${port}`;
      const stopped = await runHere(['stop', ATTEMPT], await plant(t, { url, pid: startBystander(t) }));
      assert.equal(stopped.code, 4, stopped.stderr);
      assert.match(stopped.stderr, new RegExp(`The server at ${url} could not carry out the request`));
    });

  test('a folder planted by a stranger that looks like our own in everything collects no token but its own', async (t) => {
    const { caught, port } = await openThief(t);
    const url = `http://127.0.0.1:${port}`;
    await tryAll(t, await plant(t, { url, pid: startBystander(t) }));
    assert.ok(caught.length > 0, 'the thief heard nothing, and nothing was sent');
    for (const text of caught) {
      assert.doesNotMatch(text, /bearer/i);
      assert.ok(!text.includes(OPERATOR_TOKEN) && text.includes(PLANTED_TOKEN));
    }
  });
});
