import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { compose } from '../../engine/main.js';
import { loadAnswers } from '../../engine/operations/dry-run/load-answers.js';
import { loadScenario } from '../../engine/operations/running/load-program.js';
import type { WorldAttempts } from '../../engine/operations/browse/records.js';
import type { RunReport } from '../../engine/operations/running/run-turns.js';
import type { TestReport } from '../../engine/operations/workflow-tests/index.js';
import { showWorld } from '../../engine/operations/worlds/worlds.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { startToys } from '../../fixtures/toys/index.js';
import { emptyDatabase } from '../support/databases.js';
import { copyFolder, must, ROOT } from '../support/park-stage.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { composeHere } from './command.js';

const database = await emptyDatabase({ after });
// The services that answers replace, counted: none may ever be called, or loaded.
let folder = '';
let variables: Readonly<Record<string, string>> = {};
let countAsked = (): number => 0;
let close = async (): Promise<void> => {};

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chukwa-dry-'));
  const [toys, model] = await Promise.all([
    startToys(),
    startScriptedModel({ version: 1, label: 'silent', turns: {} }),
  ]);
  countAsked = () =>
    model.requests.length +
    [toys.weather, toys.pa, toys.phone, toys.vending, toys.fountain].reduce(
      (sum, { served }) => sum + served.length,
      0,
    );
  close = async () => void (await Promise.all([toys.close(), model.close()]));
  await plantSpy(spyFolder());
  variables = {
    ...toys.variables,
    CHUKWA_DATA_DIR: join(folder, 'data'),
    ...database,
    CHUKWA_LLM_BASE_URL: model.url,
    CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
  };
});

after(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});

const spyFolder = (): string => join(folder, 'plugins', 'spy');
const spyWasHere = (): boolean => existsSync(join(folder, 'spy-was-here'));

/** A plugin whose code leaves a file behind as soon as it runs. */
async function plantSpy(place: string): Promise<void> {
  copyFolder(join(ROOT, 'plugins', 'http_json'), place);
  const manifest = JSON.parse(await readFile(join(place, 'plugin.json'), 'utf8')) as JsonObject;
  await writeFile(join(place, 'plugin.json'), JSON.stringify({ ...manifest, name: 'spy', entry: './spy.js' }));
  await writeFile(
    join(place, 'spy.js'),
    `import { writeFileSync } from 'node:fs';
     writeFileSync(${JSON.stringify(join(folder, 'spy-was-here'))}, '');
     export default { open: () => ({ invoke: async () => ({ value: {} }) }) };`,
  );
}

