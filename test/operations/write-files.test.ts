import assert from 'node:assert/strict';
import promises, { readdir, readFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeNewText } from '../../engine/operations/write-files.js';
import { makeFolder } from '../support/folder.js';

test('on a file system without hard links a file is written too, and never over another', async (context) => {
  const folder = await makeFolder(context);
  const path = join(folder, 'a.txt');
  context.mock.method(promises, 'link', () => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' })));
  syncBuiltinESMExports();
  context.after(() => {
    context.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.equal((await writeNewText({ path }, 'first')).ok, true);
  const again = await writeNewText({ path }, 'second');
  assert.equal(!again.ok && again.problems[0]?.code, 'FILE_EXISTS');
  assert.deepEqual([await readFile(path, 'utf8'), await readdir(folder)], ['first', ['a.txt']]);
});
