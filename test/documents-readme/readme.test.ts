import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CHANGEABLE_SCENARIO_FIELDS } from '../../engine/contract/changeable-fields.js';
import { openNpxHere } from '../support/npx-here.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = join(ROOT, 'dist', 'engine', 'chukwa.js');

const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
const folder = await mkdtemp(join(tmpdir(), 'chukwa-readme-'));
const npx = await openNpxHere(folder);
after(() => {
  npx.close();
  return rm(folder, { recursive: true, force: true });
});

test('the table of commands is what chukwa --help lists', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, '--help']);
  assert.deepEqual(commandsOfReadme(), commandsOfHelp(stdout));
});

test('the first workflow of the README runs as it is written, and lights the lamp', async () => {
  const files = [...readme.matchAll(/^\*\*`([^`]+)`\*\*\n\n```json\n(.*?)\n```$/gms)];
  assert.ok(files.length > 0, 'the README shows no files');
  for (const [, name = '', text = ''] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), `${text}\n`);
  }
  const printed = await runInShell(commandsBelow('## Your first workflow in five minutes'));
  const [, run = '', shown = ''] = /no problems\.([\s\S]*)\nworld lighthouse([\s\S]*)$/.exec(printed) ?? [];
  assert.match(run, /rejected, near_miss_entity/);
  assert.match(run, /turn 1 committed: 1 patch/);
  assert.match(shown, /lamp {2}Lamp[^\n]*\n +state +burning/);
  assert.match(shown, /I lit the lamp at half past five\./);
});

test('the worlds that the README compares differ as it shows', async () => {
  const printed = await runInShell(commandsBelow('## Why is it so, and what if'));
  const [, shown = ''] = /^```text\n(.*?)^```$/ms.exec(readme.split('\n## Why is it so')[1] ?? '') ?? [];
  const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
  assert.match(shown, /1 difference/);
  assert.ok(inOneLine(printed).endsWith(inOneLine(shown)), printed);
});

test('the README says which fields of a scenario may change', () => {
  assert.ok(readme.replace(/\s+/g, ' ').includes(`only ${CHANGEABLE_SCENARIO_FIELDS} may have changed`));
});

/** The first shell block below a heading. */
function commandsBelow(heading: string): string {
  const [, below = ''] = readme.split(`\n${heading}\n`);
  const commands = /^```sh\n(.*?)^```$/ms.exec(below)?.[1];
  assert.ok(commands !== undefined, `there are no commands below ${heading}`);
  return commands;
}

/** Stops at the first command that does not end with 0. */
async function runInShell(commands: string): Promise<string> {
  const { PATH = '' } = process.env;
  const variables = { PATH: [npx.bin, PATH].join(delimiter), CHUKWA_DATA_DIR: join(folder, 'data') };
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', commands], { cwd: folder, env: variables });
  return stdout;
}

type Command = readonly [name: string, description: string];

function commandsOfReadme(): readonly Command[] {
  const [, below = ''] = readme.split('\n## Commands\n');
  const rows = (below.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \| (.*) \|$/gm);
  return [...rows].map(([, name = '', description = '']) => [name, description]);
}

/** Each group is a heading and its commands; a description may continue in the next lines. */
function commandsOfHelp(help: string): readonly Command[] {
  const groups = help
    .split('\n\n')
    .filter((group) => !/^(Usage|Options|Options of every command|Begin with):/.test(group));
  const lines = groups.filter((group) => /^\S.*:\n {2}\S/.test(group)).flatMap((group) => group.split('\n').slice(1));
  const commands: [string, string][] = [];
  for (const line of lines) {
    const [, name, description = ''] = /^ {2}(\S.*?) {2,}(.+)$/.exec(line) ?? [];
    const last = commands.at(-1);
    if (name !== undefined) commands.push([name, description]);
    else if (last !== undefined) last[1] += ` ${line.trim()}`;
  }
  return commands;
}