/** The spy is in the way of dry runs alone: the code of a plugin runs but once in a process. */
async function chukwa(...words: readonly string[]) {
  const isDry = words.includes('--dry') || words[0] === 'test';
  const terminal = openTestTerminal();
  const composition = await composeHere(
    isDry ? { ...variables, CHUKWA_PLUGIN_PATH: join(folder, 'plugins') } : variables,
  );
  const code = await runCommandLine(composition, words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

async function write(name: string, value: unknown): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  return path;
}

async function shippedTest(scenario: string): Promise<JsonObject> {
  return JSON.parse(await readFile(join(ROOT, 'workflows', scenario, `${scenario}.test.json`), 'utf8')) as JsonObject;
}

const answersOf = (turns: Json | undefined): JsonObject => ({ version: 1, label: 'answers', turns: turns ?? {} });

async function makeWorld(scenario: string, slug: string): Promise<void> {
  const { code, error } = await chukwa(
    'world',
    'create',
    slug,
    '--scenario',
    join(ROOT, 'workflows', scenario, 'scenario.json'),
    '--root',
    join(ROOT, 'workflows'),
  );
  assert.equal(code, 0, error);
}

test('a dry run plays turns on a copy, sends no request, loads no plugin, and leaves the world and its lists unchanged', async () => {
  await makeWorld('park', 'quiet');
  const asked = countAsked();
  const before_it = await chukwa('world', 'show', 'quiet', '--json');
  const answers = await write('park.json', answersOf((await shippedTest('park'))['answers']));
  const { code, out, error } = await chukwa('run', 'quiet', '--dry', '--answers', answers, '--turns', '3', '--json');
  assert.equal(code, 0, error);
  const run = JSON.parse(out) as RunReport;
  assert.deepEqual(
    run.turns.map(({ attempted_turn, status }) => [attempted_turn, status]),
    [1, 2, 3].map((turn) => [turn, 'committed']),
  );
  assert.deepEqual(run.dry_run, { from_turn: 0, unused_answers: [], missing_answers: [] });
  assert.equal(countAsked(), asked);
  assert.equal(spyWasHere(), false, 'the code of a plugin ran');
  assert.equal((await chukwa('world', 'show', 'quiet', '--json')).out, before_it.out);
  const listed = JSON.parse((await chukwa('attempts', 'quiet', '--json')).out) as WorldAttempts;
  assert.deepEqual([listed.attempts, listed.queued_turns], [[], 0]);
});

test('answers are validated and redacted as real ones are', async () => {
  await makeWorld('tools', 'checked');
  const { answers } = (await shippedTest('tools')) as unknown as { answers: Record<string, Record<string, Json>> };
  const key = 'bob/act/round-1/try-1/tool';
  const unfit = await write('unfit.json', answersOf({ 1: { ...answers['1'], [key]: { json: { status: 'sold' } } } }));
  const refused = await chukwa('run', 'checked', '--dry', '--answers', unfit, '--json');
  assert.equal(refused.code, 3);
  const [failed] = (JSON.parse(refused.out) as RunReport).turns;
  assert.equal(failed?.failure_class, 'schema_invalid');
  const clerk = await shippedTest('clerk');
  await makeWorld('clerk', 'hidden');
  const whole = await write('clerk.json', answersOf(clerk['answers']));
  const shown = JSON.parse((await chukwa('run', 'hidden', '--dry', '--answers', whole, '--json')).out) as RunReport;
  const reading = shown.turns[0]?.invocations.find(({ workflow_node_id }) => workflow_node_id === 'look_up');
  assert.deepEqual(reading?.response_json, { condition: 'sunny', temperature_f: 72 });
});

test('a missing answer says turn, key, subject, node, binding, source, and what to write', async () => {
  await makeWorld('phone-inbox', 'silent');
  const nothing = await write('nothing.json', answersOf({ 2: { 'bob/act/round-1/try-1': { text: 'later' } } }));
  const { code, out, error } = await chukwa('run', 'silent', '--dry', '--answers', nothing, '--json');
  assert.equal(code, 1);
  const [missing] = (JSON.parse(out) as RunReport).dry_run?.missing_answers ?? [];
  assert.equal(missing?.code, 'ANSWER_MISSING');
  assert.deepEqual(missing?.details, {
    turn: 1,
    key: 'bob/ambient/bob_phone_inbox',
    subject: 'bob',
    binding: 'bob_phone_inbox',
    source: 'toy_phone_inbox',
    request: { owner_entity_id: 'bob', phone_entity_id: 'bob_phone', turn: 1 },
  });
  assert.match(missing?.repair ?? '', /\{"1":\{"bob\/ambient\/bob_phone_inbox":\{"json":\{"messages":\[\]\}\}\}\}/);
  assert.match(error, /ANSWER_MISSING/);
  const ran = await chukwa('run', 'silent', '--dry', '--answers', nothing);
  assert.doesNotMatch(ran.out, /nothing asked for/, 'the turn ended before');
  assert.doesNotMatch(ran.out, /npx chukwa (attempt|invocation|llm-call)/);
});

test('a dry run names each missing answer of all its turns, and a run by those that it writes out commits them', async () => {
  await makeWorld('park', 'bare');
  const written = (await shippedTest('park'))['answers'] as Readonly<Record<string, JsonObject>>;
  // The first turn is answered but for one call in its middle.
  const { 'turn/park_pa': _pa, ...most } = { ...written['*'], ...written['1'] };
  const some = await write('some.json', answersOf({ 1: most }));
  const words = ['run', 'bare', '--dry', '--turns', '3', '--answers'];
  const ran = await chukwa(...words, some, '--json');
  assert.equal(ran.code, 1);
  const { turns, dry_run } = JSON.parse(ran.out) as RunReport;
  assert.deepEqual(
    turns.map(({ status }) => status),
    ['failed'],
  );
  const missing = dry_run?.missing_answers ?? [];
  const first = missing.filter(({ details }) => details?.['turn'] === 1).map(({ details }) => details?.['key']);
  assert.deepEqual(first, ['turn/park_pa']);
  const answers: Record<string, JsonObject> = { 1: most };
  for (const { repair = '' } of missing)
    for (const [turn, answer] of Object.entries(JSON.parse(repair.slice(repair.indexOf('{'))) as typeof answers))
      answers[turn] = { ...answers[turn], ...answer };
  assert.deepEqual(Object.keys(answers), ['1', '2', '3']);
  const taken = await chukwa(...words, await write('all.json', answersOf(answers)));
  assert.equal(taken.code, 0, taken.error);
  const { out } = await chukwa(...words, some);
  assert.match(
    out,
    new RegExp(`${missing.length} answers missing.*\n +npx chukwa ${words.join(' ')} \\S+ --write-missing FILE`),
  );
});

test('a dry run that commits its turns lists answers that nothing asked for, and none of every other turn', async () => {
  await makeWorld('park', 'spare');
  const written = (await shippedTest('park'))['answers'] as Readonly<Record<string, Readonly<Record<string, Json>>>>;
  const [key = '', answer = ''] = Object.entries(written['1'] ?? {})[0] ?? [];
  const spare = { [key]: answer };
  const answers = await write('spare.json', answersOf({ ...written, 7: spare, '*': { ...written['*'], ...spare } }));
  const ran = await chukwa('run', 'spare', '--dry', '--answers', answers, '--turns', '3');
  assert.equal(ran.code, 0, ran.error);
  assert.ok(ran.out.includes(`1 answer that nothing asked for:\n  turn 7  ${key}\n`), ran.out);
});

const UNASKED = answersOf({ 1: { 'rob/act/round-1/try-1': { text: 'x' } } });

const WRONG: readonly (readonly [name: string, value: unknown, codes: readonly string[]])[] = [
  ['no JSON', '{ "version": 1,', ['INVALID_JSON']],
  ['another kind', { version: 1, label: 'x', workflow_ref: { path: './a.json' } }, ['FILE_MISSING', 'NO_ANSWERS']],
  ['a wrong shape', answersOf({ 1: { 'bob/act/round-1/try-1': { txt: 'x' } } }), ['NO_ALTERNATIVE']],
  ['too large a file', `${' '.repeat(16_777_217)}{}`, ['FILE_TOO_LARGE']],
  ['a text that is no JSON object', '[]', ['UNKNOWN_DOCUMENT', 'NO_ANSWERS']],
];

test('answers that are none are refused at their place, and nothing is run', async () => {
  await makeWorld('simple', 'wrong');
  const refused = await chukwa('run', 'wrong', '--dry', '--answers', await write('unasked.json', UNASKED));
  assert.equal(refused.code, 1);
  assert.match(refused.error, /KEY_NEVER_ASKED.*\n.*Did you mean bob\?/);
  assert.doesNotMatch(refused.out, /turn 1/);
  const nowhere = await chukwa('run', 'wrong', '--dry', '--answers', join(folder, 'nowhere.json'));
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.error, /FILE_MISSING/);
  const nobody = await chukwa('run', 'wrnog', '--dry', '--answers', await write('none.json', answersOf({})));
  assert.equal(nobody.code, 1);
  assert.match(nobody.error, /Did you mean wrong\?/);
});

