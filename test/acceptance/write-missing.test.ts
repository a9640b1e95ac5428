import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Answers } from '../../engine/generated/answers.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { emptyDatabase } from '../support/databases.js';
import { copyFolder, ROOT } from '../support/park-stage.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { composeHere } from './command.js';
import { makeFolder } from '../support/folder.js';

/** A world of the harbour template, and the program in a folder of its own. */
async function openHarbour(context: TestContext) {
  const folder = await makeFolder(context);
  const variables = await emptyDatabase(context);
  const chukwa = async (words: readonly string[]) => {
    const terminal = openTestTerminal({ working_folder: folder });
    const code = await runCommandLine(await composeHere(variables), words, terminal);
    return { code, output: terminal.out_text() + terminal.error_text() };
  };
  const scenario = join(ROOT, 'fixtures/templates/place/scenario.json');
  assert.equal((await chukwa(['world', 'create', 'harbour', '--scenario', scenario])).code, 0);
  const read = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Answers;
  return { folder, chukwa, read };
}

test('a dry run with --write-missing writes every answer of two turns, which a dry run then takes', {
  timeout: 300_000,
}, async (context) => {
  const { chukwa, read } = await openHarbour(context);
  const dry = ['run', 'harbour', '--dry', '--turns', '2'];
  const made = await chukwa([...dry, '--write-missing', 'all.json']);
  assert.equal(made.code, 0, made.output);
  assert.match(made.output, /4 answers made up and written/);
  assert.match(made.output, /npx chukwa run harbour --dry --turns 2 --answers all\.json\n/);
  const { turns } = await read('all.json');
  const said = { kind: 'final_patch', patch: { narration: '...', effects: [] } };
  const turn = { 'turn/tide': { json: { centimetres: 0, rising: false } }, 'olav/act/round-1/try-1': { json: said } };
  assert.deepEqual(turns, { '1': turn, '2': turn });
  const taken = await chukwa([...dry, '--answers', 'all.json']);
  assert.equal(taken.code, 0, taken.output);
});

test('--write-missing keeps the answers that there are, makes up what a called tool answers, and writes over nothing', {
  timeout: 300_000,
}, async (context) => {
  const { folder, chukwa, read } = await openHarbour(context);
  const call = { json: { kind: 'tool_call', tool_call: { name: 'ring_bell', arguments: { strokes: 2 } } } };
  const given = { version: 1, label: 'some', turns: { '1': { 'olav/act/round-1/try-1': call } } };
  await writeFile(join(folder, 'some.json'), JSON.stringify(given));
  const words = ['run', 'harbour', '--dry', '--answers', 'some.json', '--write-missing', 'all.json'];
  const made = await chukwa(words);
  assert.equal(made.code, 0, made.output);
  const { turns } = await read('all.json');
  assert.deepEqual(turns['1']?.['olav/act/round-1/try-1'], call);
  assert.deepEqual(turns['1']?.['olav/act/round-1/try-1/tool'], { json: { heard_by: 0 } });
  assert.ok(turns['1']?.['olav/act/round-2/try-1']);
  const again = await chukwa(words);
  assert.equal(again.code, 1);
  assert.match(again.output, /FILE_EXISTS/);
  assert.doesNotMatch(again.output, /turn 1/, 'no turn is tried where its answers cannot be written');
  const nowhere = await chukwa([...words.slice(0, -1), 'no-folder/all.json']);
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.output, /FILE_UNWRITABLE/);
  assert.doesNotMatch(nowhere.output, /turn 1/);
});

test('two readings of a turn with one name and other requests get an answer each, and both are counted', {
  timeout: 300_000,
}, async (context) => {
  const { folder, chukwa, read } = await openHarbour(context);
  const docks = join(folder, 'docks');
  copyFolder(join(ROOT, 'fixtures/templates/place'), docks);
  const edit = async (from: string, to: string, change: (text: string) => string) =>
    writeFile(join(docks, to), change(await readFile(join(docks, from), 'utf8')));
  await edit('workflow.json', 'second.json', (text) => text.replace('"turn": {', '"next": true, "turn": {'));
  await edit('profile.json', 'second-profile.json', (text) => text.replace('./workflow.json', './second.json'));
  await edit('scenario.json', 'scenario.json', (text) => {
    const scenario = JSON.parse(text) as { entities: object[]; cognition: object[] };
    scenario.entities.push({ ...scenario.entities[0], id: 'mia', name: 'Mia' });
    scenario.cognition.push({ profile_ref: { path: './second-profile.json' }, subjects: ['mia'] });
    return JSON.stringify(scenario);
  });
  assert.equal((await chukwa(['world', 'create', 'docks', '--scenario', 'docks/scenario.json'])).code, 0);
  const made = await chukwa(['run', 'docks', '--dry', '--write-missing', 'both.json']);
  assert.match(made.output, /4 answers made up and written/);
  const keys = Object.keys((await read('both.json')).turns['1'] ?? {});
  assert.equal(keys.length, 4);
  assert.equal(keys.filter((key) => /^turn\/tide@[0-9a-f]{12}$/.test(key)).length, 2, keys.join());
  const taken = await chukwa(['run', 'docks', '--dry', '--answers', 'both.json']);
  assert.equal(taken.code, 0, taken.output);
  assert.doesNotMatch(taken.output, /not used|unused/);
});
