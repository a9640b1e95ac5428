import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compose } from '../../../engine/main.js';
import type { ResolvedAgentTurn } from '../../../engine/operations/browse/agents.js';
import type { RunReport } from '../../../engine/operations/running/run-turns.js';
import type { WorldAttempts } from '../../../engine/operations/browse/records.js';
import type { AttemptRecord, InvocationRecord } from '../../../engine/ports/records.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { type ScriptedModel, startScriptedModel } from '../../../fixtures/toys/scripted-model/index.js';
import { startToys, type Toys } from '../../../fixtures/toys/index.js';
import { emptyDatabase } from '../../support/databases.js';
import { editWorkflows, loadScript } from '../../support/park-stage.js';
import { openTestTerminal } from './test-terminal.js';
import { misbehave } from '../../support/faults.js';

const database = await emptyDatabase({ after });
const FIRST = 'bob/act/round-1/try-1';
const SALE = `${FIRST}/tool`;
const AFTER_SALE = 'bob/act/round-2/try-1';
const KEY = 'a-key-that-no-record-may-hold';

let data = '';
let toys: Toys;
let model: ScriptedModel;
let variables: Readonly<Record<string, string>> = {};

before(async () => {
  data = await mkdtemp(join(tmpdir(), 'chukwa-doubts-'));
  toys = await startToys();
  model = await startScriptedModel(await loadScript('tools'));
  variables = {
    ...toys.variables,
    CHUKWA_DATA_DIR: data,
    ...database,
    CHUKWA_LLM_BASE_URL: model.url,
    CHUKWA_LLM_API_KEY: KEY,
  };
});
after(async () => {
  await Promise.all([toys.close(), model.close()]);
  await rm(data, { recursive: true, force: true });
});

async function chukwa(...words: readonly string[]) {
  const terminal = openTestTerminal();
  const code = await runCommandLine(await compose(variables), words, terminal);
  return { code, out: terminal.out_text().replaceAll(/ +/g, ' '), error: terminal.error_text() };
}

const shown = async <Value>(...words: readonly string[]): Promise<Value> =>
  JSON.parse((await chukwa(...words, '--json')).out) as Value;

/** A world whose first turn fails at the sale: its answer is lost, unless the model breaks after it. */
async function makeFailed(world: string, how: 'lost' | 'after'): Promise<AttemptRecord> {
  const script = await loadScript('tools');
  const broken = {
    ...script,
    turns: { ...script.turns, '1': { ...script.turns['1'], [AFTER_SALE]: { status: 500 } } },
  };
  await chukwa('world', 'create', world, '--scenario', 'workflows/tools/scenario.json');
  model.setScript(how === 'after' ? broken : script);
  misbehave(toys.vending, how === 'lost' ? 'reset_connection' : undefined);
  const ran = await chukwa('run', world, '--json');
  assert.equal(ran.code, 3, ran.error);
  misbehave(toys.vending);
  model.setScript(script);
  const [turn] = (JSON.parse(ran.out) as RunReport).turns;
  return shown('attempt', turn?.attempt_id ?? '');
}

