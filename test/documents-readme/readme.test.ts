import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CHANGEABLE_SCENARIO_FIELDS } from '../../engine/contract/changeable-fields.js';
import { emptyDatabase } from '../support/databases.js';
import { openNpxHere } from '../support/npx-here.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = join(ROOT, 'dist', 'engine', 'chukwa.js');

const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
const firstWorld = await readFile(join(ROOT, 'docs', 'first-world.md'), 'utf8');
const worlds = await readFile(join(ROOT, 'docs', 'worlds.md'), 'utf8');
const commands = await readFile(join(ROOT, 'docs', 'reference', 'commands.md'), 'utf8');
const folder = await mkdtemp(join(tmpdir(), 'chukwa-readme-'));
const npx = await openNpxHere(folder);
after(() => {
  npx.close();
  return rm(folder, { recursive: true, force: true });
});

/** A file of a page, below its name. */
const FILE = /^\*\*`([^`]+)`\*\*\n\n```json\n(.*?)\n```$/gms;

test('the page of commands lists what chukwa --help lists, by the beginning of each description', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, '--help']);
  const [listed, shown] = [commandsOfPage(), commandsOfHelp(stdout)];
  assert.deepEqual(
    listed.map(([name]) => name),
    shown.map(([name]) => name),
  );
  for (const [at, [name, gist]] of listed.entries())
    assert.ok(gist !== '' && shown[at]?.[1].startsWith(gist), `${name}: ${gist}`);
});

test('the README shows the two commands of a checkout as they are typed', () => {
  assert.match(readme, /^npm ci && npm run park\b/m);
  assert.match(readme, /^npm ci && npm test\b/m);
});

test('the world of the README is laid out as it shows, and runs as it is written', async () => {
  const place = join(folder, 'laid-out');
  await mkdir(place);
  const printed = await runInShell(commandsBelow(readme, '## A world'), place);
  assert.match(printed, /no problems\./);
  assert.equal([...printed.matchAll(/turn \d committed: 1 patch/g)].length, 3);
  const [shown] = [...readme.matchAll(FILE)];
  assert.ok(shown, 'the README shows no file');
  const [, name = '', text = ''] = shown;
  const { $schema, label, description, ...rest } = JSON.parse(await readFile(join(place, name), 'utf8'));
  assert.ok($schema && label && description);
  assert.deepEqual(JSON.parse(text), rest);
});

test('the plugin of the README is what chukwa plugin new writes', async () => {
  await runInShell('npx chukwa plugin new tide_table');
  const answer = await readFile(join(folder, 'plugins', 'tide_table', 'answer.js'), 'utf8');
  const [, shown = ''] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
  assert.ok(shown !== '' && answer.includes(shown), shown);
});

test('the first world of its page runs as it is written, and lights the lamp', async () => {
  const printed = await runInShell(commandsBelow(firstWorld, '## Your first workflow in five minutes'));
  const [, run = '', shown = ''] = /no problems\.([\s\S]*)\nworld lighthouse([\s\S]*)$/.exec(printed) ?? [];
  assert.match(run, /rejected, near_miss_entity/);
  assert.match(run, /turn 1 committed: 1 patch/);
  assert.match(shown, /lamp {2}Lamp[^\n]*\n +state +burning/);
  assert.match(shown, /I lit the lamp at half past five\./);
});

test('the worlds that the page compares differ as it shows', async () => {
  const printed = await runInShell(commandsBelow(firstWorld, '## Why is it so, and what if'));
  const [, shown = ''] = /^```text\n(.*?)^```$/ms.exec(firstWorld.split('\n## Why is it so')[1] ?? '') ?? [];
  const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
  assert.match(shown, /1 difference/);
  assert.ok(inOneLine(printed).endsWith(inOneLine(shown)), printed);
});

test('the town of its page lives as it says: a storm comes back to mind three turns after it', async () => {
  const block = commandsBelow(worlds, '## A town of a hundred turns');
  assert.match(block, /park --scenario town$/m);
  const short = block.replace('--scenario town', '--scenario town --turns 43');
  const printed = await runInShell(short, folder, await emptyDatabase({ after }));
  assert.match(printed, /\nturn 40 .*?Mara rows out although the sky is black\./s);
  assert.match(printed, /mara was first shown it in turn 41\./);
  assert.match(printed, /"It had my net once," she says to Jon/);
  // How many calls are asked again differs by the database: the page counts those of the embedded one.
  const counted = await runInShell('npx chukwa park --scenario town --turns 10\nnpx chukwa cost town');
  assert.match(counted, /\n {4}10 +11 +5,133 /);
});

test('the page says which fields of a scenario may change', () => {
  assert.ok(firstWorld.replace(/\s+/g, ' ').includes(`only ${CHANGEABLE_SCENARIO_FIELDS} may have changed`));
});

/** The first shell block below a heading of a page. */
function commandsBelow(page: string, heading: string): string {
  const [, below = ''] = page.split(`\n${heading}\n`);
  const shown = /^```sh\n(.*?)^```$/ms.exec(below)?.[1];
  assert.ok(shown !== undefined, `there are no commands below ${heading}`);
  return shown;
}

/** Stops at the first command that does not end with 0. */
async function runInShell(typed: string, cwd = folder, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const { PATH = '' } = process.env;
  const variables = { PATH: [npx.bin, PATH].join(delimiter), CHUKWA_DATA_DIR: join(cwd, 'data'), ...more };
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', typed], { cwd, env: variables });
  return stdout;
}

type Command = readonly [name: string, description: string];

function commandsOfPage(): readonly Command[] {
  const entries = commands.matchAll(/^\| `([^`]+)` \| (.*?) \| /gm);
  return [...entries].map(([, name = '', gist = '']) => [name.replaceAll('\\|', '|'), gist]);
}

/** Each group is a heading and its commands; a description may continue in the next lines. */
function commandsOfHelp(help: string): readonly Command[] {
  const groups = help
    .split('\n\n')
    .filter((group) => !/^(Usage|Options|Options of every command|Begin with):/.test(group));
  const lines = groups.filter((group) => /^\S.*:\n {2}\S/.test(group)).flatMap((group) => group.split('\n').slice(1));
  const listed: [string, string][] = [];
  for (const line of lines) {
    const [, name, description = ''] = /^ {2}(\S.*?) {2,}(.+)$/.exec(line) ?? [];
    const last = listed.at(-1);
    if (name !== undefined) listed.push([name, description]);
    else if (last !== undefined) last[1] += ` ${line.trim()}`;
  }
  return listed;
}
