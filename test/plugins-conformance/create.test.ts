import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compose } from '../../engine/main.js';
import { createPlugin } from '../../engine/operations/plugins/index.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { makeFolder } from '../support/folder.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

async function chukwa(words: readonly string[], working_folder: string, variables = {}) {
  const terminal = openTestTerminal({ working_folder });
  const code = await runCommandLine(await compose(variables), words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

test('a new plugin is complete in its folder, and the next commands are printed', async (t) => {
  const folder = await makeFolder(t);
  const { code, out } = await chukwa(['plugin', 'new', 'tide_table'], folder);
  assert.equal(code, 0);
  assert.match(out, /Made the plugin tide_table in plugins\/tide_table:/);
  assert.match(out, /npx chukwa plugin test plugins\/tide_table/);
  const manifest = JSON.parse(await readFile(join(folder, 'plugins/tide_table/plugin.json'), 'utf8')) as unknown;
  assert.equal((manifest as { readonly name: string }).name, 'tide_table');
  const listed = await chukwa(['plugin', 'list', '--json'], folder, { CHUKWA_PLUGIN_PATH: join(folder, 'plugins') });
  assert.match(listed.out, /"tide_table"/);
});

test('its own tests pass as they are written, and its types are right', async (t) => {
  const folder = await makeFolder(t);
  const made = await createPlugin({ name: 'tide_table', into: folder, taken: [], package_root: ROOT });
  assert.ok(made.ok);
  const { stdout } = await run(process.execPath, ['--test'], {
    cwd: made.value.folder,
    env: { PATH: process.env['PATH'] ?? '' },
  });
  assert.match(stdout, /pass 3\b/);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        allowJs: true,
        checkJs: true,
        rootDir: '/',
        paths: { 'chukwa/plugin': [join(ROOT, 'engine/contract/index.ts')] },
        typeRoots: [join(ROOT, 'node_modules/@types')],
      },
      include: ['tide_table'],
    }),
  );
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', folder]).catch((error: { readonly stdout: string }) =>
    assert.fail(error.stdout),
  );
});

test('scaffolded files have the format of this repository', async (t) => {
  const folder = await makeFolder(t);
  const made = await createPlugin({ name: 'tide_table', into: folder, taken: [], package_root: ROOT });
  assert.ok(made.ok);
  await writeFile(join(folder, 'biome.json'), await readFile(join(ROOT, 'biome.json'), 'utf8'));
  await run(join(ROOT, 'node_modules/.bin/biome'), ['format', '.'], { cwd: folder }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => assert.fail(error.stdout + error.stderr),
  );
});

const REFUSED: readonly (readonly [name: string, code: string])[] = [
  ['http_json', 'PLUGIN_NAME_TAKEN'],
  ['Tides', 'PLUGIN_NAME_INVALID'],
  ['../tides', 'PLUGIN_NAME_INVALID'],
  ['tides\n', 'PLUGIN_NAME_INVALID'],
  ['a'.repeat(65), 'PLUGIN_NAME_INVALID'],
  ['there', 'PLUGIN_FOLDER_EXISTS'],
];

for (const [name, expected] of REFUSED) {
  test(`a new plugin named ${JSON.stringify(name.slice(0, 12))} is refused as ${expected}`, async (t) => {
    const folder = await makeFolder(t);
    await mkdir(join(folder, 'plugins', 'there'), { recursive: true });
    const { code, out } = await chukwa(['plugin', 'new', name, '--json'], folder);
    assert.equal(code, 1);
    const { problems } = JSON.parse(out) as { readonly problems: readonly { readonly code: string }[] };
    assert.deepEqual(
      problems.map((problem) => problem.code),
      [expected],
    );
  });
}

test('plugin test on a folder that is none says what one is', async (t) => {
  const folder = await makeFolder(t);
  const { code, out, error } = await chukwa(['plugin', 'test', folder], folder);
  assert.equal(code, 1);
  const said = out + error;
  assert.match(said, /plugin\.json: there is no such file/);
  assert.match(said, /chukwa\s+plugin\s+new\s+NAME/);
  assert.doesNotMatch(said, /ENOENT/);
});

test('plugin list says which are left out and why, and goes on with the others', async (t) => {
  const folder = await makeFolder(t);
  await mkdir(join(folder, 'odd'));
  await writeFile(join(folder, 'odd', 'plugin.json'), '{');
  const { code, out, error } = await chukwa(['plugin', 'list'], folder, { CHUKWA_PLUGIN_PATH: folder });
  assert.equal(code, 0);
  assert.match(out, /http_json\s+(speaks\s+)?json/);
  assert.match(out, /llm_chat\s+(speaks\s+)?chat/);
  assert.match(error, /odd\/plugin\.json: .*\n[\s\S]*PLUGIN_MANIFEST_INVALID/);
});
