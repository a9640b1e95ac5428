import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { argumentsOf } from '../support/program.js';

test('the packed manifest runs nothing where it is installed, and that of the checkout comes back', async (t) => {
  const cwd = await mkdtemp(join(tmpdir(), 'chukwa-packed-'));
  t.after(() => rm(cwd, { recursive: true, force: true }));
  const program = argumentsOf(new URL('../../tools/packed-manifest.js', import.meta.url));
  const run = (...words: readonly string[]) => promisify(execFile)(process.execPath, [...program, ...words], { cwd });
  const scripts = { prepare: 'build', install: 'build', postinstall: 'build', postpack: 'restore' };
  const text = JSON.stringify({ name: 'packed', scripts, dependencies: { a: '1' }, devDependencies: { b: '1' } });
  await mkdir(join(cwd, 'dist'));
  await writeFile(join(cwd, 'package.json'), text);
  await run();
  assert.deepEqual(JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8')), {
    name: 'packed',
    scripts: { postpack: 'restore' },
    dependencies: { a: '1' },
  });
  await run('restore');
  assert.equal(await readFile(join(cwd, 'package.json'), 'utf8'), text);
});
