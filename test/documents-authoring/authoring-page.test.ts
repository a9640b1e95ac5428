import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { emptyDatabase } from '../support/databases.js';
import { freePort } from '../../tools/free-port.js';
import { openNpxHere } from '../support/npx-here.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const page = await readFile(join(ROOT, 'docs', 'authoring.md'), 'utf8');
const folder = await mkdtemp(join(tmpdir(), 'chukwa-authoring-'));
const npx = await openNpxHere(folder);
after(async () => {
  npx.close();
  await rm(folder, { recursive: true, force: true });
});
const database = await emptyDatabase({ after });

test('the page on authoring, followed to the letter, ends with a scenario that runs and has tests', async () => {
  const { PATH = '' } = process.env;
  const env = { PATH: [npx.bin, PATH].join(delimiter), CHUKWA_DATA_DIR: join(folder, 'data'), ...database };
  const { stdout, stderr } = await promisify(execFile)(
    'sh',
    ['-e', '-c', toScript(page).replaceAll('4870', String(await freePort()))],
    { cwd: folder, env },
  );
  for (const sample of samplesOf(page)) assertShown(`${stdout}${stderr}`, sample);
  assert.equal([...stdout.matchAll(/^the exit code is 1$/gm)].length, 2);
  assert.match(stdout, /This was a dry run: it made no call, and the world harbour stays at turn 0\./);
  assert.match(stdout, /boats {2}Boats[^\n]*\n +state +tied up/);
  assert.match(stdout, /turn 3 committed: 1 patch/);
  assert.match(stdout, /boats {2}Boats[^\n]*\n +state +out in the bay/);
  assert.match(stderr, /redaction hides parts of these answers[^]*turn\/tide/);
  for (const count of ['1 test', '2 tests', '3 tests']) assert.match(stdout, new RegExp(`^${count} passed$`, 'm'));
  assert.match(stdout, /npx chukwa llm-call [0-9a-f-]{36}/);
});

/** The output that the page shows: each line, where `...` stands for anything. */
function samplesOf(text: string): readonly string[] {
  const samples = [...text.matchAll(/^```text\n(.*?)^```$/gms)].flatMap(([, sample = '']) => sample.trim().split('\n'));
  assert.ok(samples.length >= 4, `${samples.length} lines`);
  return samples;
}

function assertShown(output: string, sample: string): void {
  const pieces = sample.split('...').map(inOneLine);
  const plain = inOneLine(output);
  const isShown = pieces.every((piece) => plain.includes(piece));
  assert.ok(isShown, `the page shows ${JSON.stringify(sample)}, and nothing of the kind is told:\n${output}`);
}

/** However it was broken. */
function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Files and commands of the page, in its order, as one script. */
function toScript(text: string): string {
  const steps = [...text.matchAll(/(?:^\*\*`([^`]+)`\*\*\n\n)?^```(sh|js|json)\n(.*?)^```$/gms)];
  assert.ok(steps.length > 6, `${steps.length} steps`);
  return steps
    .map(([, file, language, content = '']) => {
      if (language === 'sh') return content;
      assert.ok(file !== undefined, `a file without a name: ${content.slice(0, 80)}`);
      return `mkdir -p "$(dirname '${file}')"\ncat > '${file}' <<'END_OF_FILE'\n${content}END_OF_FILE\n`;
    })
    .join('\n');
}