for (const [name, value, codes] of WRONG)
  test(`a file is refused as answers before a turn is played: ${name}`, async () => {
    const composition = await compose(variables);
    const engine = must(await composition.openEngine());
    try {
      const path = await write('wrong.json', value);
      const { scenario_hash } = must(await showWorld(engine, { world_slug: 'wrong' }));
      const { program } = must(await loadScenario(engine, scenario_hash));
      const loaded = await loadAnswers(engine.authoring, { path, place: { working_folder: folder } }, program);
      assert.ok(!loaded.ok && loaded.problems.some(({ code }) => codes.includes(code)), JSON.stringify(loaded));
    } finally {
      await engine.close();
    }
  });

test('--dry and --answers go together, and with nothing that asks a model', async () => {
  for (const words of [['--dry'], ['--answers', 'a.json'], ['--dry', '--answers', 'a.json', '--llm', 'env']]) {
    const { code, error } = await chukwa('run', 'wrong', ...words);
    assert.equal(code, 2, words.join(' '));
    assert.match(error, /what to do: /);
  }
});

test('the tests of a workflow whose services are there send them no request, and load no plugin', async () => {
  const asked = countAsked();
  assert.equal((await chukwa('test', join(ROOT, 'workflows', 'park'), '--root', join(ROOT, 'workflows'))).code, 0);
  assert.equal(countAsked(), asked);
  assert.equal(spyWasHere(), false, 'the code of a plugin ran');
});

