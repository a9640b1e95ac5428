import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { RunReport } from '../../engine/operations/running/run-turns.js';
import type { AttemptRecord, AttemptSummary } from '../../engine/ports/records.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import { type ScriptedModel, startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { emptyDatabase } from '../support/databases.js';
import { editWorkflows } from '../support/park-stage.js';
import { waitUntil } from '../support/wait-until.js';
import { askHere, runChukwa, runHere, startChukwa, startHere, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';
import { memberOf, script } from './readings.js';

const IN_MEMORY = { CHUKWA_DATABASE_URL: 'memory:' };
const SIMPLE = 'workflows/simple/scenario.json';

const TURN = ['attempted_turn', 'attempt_id', 'adopts', 'status', 'failure_class', 'patches', 'invocations'];
const PATCH = ['patch_seq', 'workflow_subject_entity_id', 'narration', 'effects'];
const INVOCATION = [
  'source_invocation_id',
  'parent_source_invocation_id',
  'invocation_seq',
  'invocation_kind',
  'ambient_source_id',
  'tool_name',
  'workflow_subject_entity_id',
  'workflow_node_id',
  'tool_loop_round',
  'logical_generation_attempt',
  'model_output_kind',
  'adopted_from',
  'status',
  'failure_class',
  'http_status',
  'llm_call_id',
  'response_json',
];

function assertHas(value: object, members: readonly string[]): void {
  assert.deepEqual(
    members.filter((member) => !Object.hasOwn(value, member)),
    [],
  );
}

describe('chukwa park', () => {
  test('chukwa park runs four turns from nothing, and reports them in the form that the contracts give', async (context) => {
    const variables = { CHUKWA_DATA_DIR: await makeFolder(context) };
    const report = await askHere<RunReport>(['park', '--turns', '4'], variables);
    assert.deepEqual(Object.keys(report).toSorted(), ['turns', 'world']);
    assert.equal(report.world, 'park');
    assert.deepEqual(
      report.turns.map(({ attempted_turn, status }) => [attempted_turn, status]),
      [1, 2, 3, 4].map((turn) => [turn, 'committed']),
    );
    for (const turn of report.turns) {
      assertHas(turn, TURN);
      assert.equal(turn.patches.length, 2);
      for (const patch of turn.patches) assertHas(patch, PATCH);
      for (const invocation of turn.invocations) assert.deepEqual(Object.keys(invocation), INVOCATION);
    }
    const calls = report.turns.flatMap(({ invocations }) => invocations);
    const weather = calls.filter(({ ambient_source_id }) => ambient_source_id === 'park_weather');
    assert.deepEqual(
      weather.map(({ response_json }) => memberOf(response_json, 'temperature_f')),
      [72, 64, 55, 47],
    );
    const tools = calls.flatMap(({ tool_name }) => tool_name ?? []);
    assert.deepEqual(tools, ['buy_candy', 'buy_candy', 'use_drinking_fountain', 'send_text']);

    const [first] = report.turns;
    assert.ok(first);
    const attempt = await askHere<AttemptRecord>(['attempt', first.attempt_id], variables);
    assert.deepEqual([attempt.world_slug, attempt.status], ['park', 'committed']);
    const shown = await runHere(['attempt', report.turns[1]?.attempt_id ?? ''], variables);
    assert.match(shown.stdout, /Rejected answers\n +bob, act, round 2, try 1 /);
    const world = await askHere<WorldSnapshot>(['world', 'show', 'park', '--turn', '3'], variables);
    assert.equal(world.turn, 3);
    const again = await askHere<RunReport>(['park', '--turns', '1'], variables);
    assert.equal(again.world, 'park-2');
  });

  test('--scenario village plays ten turns of five people, in a world of its own', async (context) => {
    const report = await askHere<RunReport>(['park', '--scenario', 'village'], await emptyDatabase(context));
    assert.equal(report.world, 'village');
    assert.equal(report.turns.length, 10);
    for (const { status, patches } of report.turns) {
      assert.equal(status, 'committed');
      assert.deepEqual(
        patches.map(({ workflow_subject_entity_id }) => workflow_subject_entity_id),
        ['marta', 'tom', 'ines', 'joss', 'pip'],
      );
    }
  });

  test('chukwa park prints the turn for people, and nothing on standard error', async () => {
    const { code, stdout, stderr } = await runChukwa(['park', '--turns', '1'], IN_MEMORY);
    assert.equal(code, 0);
    assert.equal(stderr, '');
    assert.match(stdout, /temperature_f 72/);
    assert.match(stdout, /last candy bar behind the glass/);
    assert.ok(!stdout.includes('\u001b'), 'a pipe is no terminal');
  });
});

interface Refusal {
  readonly what: string;
  readonly words: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly code: number;
  readonly says: RegExp;
}

const MISSPELT = 'fixtures/invalid/a-field-is-misspelt';
const NOBODY = 'postgres://reader:canary-password@127.0.0.1:1/nowhere';

const REFUSALS: readonly Refusal[] = [
  { what: 'an unknown world', words: ['run', 'nowhere'], code: 1, says: /no world "nowhere"/ },
  { what: 'a document that does not validate', words: ['validate', MISSPELT], code: 1, says: /source\.json:\d+:\d+/ },
  { what: 'a document that does not validate, to be put', words: ['put', MISSPELT], code: 1, says: /:\d+:\d+/ },
  { what: 'an unknown command', words: ['walk'], code: 2, says: /unknown command 'walk'/ },
  { what: 'a missing argument', words: ['run'], code: 2, says: /missing required argument 'slug'/ },
  { what: 'a number that is none', words: ['park', '--turns', 'many'], code: 2, says: /whole number/ },
  {
    what: 'a database that is out of reach',
    words: ['world', 'list', '--wait', '0'],
    variables: { CHUKWA_DATABASE_URL: NOBODY },
    code: 4,
    says: /127\.0\.0\.1:1\/nowhere cannot be reached/,
  },
];

describe('the exit code says why', () => {
  for (const { what, words, variables = IN_MEMORY, code, says } of REFUSALS) {
    test(`${what}: ${code}`, async () => {
      const ended = await runHere(words, variables);
      assert.equal(ended.code, code, ended.stderr);
      assert.match(`${ended.stderr}${ended.stdout}`, says);
      assert.doesNotMatch(`${ended.stderr}${ended.stdout}`, /canary-password|\n\s+at /);
    });
  }

  test('a script that lacks answers: 3, and what to write', async (context) => {
    const folder = await makeFolder(context);
    const variables = await emptyDatabase(context);
    await writeFile(join(folder, 'mute.json'), JSON.stringify(script({})));
    await askHere<WorldSnapshot>(['world', 'create', 'lonely', '--scenario', SIMPLE], variables);
    const words = ['run', 'lonely', '--turns', '3', '--llm', 'scripted', '--script', join(folder, 'mute.json')];
    const { turns } = await askHere<RunReport>(words, variables, 3);
    assert.deepEqual(
      turns.map(({ status, failure_class }) => [status, failure_class]),
      [['failed', 'http_status']],
    );
    assert.match(turns[0]?.failure_message ?? '', /no answer for turn 1, key "bob\/act\/round-1\/try-1"/);
    const { attempts } = await askHere<{ attempts: readonly AttemptSummary[] }>(['attempts', 'lonely'], variables);
    assert.equal(attempts.length, 1);
  });
});

describe('while a turn runs', () => {
  let model: ScriptedModel;
  before(async () => {
    model = await startScriptedModel(script({ 'bob/act/round-1/try-1': { fault: 'hang' } }));
  });
  after(() => model.close());

  test('others wait for the folder, or are refused with 4 and the name of its holder; an interrupt ends the attempt as stopped, with 130', async (context) => {
    const variables = { CHUKWA_DATA_DIR: await makeFolder(context), CHUKWA_LLM_BASE_URL: model.url };
    await askHere<WorldSnapshot>(['world', 'create', 'slow', '--scenario', SIMPLE], variables);
    const asked = new Promise<void>((resolve) => model.onRequest(async () => resolve()));
    const running = startChukwa(['run', 'slow', '--json'], variables);
    await whileRunning(running, asked);
    const second = await runHere(['world', 'list', '--wait', '0'], variables);
    const reader = startHere(['world', 'list', '--wait', '600'], variables);
    await whileRunning(
      reader,
      waitUntil(async () => reader.complained().includes('(--wait)')),
    );
    running.kill('SIGINT');
    const first = await running.ended;
    const read = await reader.ended;
    assert.equal(read.code, 0, read.stderr);
    assert.match(read.stdout, /slow/);
    assert.doesNotMatch(`${second.stderr}${read.stderr}`, /\b(stop|kill)\b/i);
    assert.equal(second.code, 4);
    assert.match(second.stderr, new RegExp(`in use by process\\s+${running.pid},\\s+since\\s+\\d{4}-`));
    assert.match(second.stderr, /CHUKWA_DATABASE_URL/);
    assert.equal(first.code, 130);
    const [turn] = (JSON.parse(first.stdout) as RunReport).turns;
    assert.deepEqual([turn?.status, turn?.failure_class], ['failed', 'stopped']);
    const { attempts } = await askHere<{ attempts: readonly AttemptSummary[] }>(['attempts', 'slow'], variables);
    assert.deepEqual(
      attempts.map(({ status, failure_class }) => [status, failure_class]),
      [['failed', 'stopped']],
    );
  });

  test('a terminal that goes away ends the attempt as stopped', async (context) => {
    const variables = { CHUKWA_DATA_DIR: await makeFolder(context), CHUKWA_LLM_BASE_URL: model.url };
    await askHere<WorldSnapshot>(['world', 'create', 'hung-up', '--scenario', SIMPLE], variables);
    const asked = new Promise<void>((resolve) => model.onRequest(async () => resolve()));
    const running = startChukwa(['run', 'hung-up', '--json'], variables);
    await whileRunning(running, asked);
    running.kill('SIGHUP');
    const { code, stdout } = await running.ended;
    assert.equal(code, 130);
    const [turn] = (JSON.parse(stdout) as RunReport).turns;
    assert.deepEqual([turn?.status, turn?.failure_class], ['failed', 'stopped']);
  });
});

interface Stored {
  readonly stored: readonly { readonly kind: string; readonly hash: string }[];
  readonly new_count: number;
}

describe('chukwa put', () => {
  test('chukwa put stores a folder whole or not at all, and a second time nothing new', async (context) => {
    const variables = await emptyDatabase(context);
    const broken = await editWorkflows(context, {
      'simple/profile.json': (profile) => ({ ...profile, temper: 'bad' }),
    });
    const refused = await askHere<{ ok: boolean; findings: readonly { file: string }[] }>(
      ['put', broken],
      variables,
      1,
    );
    assert.equal(refused.ok, false);
    assert.match(refused.findings[0]?.file ?? '', /simple\/profile\.json$/);
    const first = await askHere<Stored>(['put', 'workflows'], variables);
    const distinct = new Set(first.stored.map(({ kind, hash }) => `${kind} ${hash}`));
    assert.equal(first.new_count, distinct.size, 'the folder that was refused had left something');
    assert.ok(distinct.size > 20);
    const second = await askHere<Stored>(['put', 'workflows'], variables);
    assert.deepEqual([second.stored, second.new_count], [first.stored, 0]);
  });
});
