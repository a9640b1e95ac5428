import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { compose } from '../../../engine/main.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { openTestTerminal } from './test-terminal.js';
import { makeFolder } from '../../support/folder.js';

const folder = await makeFolder({ after });

async function chukwa(...words: readonly string[]) {
  const terminal = openTestTerminal({ working_folder: folder });
  const composition = await compose({ CHUKWA_DATA_DIR: join(folder, '.chukwa') });
  const code = await runCommandLine(composition, words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

const WORKFLOWS = join(process.cwd(), 'workflows');
const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const NOBODY = '0192f0c0-0000-7000-8000-000000000001';

const READING: readonly (readonly [code: number, ...words: readonly string[]])[] = [
  [0, 'world', 'list'],
  [0, 'list', 'scenario'],
  [0, 'search', 'fog'],
  [1, 'world', 'export', 'pond', '--out', 'pond.jsonl'],
  [1, 'world', 'delete', 'pond', '--yes'],
  [1, 'attempt', NOBODY],
];

for (const [code, ...words] of READING)
  test(`where no database has been made, chukwa ${words.join(' ')} reads an empty one and makes none`, async () => {
    const ended = await chukwa(...words);
    assert.equal(ended.code, code, ended.error);
    assert.deepEqual(await readdir(folder), []);
  });

test('an empty list of worlds, and a world that is not in an empty database, name the database', async () => {
  const unmade = `(embedded, in ${join(folder, '.chukwa')}, and not made yet)`;
  const listed = onOneLine((await chukwa('world', 'list')).out);
  assert.ok(listed.startsWith(`There are no worlds in the database ${unmade}. Make one: `), listed);
  const shown = onOneLine((await chukwa('world', 'show', 'pond')).error);
  assert.ok(shown.includes(`The database ${unmade} holds none. Make one: `), shown);
});

test('migrate makes the database', async () => {
  const ended = await chukwa('migrate');
  assert.equal(ended.code, 0, ended.error);
  assert.deepEqual(await readdir(join(folder, '.chukwa')), ['pgdata']);
});

test('a list of worlds names their database, for programs too', async () => {
  const made = await chukwa('world', 'create', 'pond', '--scenario', join(WORKFLOWS, 'simple'), '--root', WORKFLOWS);
  assert.equal(made.code, 0, made.error);
  const description = `embedded, in ${join(folder, '.chukwa')}`;
  const listed = onOneLine((await chukwa('world', 'list')).out);
  assert.ok(listed.startsWith(`database: ${description} turn world `), listed);
  const { database, worlds } = JSON.parse((await chukwa('world', 'list', '--json')).out) as Record<string, unknown>;
  assert.deepEqual([database, (worlds as readonly unknown[]).length], [description, 1]);
});