test('the tests of the workflows that ship pass, and need no variable of any service', async () => {
  const terminal = openTestTerminal();
  const bare = await compose({ CHUKWA_DATA_DIR: join(folder, 'bare') });
  const code = await runCommandLine(bare, ['test', join(ROOT, 'workflows'), '--json'], terminal);
  const report = JSON.parse(terminal.out_text()) as TestReport;
  assert.deepEqual(
    report.tests.flatMap(({ file, complaints, findings, unused_answers }) =>
      [...complaints, ...findings, ...unused_answers].map((what) => [file, what]),
    ),
    [],
  );
  assert.equal(code, 0);
  assert.ok(report.passed >= 12);
});

/** The clerk's documents, with tests of one's own beside them. */
async function besideClerk(name: string, tests: Readonly<Record<string, unknown>>): Promise<string> {
  copyFolder(join(ROOT, 'workflows'), join(folder, name));
  for (const [file, value] of Object.entries(tests)) await write(join(name, 'clerk', file), value);
  return join(folder, name);
}

const NOTHING_EXPECTED = { version: 1, label: 'nothing', scenario_ref: { path: './scenario.json' }, expect: {} };

test('a difference is shown at its line with both sides, and the exit code is 1', async () => {
  const clerk = await shippedTest('clerk');
  const root = await besideClerk('differs', {
    'differs.test.json': {
      ...clerk,
      expect: {
        turns: {
          1: {
            tools: ['send_text', 'send_text'],
            calls: {
              'ivy/look_up/call': { response: { condition: 'frost' } },
              'ivy/act/round-1/try-1': { prompt: { contains: 'frost' } },
              'ivy/act/round-1/try-2': {},
            },
          },
          2: { failure: { class: 'timeout' } },
        },
        world: { entities: { note: { state: 'lost' }, ivy: { remembers: ['It rains.'] } } },
      },
    },
  });
  const { code, out } = await chukwa('test', join(root, 'clerk', 'differs.test.json'), '--root', root, '--json');
  assert.equal(code, 1);
  const [result] = (JSON.parse(out) as TestReport).tests;
  assert.equal(result?.status, 'failed');
  assert.deepEqual(
    result.complaints.map(({ pointer, expected }) => [pointer, expected]),
    [
      ['/expect/turns/1/tools', ['send_text', 'send_text']],
      ['/expect/turns/1/calls/ivy~1look_up~1call/response/condition', 'frost'],
      ['/expect/turns/1/calls/ivy~1act~1round-1~1try-1/prompt/contains', 'frost'],
      ['/expect/turns/1/calls/ivy~1act~1round-1~1try-2', undefined],
      ['/expect/turns/2/failure', 'timeout'],
      ['/expect/world/entities/note/state', 'lost'],
      ['/expect/world/entities/ivy/remembers/0', 'It rains.'],
    ],
  );
  assert.ok(result.complaints.every(({ line, column }) => line > 1 && column > 1));
  const ran = await chukwa('test', join(root, 'clerk', 'differs.test.json'), '--root', root);
  assert.match(ran.out, /^failed {2}.*differs\.test\.json/m);
  assert.match(ran.out, /- expected {2}"lost"\n {4}\+ actual {4}"read and answered, on the spike"/);
});

test('a test without answers says what to write; one whose scenario is broken does not stop the others', async () => {
  const root = await besideClerk('broken', {
    'good.test.json': await shippedTest('clerk'),
    'empty.test.json': NOTHING_EXPECTED,
    'lost.test.json': { ...NOTHING_EXPECTED, scenario_ref: { path: './scenari.json' } },
    'torn.test.json': '{',
  });
  await write(join('broken', 'simple', 'workflow.json'), '{ "version": 1 }');
  const { code, out } = await chukwa('test', join(root, 'clerk'), join(root, 'simple'), '--root', root, '--json');
  assert.equal(code, 1);
  const report = JSON.parse(out) as TestReport;
  const byName = new Map(report.tests.map((test) => [test.file.split('/').at(-1), test]));
  assert.deepEqual(
    Object.fromEntries([...byName].map(([file, { status }]) => [file, status])),
    Object.fromEntries([
      ['clerk.test.json', 'passed'],
      ['empty.test.json', 'failed'],
      ['good.test.json', 'passed'],
      ['lost.test.json', 'broken'],
      ['simple.test.json', 'broken'],
      ['torn.test.json', 'broken'],
    ]),
  );
  assert.deepEqual(
    [...new Set(byName.get('empty.test.json')?.complaints.map(({ code: what }) => what))],
    ['ANSWER_MISSING'],
  );
  assert.match(JSON.stringify(byName.get('lost.test.json')?.findings), /FILE_MISSING.*scenario\.json/);
});

