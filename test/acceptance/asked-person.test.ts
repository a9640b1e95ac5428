import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compose } from '../../engine/main.js';
import type { RunReport } from '../../engine/operations/running/run-turns.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { emptyDatabase } from '../support/databases.js';
import { ROOT } from '../support/park-stage.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { makeFolder } from '../support/folder.js';

const database = await emptyDatabase({ after });
// A person at a terminal answers in place of a model.
const folder = await makeFolder({ after });

before(async () => {
  const scenario = join(ROOT, 'workflows', 'simple', 'scenario.json');
  const made = await chukwa(undefined, 'world', 'create', 'pond', '--scenario', scenario, '--root', `${ROOT}workflows`);
  assert.equal(made.code, 0, made.error);
});

async function chukwa(types: readonly string[] | undefined, ...words: readonly string[]) {
  const terminal = openTestTerminal(types === undefined ? {} : { types });
  const code = await runCommandLine(
    await compose({ CHUKWA_DATA_DIR: join(folder, 'data'), ...database }),
    words,
    terminal,
  );
  return { code, out: terminal.out_text(), error: terminal.error_text(), asked: terminal.asked };
}

const run = (types: readonly string[] | undefined) => chukwa(types, 'run', 'pond', '--llm', 'ask', '--json');

test('a person is shown the prompt, told why an answer is rejected, and answers in several lines or in a sentence', async () => {
  const patch = (entity_id: string) => [
    '{"kind": "final_patch", "patch": {"narration": "Bob waves.",',
    `"effects": [{"op": "set_entity_state", "entity_id": "${entity_id}", "state": "waving"}]}}`,
  ];
  const { code, out, error } = await run([...patch('Bob'), ...patch('bob')]);
  assert.equal(code, 0, error);
  const [turn] = (JSON.parse(out) as RunReport).turns;
  assert.deepEqual(
    turn?.patches.map(({ narration }) => narration),
    ['Bob waves.'],
  );
  assert.deepEqual(
    turn?.invocations.map(({ logical_generation_attempt, model_output_kind }) => [
      logical_generation_attempt,
      model_output_kind,
    ]),
    [
      [1, 'invalid'],
      [2, 'final_patch'],
    ],
  );
  assert.match(error, /What does Bob do\?/);
  assert.match(error, /For example: \{"kind":"final_patch","patch":\{"narration":/);
  assert.equal(error.split('What does Bob do?').length, 2, 'the prompt is shown once');
  assert.match(error, /bob\/act\/round-1\/try-2[^]*Bob/);

  const plain = await run(['Bob sits down and looks at the pond.']);
  assert.equal(plain.code, 0, plain.error);
  const [next] = (JSON.parse(plain.out) as RunReport).turns;
  assert.deepEqual(
    next?.patches.map(({ narration, effects }) => [narration, effects]),
    [['Bob sits down and looks at the pond.', []]],
  );
});

test('a person who goes away stops the attempt, with 130, and the world stays as it is', async () => {
  const { code, out } = await run([]);
  assert.equal(code, 130);
  const [turn] = (JSON.parse(out) as RunReport).turns;
  assert.deepEqual([turn?.attempted_turn, turn?.status, turn?.failure_class], [3, 'failed', 'stopped']);
});

test('without a terminal no person is asked, and the message says what to do', async () => {
  const { code, error } = await run(undefined);
  assert.equal(code, 2);
  assert.match(error, /there is none here/);
  const scripted = await chukwa([], 'run', 'pond', '--llm', 'ask', '--script', 'simple');
  assert.equal(scripted.code, 2);
});
