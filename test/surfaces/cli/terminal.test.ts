import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { toTerminal } from '../../../engine/surfaces/cli/terminal.js';

/** A process at a terminal, as far as a terminal is concerned. */
function openProcess() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const killed: string[] = [];
  const process = {
    stdin,
    stderr,
    stdout: stderr,
    argv: [],
    env: {},
    pid: 1,
    cwd: () => '/',
    kill: (_pid: number, signal: string) => void killed.push(signal),
    once: () => {},
  } as unknown as NodeJS.Process;
  const { ask } = toTerminal(process);
  assert.ok(ask);
  return { stdin, ask, killed };
}

test('lines that are pasted at once answer one question each', async () => {
  const { stdin, ask } = openProcess();
  const first = ask('> ');
  stdin.write('{\n"a": 1\n}\nlater\n');
  assert.deepEqual([await first, await ask('. '), await ask('. ')], ['{', '"a": 1', '}']);
  assert.equal(await ask('> '), 'later');
  const typed = ask('> ');
  stdin.write('typed\n');
  assert.equal(await typed, 'typed');
});

test('a person who ends the input gives no answer, and requests a stop', async () => {
  const { stdin, ask, killed } = openProcess();
  const asked = ask('> ');
  stdin.end();
  assert.equal(await asked, undefined);
  assert.deepEqual(killed, ['SIGINT']);
});
