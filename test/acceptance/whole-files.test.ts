import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { compose } from '../../engine/main.js';
import { commandOf } from '../plugins/mcp-servers.js';
import { emptyDatabase } from '../support/databases.js';
import { ROOT } from '../support/park-stage.js';
import { FIRST_COMPILED } from '../support/program.js';
import { type Ended, PROGRAM, runHere } from './command.js';
import { makeFolder } from '../support/folder.js';

// A write fails midway where the process may write no larger file, or where the disk is full.

type Variables = Readonly<Record<string, string>>;

const CHUKWA = [process.execPath, ...FIRST_COMPILED, PROGRAM];
const TEMPLATE = join(ROOT, 'fixtures/templates/agent');

/** A command for each way to write files for people, and the file or folder that it writes. */
const COMMANDS: readonly (readonly [made: string, ...words: readonly string[]])[] = [
  ['w.jsonl', 'world', 'export', 'w', '--out', 'w.jsonl'],
  ['w.test.json', 'record', 'w@1', '--out', 'w.test.json'],
  ['demo', 'new', 'world', 'demo'],
  ['written', 'mcp', 'tools', commandOf('memory'), '--write', 'written'],
];

/** Runs the program in a shell, after a preparation. */
function runAfter(preparation: string, words: readonly string[], variables: Variables, cwd: string): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', ...variables };
  const shell = ['-c', `${preparation}; exec "$0" "$@"`, ...CHUKWA, ...words];
  return new Promise((resolve) => {
    const child = execFile('sh', shell, { cwd, env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr: stderr.replaceAll(/\s+/g, ' ') }),
    );
  });
}

async function playWorld(context: TestContext): Promise<Variables> {
  const variables = await emptyDatabase(context);
  const script = join(TEMPLATE, 'answers.json');
  for (const words of [
    ['world', 'create', 'w', '--scenario', join(TEMPLATE, 'scenario.json')],
    ['run', 'w', '--llm', 'scripted', '--script', script],
  ]) {
    const { code, stderr } = await runHere(words, variables);
    assert.equal(code, 0, stderr);
  }
  return variables;
}

test('a command whose file cannot be written to its end says why, leaves nothing, and can be repeated', {
  timeout: 300_000,
}, async (context) => {
  const variables = await playWorld(context);
  const folder = await makeFolder(context);
  for (const [made, ...words] of COMMANDS) {
    const { code, stderr } = await runAfter('ulimit -f 1', words, variables, folder);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /cannot be written: it would exceed the largest size.*ulimit -f.*FILE_UNWRITABLE/, made);
    assert.deepEqual(await readdir(folder, { recursive: true }), [], made);
  }
  for (const [made, ...words] of COMMANDS) {
    const { code, stderr } = await runHere(words, variables, folder);
    assert.equal(code, 0, `${made}: ${stderr}`);
  }
  const expected = [...new Set(COMMANDS.map(([made]) => made))].toSorted();
  assert.deepEqual((await readdir(folder)).toSorted(), expected);
});

test('schemas that cannot be replaced stay as they are', async (context) => {
  const folder = await makeFolder(context);
  const file = join(folder, 'schemas', 'answers.schema.json');
  await mkdir(join(folder, 'schemas'));
  await writeFile(file, 'mine');
  const { code, stderr } = await runAfter('ulimit -f 1', ['schemas', '--write', 'schemas'], {}, folder);
  assert.equal(code, 1, stderr);
  assert.deepEqual(
    [await readFile(file, 'utf8'), await readdir(join(folder, 'schemas'))],
    ['mine', ['answers.schema.json']],
  );
});

test('serve says why it cannot write its tokens or its announcement, and leaves no file', async (context) => {
  const folder = await makeFolder(context);
  const words = ['serve', '--port', '0'];
  const variables = {
    CHUKWA_DATABASE_URL: 'memory:',
    CHUKWA_DATA_DIR: join(folder, 'data'),
    XDG_CONFIG_HOME: join(folder, 'user'),
  };
  const tokens = { CHUKWA_TOKEN: 'a'.repeat(32), CHUKWA_OPERATOR_TOKEN: 'b'.repeat(32) };
  const unkept = await runAfter('ulimit -f 0', words, variables, folder);
  assert.match(
    unkept.stderr,
    /[0-9a-f]{16}\.json cannot be written: it would exceed the largest size.*Allow larger files.*Or set CHUKWA_TOKEN/,
  );
  assert.doesNotMatch(unkept.stderr, /[Dd]elete/);
  const unannounced = await runAfter('ulimit -f 0', words, { ...variables, ...tokens }, folder);
  assert.match(unannounced.stderr, /serve\.json cannot be written: it would exceed the largest size.*FILE_UNWRITABLE/);
  assert.deepEqual([unkept.code, unannounced.code, await readdir(folder)], [4, 1, []]);
});

test('tokens that exist are used though nothing can be written', async (context) => {
  const folder = await makeFolder(context);
  const user = await makeFolder(context);
  const variables = { CHUKWA_DATABASE_URL: 'memory:', CHUKWA_DATA_DIR: folder, XDG_CONFIG_HOME: user };
  assert.ok((await (await compose(variables)).loadTokens()).ok);
  const { stderr } = await runAfter('ulimit -f 0', ['serve', '--port', '0'], variables, folder);
  assert.match(stderr, /serve\.json cannot be written/);
  assert.deepEqual(await readdir(folder), []);
});

const FILL = 'mount -t tmpfs -o size=16k none . && cd . && head -c 12k /dev/zero > filler';

test('on a full disk, a command says that it is full, and leaves nothing', async (context) => {
  const folder = await makeFolder(context);
  const alone = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
  const said = spawnSync('unshare', [...alone, FILL], { cwd: folder, encoding: 'utf8' });
  if (said.status !== 0) return context.skip(`this system mounts nothing for a test: ${said.stderr ?? said.error}`);
  const script = `${FILL}; "$0" "$@"; echo "ended with $?"; ls -A`;
  const words = [...CHUKWA, 'new', 'world', 'demo'];
  const { stdout, stderr } = spawnSync('unshare', [...alone, script, ...words], { cwd: folder, encoding: 'utf8' });
  assert.equal(stdout, 'ended with 1\nfiller\n');
  assert.match(stderr.replaceAll(/\s+/g, ' '), /demo cannot be written: the disk is full\. what to do: Free space/);
});
