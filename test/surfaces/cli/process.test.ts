import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';

const PROGRAM = ['--import', 'tsx', 'engine/chukwa.ts'];

test('a reader that goes away is no error', async () => {
  const child = spawn(process.execPath, [...PROGRAM, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [error, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.equal(error, '');
  assert.equal(code, 0);
});

test('the exit code of the process is that of the command', async () => {
  const child = spawn(process.execPath, [...PROGRAM, 'prak'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [error, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.match(error, /Did you mean park/);
  assert.equal(code, 2);
});
