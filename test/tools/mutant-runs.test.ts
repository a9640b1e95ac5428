import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runTests } from '../../tools/mutate/run-tests.js';

test('the files that ended before a test failed are known, however soon after it its own file ends', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'chukwa-mutant-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const said = [
    '    ok 1 - a test',
    'ok 1 - first.js',
    '    not ok 1 - another test',
    'not ok 2 - second.js',
    'ok 3 - third.js',
  ];
  mkdirSync(join(folder, 'tools', 'mutate'), { recursive: true });
  writeFileSync(join(folder, 'tools', 'plain-promises.js'), '');
  const stays = 'setInterval(() => {}, 1_000);';
  writeFileSync(
    join(folder, 'tools', 'mutate', 'test-files.js'),
    `process.stdout.write(${JSON.stringify(`${said.join('\n')}\n`)}); ${stays}`,
  );
  const run = await runTests({ folder, variables: {} }, ['first.js', 'second.js', 'third.js'], () => 60);
  assert.deepEqual([run.outcome, run.failed, [...run.took.keys()]], ['killed', 'another test', ['first.js']]);
});
