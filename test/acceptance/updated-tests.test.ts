import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { WorkflowTest } from '../../engine/generated/workflow-test.js';
import type { TestReport } from '../../engine/operations/workflow-tests/index.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { emptyDatabase } from '../support/databases.js';
import { copyFolder, ROOT } from '../support/park-stage.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { composeHere } from './command.js';
import { makeFolder } from '../support/folder.js';

/** A recording of two turns of a harbour, in the second of which the bell is rung. */
async function recordHarbour(context: TestContext) {
  const folder = await makeFolder(context);
  const variables = await emptyDatabase(context);
  const harbour = join(folder, 'harbour');
  copyFolder(join(ROOT, 'fixtures/templates/place'), harbour);
  const chukwa = async (...words: readonly string[]) => {
    const terminal = openTestTerminal({ working_folder: folder });
    const code = await runCommandLine(await composeHere(variables), words, terminal);
    return { code, output: terminal.out_text() + terminal.error_text() };
  };
  const own = await read<WorkflowTest>(join(harbour, 'world.test.json'));
  const { turns: answers } = await read<{ readonly turns: WorkflowTest['answers'] }>(join(harbour, 'answers.json'));
  const file = join(harbour, 'recorded.test.json');
  const { answers_ref: _answers, ...rest } = own;
  const turn = (patches: object[]) => ({ patches, rejections: [] });
  const olav = { subject: 'olav', node: 'act' };
  const expect = {
    turns: {
      '1': turn([{ ...olav, narration: 'Olav reads the gauge and frowns.' }]),
      '2': {
        ...turn([{ ...olav, narration: { contains: 'four strokes' } }]),
        calls: { 'olav/act/round-1/try-1/tool': { request: { strokes: 4 } } },
      },
    },
    world: { turn: 2, entities: { olav: { state: 'at the bell' } } },
  };
  const { '1': first, '2': second } = answers ?? {};
  const recorded = { ...rest, label: 'recorded', turns: 2, answers: { '1': first, '2': second }, expect };
  await writeFile(file, JSON.stringify(recorded, null, 2));
  return {
    chukwa,
    file,
    readTest: () => read<WorkflowTest>(file),
    /** Replaces texts of a file of the harbour. */
    edit: async (name: string, ...pairs: readonly (readonly [from: string | RegExp, to: string])[]) => {
      let text = await readFile(join(harbour, name), 'utf8');
      for (const [from, to] of pairs) {
        assert.notEqual(text.search(from), -1, String(from));
        text = text.replaceAll(from, to);
      }
      await writeFile(join(harbour, name), text);
    },
    change: async (change: (test: Writable) => void) => {
      const written = await read<Writable>(file);
      change(written);
      await writeFile(file, JSON.stringify(written, null, 2));
    },
    update: async (...words: readonly string[]) => {
      const { code, output } = await chukwa('test', file, '--update', '--json', ...words);
      const [result] = (JSON.parse(output) as TestReport).tests;
      assert.ok(result);
      return {
        code,
        result,
        said: (result.changes ?? []).map((change) => Object.values(change).slice(0, 4).map(String).join(' ')),
      };
    },
  };
}

interface Writable {
  readonly answers: Record<string, Record<string, { json: unknown }>>;
  readonly expect: {
    readonly turns: Record<string, { patches: { narration: unknown }[] }>;
    readonly world: { readonly entities: Record<string, { state: string }> };
  };
}

async function read<Value>(file: string): Promise<Value> {
  return JSON.parse(await readFile(file, 'utf8')) as Value;
}

const PATIENCE = { timeout: 300_000 };
const RECORDED = [
  '1 turn/tide',
  '1 olav/act/round-1/try-1',
  '2 turn/tide',
  '2 olav/act/round-1/try-1',
  '2 olav/act/round-1/try-1/tool',
  '2 olav/act/round-2/try-1',
];

test(
  'all answers that a test lacks are named at once, and an update makes all of them up',
  PATIENCE,
  async (context) => {
    const { chukwa, change, update, file, readTest } = await recordHarbour(context);
    await change(({ answers }) => {
      for (const turn of ['1', '2']) delete answers[turn]?.['turn/tide'];
      delete answers['2']?.['olav/act/round-1/try-1/tool'];
      delete answers['2']?.['olav/act/round-2/try-1'];
    });
    const asked = await chukwa('test', file);
    assert.equal(asked.code, 1);
    const lacking = ['1 turn/tide', '2 turn/tide', '2 olav/act/round-1/try-1/tool', '2 olav/act/round-2/try-1'];
    assert.deepEqual(
      [...asked.output.matchAll(/There is no answer for turn (\d), key "([^"@]+)/g)].map((found) =>
        found.slice(1).join(' '),
      ),
      lacking,
      asked.output,
    );
    assert.match(asked.output, /or have all 4 made up: .*chukwa test harbour\/recorded\.test\.json --update/);
    const updated = await update();
    assert.deepEqual(
      updated.said.slice(0, 4),
      lacking.map((call) => `added ${call}`),
    );
    assert.equal(updated.result.status, 'failed', 'what a text contains is for the author');
    assert.match(updated.result.complaints[0]?.pointer ?? '', /narration\/contains/);
    assert.deepEqual((await readTest()).expect.world?.entities?.['olav']?.state, 'watching the gauge');
    const again = await update();
    assert.deepEqual(again.said, []);
  },
);

