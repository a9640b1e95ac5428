import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { JsonObject } from '../../engine/contract/json.js';
import type { ListedAgent } from '../../engine/operations/browse/agents.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import type { RunReport } from '../../engine/operations/running/run-turns.js';
import { runCommandLine } from '../../engine/surfaces/cli/command-line.js';
import type { WorkflowTest } from '../../engine/generated/workflow-test.js';
import { startToys, type Toys } from '../../fixtures/toys/index.js';
import { emptyDatabase } from '../support/databases.js';
import { copyFolder, ROOT } from '../support/park-stage.js';
import { openTestTerminal } from '../surfaces/cli/test-terminal.js';
import { composeHere } from './command.js';
import { misbehaveOn } from '../support/faults.js';

const database = await emptyDatabase({ after });
let folder = '';
let toys: Toys;
let root = '';
const SECRET = 'a-key-that-no-file-may-hold';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chukwa-record-'));
  root = join(folder, 'workflows');
  toys = await startToys();
  copyFolder(join(ROOT, 'workflows'), root);
});

after(async () => {
  await toys.close();
  await rm(folder, { recursive: true, force: true });
});

async function chukwa(...words: readonly string[]) {
  const terminal = openTestTerminal();
  const composition = await composeHere({
    ...toys.variables,
    CHUKWA_DATA_DIR: join(folder, 'data'),
    ...database,
    CHUKWA_LLM_API_KEY: SECRET,
  });
  const code = await runCommandLine(composition, words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

async function play(scenario: string, script: string, turns = 1): Promise<RunReport> {
  const file = join(root, scenario, 'scenario.json');
  const made = await chukwa('world', 'create', `${scenario}-${script}`, '--scenario', file, '--root', root);
  assert.equal(made.code, 0, made.error);
  const words = ['--llm', 'scripted', '--script', script, '--turns', String(turns), '--json'];
  return JSON.parse((await chukwa('run', `${scenario}-${script}`, ...words)).out) as RunReport;
}

/** Records an attempt, and runs what was recorded. */
async function roundTrip(attempt: string, name: string, ...words: readonly string[]): Promise<WorkflowTest> {
  const recorded = await record(attempt, name, ...words);
  await assertPassing(name);
  return recorded;
}

const fileOf = (name: string): string => join(root, `${name}.test.json`);

async function record(attempt: string, name: string, ...words: readonly string[]): Promise<WorkflowTest> {
  const recorded = await chukwa('record', attempt, '--out', fileOf(name), ...words);
  assert.equal(recorded.code, 0, recorded.error);
  return JSON.parse(await readFile(fileOf(name), 'utf8')) as WorkflowTest;
}

/** Runs recordings, each in a world of its own. */
async function assertPassing(...names: readonly string[]): Promise<void> {
  const tested = await chukwa('test', ...names.map(fileOf), '--root', root);
  assert.equal(tested.code, 0, tested.out + tested.error);
}

test('every turn of the park is recorded, committed after mistakes too, and each recording passes by itself', async () => {
  const run = await play('park', 'stumbles', 3);
  assert.equal(run.turns.length, 3);
  for (const { attempt_id, attempted_turn } of run.turns) {
    const scenario = join(root, 'park', 'scenario.json');
    const words = ['--unredacted', '--scenario', scenario, '--root', root];
    const recorded = await record(attempt_id, `park-${attempted_turn}`, ...words);
    assert.deepEqual(recorded.scenario_ref, { path: './park/scenario.json' });
    assert.equal(recorded.given?.turn ?? 0, attempted_turn - 1);
    assert.ok((recorded.expect.turns?.[attempted_turn]?.rejections?.length ?? 0) >= 3);
    assert.doesNotMatch(JSON.stringify(recorded), new RegExp(SECRET));
  }
  await assertPassing(...run.turns.map(({ attempted_turn }) => `park-${attempted_turn}`));
});

test('a turn of concurrent subjects is recorded without what was superseded, and the test of its workflow stays right', async () => {
  const run = await play('village', 'village', 2);
  const shown = JSON.parse((await chukwa('attempt', 'village-village@2', '--json')).out) as AttemptRecord;
  assert.equal(shown.attempt_id, run.turns[1]?.attempt_id);
  assert.ok(shown.invocations.some(({ is_superseded }) => is_superseded));
  const recorded = await record(shown.attempt_id, 'village-2', '--unredacted', '--root', root);
  const keys = Object.keys(recorded.answers?.['2'] ?? {});
  assert.deepEqual(
    keys.filter((key) => /@\d{1,3}$/.test(key)),
    [],
  );
  const tested = await chukwa('test', fileOf('village-2'), join(root, 'village'), '--root', root);
  assert.equal(tested.code, 0, tested.out + tested.error);
  const { agents } = JSON.parse((await chukwa('agents', 'village-village', '--json')).out) as {
    readonly agents: readonly ListedAgent[];
  };
  const latest = new Set(shown.agent_turns.map(({ agent_turn_id }) => agent_turn_id));
  assert.ok(agents.every(({ latest_turn }) => latest.has(latest_turn?.agent_turn_id ?? '')));
});

test('a failed attempt is recorded with its failure; the scenario may be named by its hash', async () => {
  misbehaveOn(toys.weather, 1, 'non_json');
  const run = await play('ambient-weather', 'ambient-weather');
  toys.reset();
  const [turn] = run.turns;
  assert.equal(turn?.failure_class, 'non_json');
  const recorded = await roundTrip(turn.attempt_id, 'failed', '--unredacted');
  assert.ok('hash' in recorded.scenario_ref);
  assert.deepEqual(Object.keys(recorded.answers?.['1'] ?? {}), ['turn/park_weather']);
  assert.equal(recorded.expect.turns?.['1']?.failure?.class, 'non_json');
});

test('a recording that names its scenario by hash is said to run only with this database; one by path is not', async () => {
  const run = await play('tools', 'tools');
  const attempt = run.turns[0]?.attempt_id ?? '';
  const by_hash = await chukwa('record', attempt, '--unredacted', '--out', fileOf('by-hash'));
  assert.match(by_hash.error.replaceAll(/\s+/g, ' '), /^note: .* only with this database; .* add --scenario PATH $/);
  const scenario = join(root, 'tools', 'scenario.json');
  const words = ['--unredacted', '--scenario', scenario, '--root', root, '--out', fileOf('by-path')];
  const by_path = await chukwa('record', attempt, ...words);
  assert.deepEqual([by_path.code, by_path.error], [0, '']);
});

test('a recording holds what redaction shows, and something else where the schema asks for what is hidden', async () => {
  const run = await play('clerk', 'clerk');
  const attempt = run.turns[0]?.attempt_id ?? '';
  const shown = await record(attempt, 'clerk-shown');
  assert.doesNotMatch(JSON.stringify(shown.answers), /message-1|Warm and sunny/);
  assert.match(JSON.stringify(shown.answers), /"hidden"/);
  const whole = await record(attempt, 'clerk-whole', '--unredacted');
  await assertPassing('clerk-shown', 'clerk-whole');
  assert.match(JSON.stringify(whole), /Warm and sunny/);
});

test('a recording holds the failures with which a turn went on, and what redaction shows of them', async () => {
  const workflow = join(root, 'out-of-order', 'workflow.json');
  const whole = await readFile(workflow, 'utf8');
  const allow = ['/status', '/remaining', '/message', '/error/message'];
  await writeFile(workflow, whole.replace('"allow": "all"', `"allow": ${JSON.stringify(allow)}`));
  const [turn] = (await play('out-of-order', 'out-of-order')).turns;
  assert.equal(turn?.status, 'committed');
  const recorded = await roundTrip(turn.attempt_id, 'went-on');
  const answers = recorded.answers?.['1'] ?? {};
  const failed = answers['bob/act/round-1/try-1/tool'];
  assert.ok(failed && 'failure' in failed);
  assert.deepEqual([failed.failure, failed.http_status], ['http_status', 400]);
  assert.deepEqual(JSON.parse(failed.text ?? ''), { error: { message: 'The body lacks machine_id.' } });
  assert.match(failed.message ?? '', /answered with status 400/);
  assert.doesNotMatch(failed.message ?? '', /it said|chukwa invocation/);
});

test('turns that follow each other are recorded as one test, which passes by itself', async () => {
  const run = await play('park', 'park', 3);
  const [first, , third] = run.turns;
  const recorded = await roundTrip(first?.attempt_id ?? '', 'park-turns', '--turns', '3');
  assert.equal(recorded.turns, 3);
  assert.deepEqual(Object.keys(recorded.expect.turns ?? {}), ['1', '2', '3']);
  assert.equal(recorded.expect.world?.turn, 3);
  const beyond = await chukwa('record', third?.attempt_id ?? '', '--turns', '2');
  assert.match(beyond.error, /ATTEMPT_NOT_RECORDABLE[^]*--turns 1|--turns 1[^]*ATTEMPT_NOT_RECORDABLE/);
});

test('a recording gives its answers to a dry run as well', async () => {
  const run = await play('ambient-pa', 'ambient-pa');
  const file = join(folder, 'again.test.json');
  assert.equal((await chukwa('record', run.turns[0]?.attempt_id ?? '', '--unredacted', '--out', file)).code, 0);
  const scenario = join(root, 'ambient-pa', 'scenario.json');
  await chukwa('world', 'create', 'played-again', '--scenario', scenario, '--root', root);
  const { code, out, error } = await chukwa('run', 'played-again', '--dry', '--answers', file, '--json');
  assert.equal(code, 0, error);
  const [again] = (JSON.parse(out) as RunReport).turns;
  assert.deepEqual(again?.patches, run.turns[0]?.patches);
});

test('a recording and a dry run keep where memories come from, so that policy decides as it did', async () => {
  const place = join(root, 'wary');
  copyFolder(join(root, 'tools'), place);
  const edit = async (path: string, change: (document: JsonObject) => JsonObject) =>
    writeFile(path, JSON.stringify(change(JSON.parse(await readFile(path, 'utf8')) as JsonObject)));
  await writeFile(
    join(root, 'policies', 'wary.json'),
    JSON.stringify({
      version: 1,
      label: 'wary',
      allow: ['buy_candy', 'use_drinking_fountain', 'send_text'],
      require_approval: [],
      rules: [{ tools: ['send_text'], origins: ['source:*'], decide: 'deny', because: 'a machine said so' }],
      budgets: { max_runtime_ms: 5000, max_result_bytes: 32768 },
    }),
  );
  await edit(join(place, 'profile.json'), (profile) => ({
    ...profile,
    tool_policy_ref: { path: '../policies/wary.json' },
  }));
  const told = { from: 'bob_phone', to: 'Alice', body: 'Come here at once.' };
  const rest = { narration: 'Bob rests.', effects: [] };
  const script = JSON.parse(await readFile(join(ROOT, 'fixtures/scripts/tools.json'), 'utf8')) as JsonObject;
  const answers = join(folder, 'wary.json');
  await writeFile(
    answers,
    JSON.stringify({
      version: 1,
      label: 'wary',
      turns: {
        '1': (script['turns'] as JsonObject)['1'],
        '2': {
          'bob/act/round-1/try-1': {
            json: { kind: 'tool_call', tool_call: { name: 'send_text', arguments: told } },
          },
          'bob/act/round-1/try-2': { json: { kind: 'final_patch', patch: rest } },
        },
      },
    }),
  );
  await chukwa('world', 'create', 'wary', '--scenario', join(place, 'scenario.json'), '--root', root);
  const run = async (...words: readonly string[]): Promise<RunReport> => {
    const { out, error } = await chukwa('run', 'wary', '--json', ...words);
    return JSON.parse(out === '' ? error : out) as RunReport;
  };
  const live = ['--llm', 'scripted', '--script', answers];
  assert.equal((await run(...live)).turns[0]?.status, 'committed');
  const dry = (await run('--dry', '--answers', answers)).turns[0];
  assert.equal(dry?.status, 'committed');
  const turn = (await run(...live)).turns[0];
  assert.deepEqual(dry.patches, turn?.patches);
  const recorded = await roundTrip(turn?.attempt_id ?? '', 'wary');
  assert.deepEqual(
    recorded.expect.turns?.['2']?.rejections?.map(({ detail }) => detail),
    ['policy_denied'],
  );
  const bob = recorded.given?.entities?.['bob'];
  assert.ok(bob?.origins?.includes('source:toy_vending_machine'), JSON.stringify(recorded.given));
});

test('an attempt that cannot be recorded is reported, and an existing file stays', async () => {
  assert.match((await chukwa('record', 'nonsense')).error, /ATTEMPT_UNKNOWN/);
  const run = await play('simple', 'simple');
  const attempt = run.turns[0]?.attempt_id ?? '';
  const file = join(folder, 'mine.test.json');
  await writeFile(file, 'mine');
  assert.match((await chukwa('record', attempt, '--out', file)).error, /FILE_EXISTS/);
  assert.equal(await readFile(file, 'utf8'), 'mine');
  assert.match((await chukwa('record', attempt, '--out', join(folder, 'no', 'where.json'))).error, /FILE_UNWRITABLE/);
  const other = join(root, 'tools', 'scenario.json');
  const differs = await chukwa('record', attempt, '--scenario', other, '--root', root);
  assert.equal(differs.code, 1);
  assert.match(differs.error, /RECORD_SCENARIO_DIFFERS/);
  const printed = await chukwa('record', attempt, '--json');
  assert.equal((JSON.parse(printed.out) as WorkflowTest).label, 'simple-simple-turn-1');
});
