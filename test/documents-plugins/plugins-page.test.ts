import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { askHere } from '../acceptance/command.js';
import { emptyDatabase } from '../support/databases.js';
import { FIRST_COMPILED } from '../support/program.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = join(ROOT, 'dist', 'engine', 'chukwa.js');

const page = await readFile(join(ROOT, 'docs', 'plugins.md'), 'utf8');
const folder = await mkdtemp(join(tmpdir(), 'chukwa-page-'));
after(() => rm(folder, { recursive: true, force: true }));
const database = await emptyDatabase({ after });

test('the page on plugins, followed to the letter, ends with a world that uses a plugin of its own', async () => {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(
    join(bin, 'npx'),
    `#!/bin/sh\n[ "$1" = chukwa ] || exit 97\nshift\nexec "${process.execPath}" ${FIRST_COMPILED.join(' ')} "${PROGRAM}" "$@"\n`,
  );
  await chmod(join(bin, 'npx'), 0o755);
  const { PATH = '' } = process.env;
  const env = { PATH: [bin, PATH].join(delimiter), CHUKWA_DATA_DIR: join(folder, 'data'), ...database };
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', toScript(page)], { cwd: folder, env });
  assert.match(stdout, /Made the plugin tide_table in plugins\/tide_table/);
  assert.equal([...stdout.matchAll(/17 rules kept, 0 broken, 2 without a use here$/gm)].length, 2);
  // Where a folder's path is long, each column has a line of its own.
  const [speaks, version, folderOf] = ['speaks', 'version', 'folder'].map((title) => `\\s+(?:${title}\\s+)?`);
  assert.match(
    stdout,
    new RegExp(`tide_table${speaks}json${version}1-[0-9a-f]{12}${folderOf}plugins/tide_table$`, 'm'),
  );
  assert.match(stdout, /turn 1 committed: 1 patch/);
  assert.match(stdout, /tide +rising true · centimetres 100/);
});

test('the page lists every rule that a plugin is held to, and no other', async () => {
  const words = ['plugin', 'test', 'http_json'];
  const { checks } = await askHere<{ readonly checks: readonly { readonly rule: string }[] }>(words, {});
  const [, below = ''] = page.split('\n## What every plugin keeps\n')[1]?.split('The rules:\n') ?? [];
  const listed = [...(below.split('\n\n')[0] ?? '').matchAll(/`([a-z_]+)`/g)].map(([, rule]) => rule);
  assert.deepEqual(
    listed,
    checks.map(({ rule }) => rule),
  );
});

/** Files and commands of a page, in its order, as one script. */
function toScript(text: string): string {
  const steps = [...text.matchAll(/(?:^\*\*`([^`]+)`\*\*\n\n)?^```(sh|js|json)\n(.*?)^```$/gms)];
  assert.equal(steps.length, 9, 'every file and block of commands is a step');
  return steps
    .map(([, file, language, content = '']) => {
      if (language === 'sh') return content;
      assert.ok(file !== undefined, `a file without a name: ${content.slice(0, 80)}`);
      return `mkdir -p "$(dirname '${file}')"\ncat > '${file}' <<'END_OF_FILE'\n${content}END_OF_FILE\n`;
    })
    .join('\n');
}