test('a folder without tests is no success', async () => {
  await mkdir(join(folder, 'none'));
  await write(join('none', 'a.json'), answersOf({}));
  const { code, error } = await chukwa('test', join(folder, 'none'));
  assert.equal(code, 1);
  assert.match(error, /NO_TESTS/);
  assert.equal((await chukwa('test', join(folder, 'nowhere'))).code, 1);
});

test('validate finds keys that no turn asks for, names of nothing, and turns that are not run', async () => {
  const root = await besideClerk('unasked', {
    'answers.json': answersOf({ 1: { 'ivy/lookup/call': { json: {} } } }),
    'unasked.test.json': {
      ...NOTHING_EXPECTED,
      answers_ref: { path: './answers.json' },
      answers: { 1: { 'ivy/act/round-3/try-1': { text: '' }, 'ivy/sort/round-1/try-1/tool': { json: 1 } }, 7: {} },
      given: { entities: { ivi: { state: 'away' }, note: { memory: ['I was written.'] } } },
      expect: {
        turns: { 1: { patches: [{ subject: 'note' }], tools: ['send'], not_called: ['turn/weather'] } },
        world: { environments: { kisok: {} } },
      },
    },
  });
  const { code, out } = await chukwa('validate', root, '--json');
  assert.equal(code, 1);
  const { findings } = JSON.parse(out) as { findings: readonly { file: string; code: string; pointer: string }[] };
  assert.deepEqual(
    findings.map(({ file, code: what, pointer }) => [file.split('/').at(-1), what, pointer].join(' ')).toSorted(),
    [
      ['answers.json', 'KEY_NEVER_ASKED', '/turns/1/ivy~1lookup~1call'],
      ['unasked.test.json', 'KEY_NEVER_ASKED', '/answers/1/ivy~1act~1round-3~1try-1'],
      ['unasked.test.json', 'KEY_NEVER_ASKED', '/answers/1/ivy~1sort~1round-1~1try-1~1tool'],
      ['unasked.test.json', 'TURN_NEVER_RUN', '/answers/7'],
      ['unasked.test.json', 'TEST_NAMES_NOTHING', '/given/entities/ivi'],
      ['unasked.test.json', 'TEST_NAMES_NOTHING', '/given/entities/note/memory'],
      ['unasked.test.json', 'TEST_NAMES_NOTHING', '/expect/turns/1/patches/0/subject'],
      ['unasked.test.json', 'TEST_NAMES_NOTHING', '/expect/turns/1/tools/0'],
      ['unasked.test.json', 'KEY_NEVER_ASKED', '/expect/turns/1/not_called/0'],
      ['unasked.test.json', 'TEST_NAMES_NOTHING', '/expect/world/environments/kisok'],
    ]
      .map((finding) => finding.join(' '))
      .toSorted(),
  );
});

test('no dry run of this file has loaded the spy, which leaves its file where a plugin is tested', async () => {
  assert.equal(spyWasHere(), false);
  await runCommandLine(await compose(variables), ['plugin', 'test', spyFolder()], openTestTerminal());
  assert.equal(spyWasHere(), true);
});

test('Ctrl-C in the middle of a test ends with 130, and the test is not reported as failed', async () => {
  const idle = { json: { kind: 'final_patch', patch: { narration: 'Ivy waits.', effects: [] } } };
  const root = await besideClerk('long', {
    'long.test.json': {
      ...NOTHING_EXPECTED,
      turns: 1000,
      answers: {
        '*': {
          'ivy/sort/round-1/try-1': { json: { from: 'nobody', topic: 'other', place: 'kiosk' } },
          'ivy/look_up/call': { json: { temperature_f: 50, condition: 'dull', message: 'Dull.' } },
          'ivy/act/round-1/try-1': idle,
        },
      },
    },
  });
  // Pressed by the operating system, as it were: a program that never yields plays to the end.
  const terminal = openTestTerminal({ onWrite: (self) => void setTimeout(() => self.interrupt(), 1) });
  const words = ['test', join(root, 'clerk', 'clerk.test.json'), join(root, 'clerk', 'long.test.json'), '--root', root];
  assert.equal(await runCommandLine(await compose(variables), words, terminal), 130);
  assert.match(terminal.out_text(), /^1 test passed$/m);
  assert.doesNotMatch(terminal.out_text(), /failed|broken/);
});
