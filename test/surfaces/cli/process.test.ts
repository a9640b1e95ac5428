import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import { FIRST_COMPILED } from '../../support/program.js';

const PROGRAM = 'dist/engine/chukwa.js';

test('a reader that goes away is no error', async () => {
  const child = spawn(process.execPath, [PROGRAM, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [error, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.equal(error, '');
  assert.equal(code, 0);
});

test('a slow reader gets all that was written before the process ends', async () => {
  // More than a pipe holds: the process is done before the reader begins.
  const lines = 'x'.repeat(200_000);
  const words = `import { flush, toTerminal } from './dist/engine/surfaces/cli/terminal.js';
    const terminal = toTerminal(process);
    setInterval(() => {}, 1_000);
    terminal.out.write('x'.repeat(${lines.length}));
    terminal.error.write('written');
    await flush(process);
    terminal.leave(3);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.setEncoding('utf8');
  const exit = once(child, 'exit');
  assert.deepEqual(await once(child.stderr, 'data'), ['written']);
  assert.equal(await text(child.stdout), lines);
  assert.deepEqual(await exit, [3, null]);
});

test('a closed output is reported in one line, and the process ends in order', async (t) => {
  const full = await open('/dev/full', 'w').catch(() => undefined);
  if (!full) return t.skip('this system has no device that is always full');
  for (const words of [['--help'], ['validate', 'workflows', '--json']]) {
    const child: ChildProcess = spawn(process.execPath, [...FIRST_COMPILED, PROGRAM, ...words], {
      stdio: ['ignore', full.fd, 'pipe'],
    });
    assert.ok(child.stderr);
    const [error, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    assert.match(error, /^chukwa: standard output takes no more \(.*ENOSPC.*\); the rest is not shown\n$/);
    assert.equal(code, 4);
  }
  await full.close();
});

test('a working folder that is gone is reported in one sentence', async () => {
  const leave = `import { mkdtempSync, rmdirSync } from 'node:fs'; import { tmpdir } from 'node:os';
    const folder = mkdtempSync(tmpdir() + '/chukwa-gone-'); process.chdir(folder); rmdirSync(folder);`;
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(leave)}`];
  const words = [...preload, join(process.cwd(), PROGRAM), '--help'];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [error, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.equal(error, 'chukwa: the folder that this was started in is gone; change to one that is there\n');
  assert.equal(code, 4);
});

test('the exit code of the process is that of the command', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'prak'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [error, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.match(error, /Did you mean park/);
  assert.equal(code, 2);
});

test('the log of a plugin and of its program goes to standard error, without secrets, where it is asked for', async () => {
  const server = `console.error('my key is canary-1234'); process.stdin.once('data', () => process.exit(1));`;
  const command = JSON.stringify([process.execPath, '-e', server, 'API_KEY=canary-1234']);
  const errorOf = async (more: readonly string[], variables: Readonly<Record<string, string>>): Promise<string> => {
    const env = { ...process.env, CHUKWA_MCP_TEST: command, ...variables };
    const words = [...FIRST_COMPILED, PROGRAM, 'mcp', 'tools', 'CHUKWA_MCP_TEST', ...more];
    const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    return text(child.stderr);
  };
  const logged = /^plugin mcp_tool: CHUKWA_MCP_TEST: my key is \[secret:CHUKWA_MCP_TEST\]$/m;
  const [plain, verbose, debug] = await Promise.all([
    errorOf([], {}),
    errorOf(['--verbose'], {}),
    errorOf([], { CHUKWA_LOG: 'debug' }),
  ]);
  assert.doesNotMatch(plain, /plugin mcp_tool/);
  for (const error of [verbose, debug]) assert.match(error, logged);
  for (const error of [plain, verbose, debug]) assert.doesNotMatch(error, /canary-1234/);
});