test('a settled call says who settled it, when, why, and with what, and holds no secret', async () => {
  const { attempt_id, failed_source_invocation_id: call } = await makeFailed('settled', 'lost');
  assert.match(
    (await chukwa('attempts', 'settled')).out.replaceAll(/\s+/g, ' '),
    /transport, 1 call in doubt calls 2 /,
  );
  const file = join(data, 'result.json');
  const settle = ['attempt', 'settle', attempt_id, '--result', file, '--reason', `the shelf is empty, ${KEY}`];
  await writeFile(file, '{"status": 7}');
  assert.match((await chukwa(...settle)).error, /result\.json:1:2 {2}\w+ .*\(at \/status\)/, 'a misfit has its place');
  await writeFile(file, JSON.stringify({ status: 'dispensed', remaining: 0, message: `It dropped, says ${KEY}.` }));
  assert.equal((await chukwa(...settle)).code, 0);
  assert.match((await chukwa('attempts', 'settled')).out, / state failed\n why it failed transport\n calls 2\n/);
  const { out } = await chukwa('invocation', call ?? '');
  const flat = out.replaceAll(/\s+/g, ' ');
  assert.match(flat, new RegExp(`Settled at \\d{4}-\\S+ \\S+ UTC by a person on ${hostname()}: it took place\\.`));
  assert.match(flat, /Reason: "the shelf is empty, \[secret:CHUKWA_LLM_API_KEY\]"/);
  assert.match(flat, /How it was settled .*\{ .*"message": "It dropped, says \[secret:CHUKWA_LLM_API_KEY\]\."/);
  const { settlement } = await shown<InvocationRecord>('invocation', call ?? '');
  assert.deepEqual([settlement?.performed, settlement?.settled_by, settlement?.host], [true, 'operator', hostname()]);
  assert.equal((await chukwa('run', 'settled')).code, 0);
});

test('the answer with which a call was settled stands wherever the turn that adopted it is shown', async () => {
  const { attempt_id } = await makeFailed('answered', 'lost');
  const file = join(data, 'answer.json');
  await writeFile(file, JSON.stringify({ status: 'dispensed', remaining: 4, message: 'It dropped.' }));
  const settled = await chukwa('attempt', 'settle', attempt_id, '--result', file);
  assert.match(settled.out, /^ +npx chukwa run answered --llm scripted --script FILE +answers from a script$/m);
  const ran = JSON.parse((await chukwa('run', 'answered', '--json')).out) as RunReport;
  const committed = await shown<AttemptRecord>('attempt', ran.turns[0]?.attempt_id ?? '');
  const bobs = committed.agent_turns.find(({ agent_id }) => agent_id === 'bob')?.agent_turn_id ?? '';
  const { output_box } = await shown<ResolvedAgentTurn>('agent-turn', bobs);
  const [result] = output_box.cards.filter(({ kind }) => kind === 'tool.result');
  assert.deepEqual(result?.tells?.value, { status: 'dispensed', remaining: 4, message: 'It dropped.' });
  assert.equal(result?.tells?.failure, null);
  for (const words of [
    ['attempt', committed.attempt_id],
    ['agent-turn', bobs],
  ]) {
    const flat = (await chukwa(...words)).out.replaceAll(/\s+/g, ' ');
    assert.match(flat, /It dropped\./);
    assert.doesNotMatch(flat, /settle the call first|took place\.\./);
  }
});

test('a call that a report has settled says so, with the message for which it failed', async () => {
  const { failed_source_invocation_id: call } = await makeFailed('reported', 'lost');
  assert.equal((await chukwa('report', call ?? '', '--failed', 'The flap is stuck.')).code, 0);
  const flat = (await chukwa('invocation', call ?? '')).out.replaceAll(/\s+/g, ' ');
  assert.match(flat, /Settled at .* by a report on .*: it did not take place\. Reason: "The flap is stuck\."/);
});

test('run --anew names its danger where it is offered, and what was in doubt before it goes on', async () => {
  const { attempt_id } = await makeFailed('anew', 'lost');
  const refused = (await chukwa('run', 'anew')).error.replaceAll(/\s+/g, ' ');
  assert.match(refused, / run anew --anew, which makes the side effect twice if it took place\./);
  assert.match(
    (await chukwa('attempt', attempt_id)).out,
    /run anew --anew +starts over, and makes it twice if it took place; add\s+--llm and\s+--script as before/,
  );
  const { out } = await chukwa('run', 'anew', '--anew');
  const flat = out.replaceAll(/\s+/g, ' ');
  assert.match(flat, new RegExp(`Attempt ${attempt_id} is set aside, .* in doubt: ${SALE} .*buy_candy`));
  assert.doesNotMatch(flat, /took place:/);
  const attempts = await shown<WorldAttempts>('attempts', 'anew');
  assert.deepEqual(
    attempts.attempts.map(({ calls_in_doubt }) => calls_in_doubt),
    [0, 0],
  );
});

test('a run whose program does not fit the records is refused until it is begun anew, which names what took place', async () => {
  const { attempt_id } = await makeFailed('unfit', 'after');
  const sold = toys.vending.served.length;
  const refused = await chukwa('run', 'unfit', '--tools', '', '--json');
  assert.equal(refused.code, 1);
  assert.match(refused.error, /RECORD_NOT_ADOPTABLE/);
  assert.ok(
    refused.error.includes(`chukwa attempt ${attempt_id}`) &&
      refused.error.includes("npx chukwa run unfit --tools '' --anew"),
  );
  assert.equal(toys.vending.served.length, sold);
  const { code, out } = await chukwa('run', 'unfit', '--anew');
  assert.equal(code, 0);
  assert.match(out.replaceAll(/\s+/g, ' '), new RegExp(`is set aside, .* took place: ${SALE} `));
  assert.equal(toys.vending.served.length, sold + 1);
});

test('calls are counted the same way wherever they are counted: those that an attempt has made itself', async () => {
  const failed = await makeFailed('counted', 'after');
  const { out } = await chukwa('run', 'counted');
  assert.match(out, /2 calls are adopted from attempt/);
  const { attempts } = await shown<WorldAttempts>('attempts', 'counted');
  const [latest, first] = attempts;
  assert.deepEqual([latest?.source_invocation_count, first?.source_invocation_count], [1, 3]);
  assert.match(out, new RegExp(`turn 1 committed: 1 patch, 1 call,`));
  assert.match(out, new RegExp(` 1 committed 1 1 \\d+ ${latest?.attempt_id}`));
  assert.match((await chukwa('attempt', latest?.attempt_id ?? '')).out, /\n1 call, 2 adopted\n/);
  assert.match((await chukwa('attempt', failed.attempt_id)).out, /\n3 calls\n/);
});

test('a retry is shown below the failure that it follows, and names it', async (context) => {
  const retry = { max: 2, on: ['http_5xx'], backoff_ms: 1, backoff_max_ms: 10 };
  const workflows = await editWorkflows(context, { 'sources/park-weather.json': (source) => ({ ...source, retry }) });
  await chukwa(
    'world',
    'create',
    'retried',
    '--scenario',
    join(workflows, 'ambient-weather/scenario.json'),
    '--root',
    workflows,
  );
  model.setScript(await loadScript('ambient-weather'));
  misbehave(toys.weather, 'status_500');
  const { out } = await chukwa('run', 'retried');
  misbehave(toys.weather);
  const lines = out.split('\n').filter((line) => line.startsWith(' park_weather '));
  const kinds = lines.map((line) => /http_status|retry \d of 2, after http_5xx/.exec(line)?.[0]);
  const retries = [1, 2].map((number) => `retry ${number} of 2, after http_5xx`);
  assert.deepEqual(kinds, ['http_status', retries[0], 'http_status', retries[1], 'http_status'], out);
});