test(
  'answers move with a renamed node and a renamed source, and so do the calls that are expected',
  PATIENCE,
  async (context) => {
    const { edit, update, readTest, chukwa, file } = await recordHarbour(context);
    await edit(
      'workflow.json',
      ['"act"', '"decide"'],
      ['act.final', 'decide.final'],
      ['"id": "tide"', '"id": "level"'],
    );
    assert.match((await chukwa('test', file)).output, /KEY_NEVER_ASKED/);
    const { code, result, said } = await update();
    assert.equal(code, 0, JSON.stringify(result, null, 2));
    const to = (call: string) =>
      call.replace(/^(\d) (olav\/)act/, '$2decide').replace(/^(\d) turn\/tide/, 'turn/level');
    assert.deepEqual(
      said.slice(0, 6),
      RECORDED.map((call) => `moved ${call} ${to(call)}`),
    );
    assert.deepEqual(
      said.slice(6),
      ['1', '2'].map((turn) => `expected /expect/turns/${turn}/patches/0/node act decide`),
    );
    const written = await readTest();
    assert.deepEqual(Object.keys(written.answers?.['1'] ?? {}), ['turn/level', 'olav/decide/round-1/try-1']);
    assert.deepEqual(Object.keys(written.expect.turns?.['2']?.calls ?? {}), ['olav/decide/round-1/try-1/tool']);
  },
);

test(
  'a renamed tool has its new name in answers and in what is expected, and nothing else in the file changes',
  PATIENCE,
  async (context) => {
    const { edit, update, change, file } = await recordHarbour(context);
    await change(({ expect }) => Object.assign(expect.turns['2'] ?? {}, { tools: ['ring_bell'] }));
    const laidOut = (await readFile(file, 'utf8'))
      .replaceAll(/\{\s+("\w+": \S+)\s+\}/g, '{ $1 }')
      .replaceAll(/^ +/gm, '$&$&');
    await writeFile(file, laidOut);
    await edit('workflow.json', ['ring_bell', 'sound_bell']);
    await edit('policy.json', ['ring_bell', 'sound_bell']);
    const { code, result, said } = await update();
    assert.equal(code, 0, JSON.stringify(result, null, 2));
    const places = ['/expect/turns/2/tools/0', '/answers/2/olav~1act~1round-1~1try-1/json/tool_call/name'];
    assert.deepEqual(
      said,
      places.map((place) => `expected ${place} ring_bell sound_bell`),
    );
    assert.equal(await readFile(file, 'utf8'), laidOut.replaceAll('ring_bell', 'sound_bell'));
  },
);

test(
  'an answer that nothing asks for any longer is kept, said, and dropped only by --drop',
  PATIENCE,
  async (context) => {
    const { edit, chukwa, update, file, readTest } = await recordHarbour(context);
    await edit('workflow.json', [/"ambient_sources": \[[^]*?\n {2}\],/g, '"ambient_sources": [],']);
    const before = await readFile(file, 'utf8');
    const kept = await chukwa('test', file, '--update');
    assert.equal(kept.code, 1);
    assert.match(kept.output, /kept {6}the answer of turn 1, turn\/tide: no call can ask for it \(--drop removes it\)/);
    assert.equal(await readFile(file, 'utf8'), before);
    const { code, said } = await update('--drop');
    assert.equal(code, 0);
    assert.deepEqual(said, ['dropped 1 turn/tide', 'dropped 2 turn/tide']);
    assert.deepEqual(Object.keys((await readTest()).answers?.['1'] ?? {}), ['olav/act/round-1/try-1']);
  },
);

test(
  'an exact value that differs is expected anew, and a wrong answer stays the author’s',
  PATIENCE,
  async (context) => {
    const { change, chukwa, update, file } = await recordHarbour(context);
    await change(({ expect }) => {
      const olav = expect.world.entities['olav'];
      if (olav) olav.state = 'asleep';
    });
    const said = await chukwa('test', file, '--update');
    assert.equal(said.code, 0, said.output);
    assert.match(said.output, /expected {2}another value now.*\/expect\/world\/entities\/olav\/state/);
    assert.match(said.output, /- before {2}"asleep"\n.*\+ now {5}"at the bell"/);
    await change(({ answers }) => {
      const call = { kind: 'tool_call', tool_call: { name: 'ring_bell', arguments: { strokes: 40 } } };
      answers['2'] = { ...answers['2'], 'olav/act/round-1/try-1': { json: call } };
    });
    const before = await readFile(file, 'utf8');
    const { code, result } = await update();
    assert.equal(code, 1);
    assert.deepEqual(
      result.findings.map(({ code: found }) => found),
      ['ANSWER_MISFIT'],
    );
    assert.equal(await readFile(file, 'utf8'), before);
  },
);

test('answers of another file that no call asks for any longer stop an update: it makes up no others, and changes nothing', async (context) => {
  const { chukwa, edit } = await recordHarbour(context);
  await edit('workflow.json', ['"id": "act"', '"id": "decide"'], ['act.final', 'decide.final']);
  const { code, output } = await chukwa('test', 'harbour/world.test.json', '--update', '--json');
  const [result] = (JSON.parse(output) as TestReport).tests;
  assert.equal(code, 1);
  assert.deepEqual(result?.changes, []);
  assert.ok(
    result?.findings.some(({ code: found, file }) => found === 'KEY_NEVER_ASKED' && file.endsWith('answers.json')),
  );
});
