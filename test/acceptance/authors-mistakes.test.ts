import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ROOT } from '../support/park-stage.js';
import { type Ended, runHere } from './command.js';
import { makeFolder } from '../support/folder.js';

/** A small world in a folder of its own, and the program as it runs there. */
async function openHarbour(context: TestContext) {
  const parent = await makeFolder(context);
  const made = await runHere(['new', 'world', 'harbour', '--shape', 'place'], {}, parent);
  assert.equal(made.code, 0, made.stderr);
  const folder = join(parent, 'harbour');
  const edit = async (file: string, from: string | RegExp, to: string): Promise<void> => {
    const text = await readFile(join(folder, file), 'utf8');
    assert.notEqual(text.replace(from, to), text);
    await writeFile(join(folder, file), text.replace(from, to));
  };
  const chukwa = (...words: readonly string[]): Promise<Ended> => runHere(words, {}, folder);
  return { folder, edit, chukwa };
}

test('an answer that breaks a schema is found by validate, and test says why it was rejected', async (context) => {
  const { edit, chukwa } = await openHarbour(context);
  await edit('answers.json', '"strokes": 4\n', '"strokes": 40\n');
  await edit('answers.json', '"heard_by": 8', '"heard_by": "8"');
  const checked = await chukwa('validate', '.');
  assert.equal(checked.code, 0);
  assert.match(checked.stdout, /ANSWER_MISFIT .*must be <= 12.*\/strokes/);
  assert.match(checked.stdout, /ANSWER_MISFIT .*must be an integer.*\/heard_by/);
  assert.equal((await chukwa('validate', '.', '--strict')).code, 1);
  const { code, stdout } = await chukwa('test', '.', '--json');
  assert.equal(code, 1);
  const [tested] = (JSON.parse(stdout) as { readonly tests: readonly Readonly<Record<string, readonly object[]>>[] })
    .tests;
  const [complaint] = tested?.['complaints'] ?? [];
  assert.match(JSON.stringify(complaint), /ANSWER_MISFIT.*"answers\.json".*\/turns\/2\/olav~1act~1round-1~1try-1/);
  assert.match(JSON.stringify(complaint), /bad_arguments.*at \/strokes: must be <= 12/);
  assert.doesNotMatch(stdout, /ANSWER_MISSING|try-2/);
  assert.equal(tested?.['rejections']?.length, 1);
});

test('in the folder of an npm project what is no document is left out, and the rest is counted whole', async (context) => {
  const { folder, chukwa } = await openHarbour(context);
  const before = /^(\d+) documents checked: no problems/m.exec((await chukwa('validate', '.')).stdout)?.[1];
  await mkdir(join(folder, 'data'));
  for (const [file, text] of [
    ['package.json', '{"name": "harbour", "version": "1.0.0", "type": "module"}'],
    ['tsconfig.json', '{\n  // strict\n  "compilerOptions": {}\n}'],
    ['data/readings.json', '[1, 2]'],
  ] as const)
    await writeFile(join(folder, file), text);
  const { code, stdout } = await chukwa('validate', '.');
  assert.equal(code, 0, stdout);
  assert.match(stdout, new RegExp(`^${before} documents checked, 1 other JSON file left out: no problems`, 'm'));
  await writeFile(join(folder, 'data', 'meant.json'), '{"version": 1, "label": "meant"}');
  assert.match((await chukwa('validate', '.')).stdout, /data\/meant\.json:1:1 {2}UNKNOWN_DOCUMENT/);
  assert.equal((await chukwa('validate', '.', '--exclude', 'data')).code, 0);
  assert.match((await chukwa('validate', 'data/readings.json')).stdout, /UNKNOWN_DOCUMENT/);
});

test('a tool that policy denies needs no plugin, and one that it allows does', async (context) => {
  const { edit, chukwa } = await openHarbour(context);
  await edit('bell.json', '"http_json"', '"bell_ringer"');
  const allowed = await chukwa('validate', '.');
  assert.equal(allowed.code, 1);
  assert.match(allowed.stdout, /bell\.json.*PLUGIN_UNKNOWN/);
  await edit('policy.json', '"ring_bell"', '');
  const denied = await chukwa('validate', 'scenario.json');
  assert.equal(denied.code, 0, denied.stdout);
  assert.match(denied.stdout, /bell\.json.*PLUGIN_UNKNOWN {2}note: /);
  assert.equal((await chukwa('put', 'scenario.json')).code, 0);
});

test('a tool that a policy misspells is an error in the policy', async (context) => {
  const { edit, chukwa } = await openHarbour(context);
  await edit('policy.json', '"ring_bell"', '"ring_bel"');
  const { code, stdout } = await chukwa('validate', '.');
  assert.equal(code, 1);
  assert.match(stdout, /policy\.json.*TOOL_NOT_ALLOWED/);
  assert.doesNotMatch(stdout, /KEY_NEVER_ASKED/);
});

test('a tool that a policy allows and that is nowhere is noted, unless another scenario has it; --strict fails', async (context) => {
  const { edit, chukwa } = await openHarbour(context);
  await edit('policy.json', '["ring_bell"]', '["ring_bell", "fire_cannon"]');
  const { code, stdout } = await chukwa('validate', '.');
  assert.equal(code, 0, stdout);
  assert.match(stdout, /policy\.json.*ALLOWED_NAMES_NOTHING {2}note: "fire_cannon" is no tool.*\/allow\/1/);
  assert.equal((await chukwa('validate', '.', '--strict')).code, 1);
  const shared = await chukwa('validate', join(ROOT, 'workflows'), '--strict');
  assert.equal(shared.code, 0, shared.stdout);
});

test('a key that is answered beside a wrong one is not suggested for it', async (context) => {
  const { edit, chukwa } = await openHarbour(context);
  const wrong = '"olav/tide": {"json": 1}, "olav/akt/round-1/try-1": {"json": 1}, "olav/act/try-1": {"json": 1}';
  await edit('answers.json', '"turn/tide"', `${wrong}, "turn/tide"`);
  const { stdout } = await chukwa('validate', '.');
  for (const taken of ['turn/tide', 'olav/act/round-1/try-1'])
    assert.match(stdout, new RegExp(`or write another key: ${taken} is here\\s+already`));
  assert.doesNotMatch(stdout, /Did you mean (turn\/tide|act)|Write "olav/);
});

test('a name in capitals, turn 0 and a source below a subject are corrected in plain words', async (context) => {
  const { edit, chukwa } = await openHarbour(context);
  await edit('answers.json', '"turn/tide"', '"olav/tide"');
  const misplaced = await chukwa('validate', '.');
  assert.match(
    misplaced.stdout,
    /KEY_NEVER_ASKED {2}the workflow of olav has no node "tide".*\n.*Did you mean turn\/tide\?/,
  );
  await edit('world.test.json', '"2": {', '"0": {');
  await edit('answers.json', '"2": {', '"0": {');
  await edit('scenario.json', '"label": "quay"', '"label": "QUAY"');
  const { stdout } = await chukwa('validate', '.');
  assert.match(stdout, /the name "0" must be a number from 1 on, or \* {2}\(at \/turns\/0\)/);
  assert.match(stdout, /the name "0" must be a number from 1 on {2}\(at \/expect\/turns\/0\)/);
  assert.match(stdout, /must be lower-case letters and digits, joined by .* \(here: "QUAY"\)/);
  assert.doesNotMatch(stdout, /\[a-z0-9\]|\[1-9\]/);
});
