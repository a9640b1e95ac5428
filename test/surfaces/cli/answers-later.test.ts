import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compose } from '../../../engine/main.js';
import type { RunReport } from '../../../engine/operations/run-turns.js';
import type { AttemptRecord, InvocationRecord } from '../../../engine/ports/records.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { startScriptedModel } from '../../../fixtures/scripted-model/index.js';
import { startToys } from '../../../fixtures/toys/index.js';
import { loadScript } from '../../support/park-stage.js';
import { openTestTerminal } from './test-terminal.js';

const MOMENT = String.raw`\d{4}-\d\d-\d\d\s+\d\d:\d\d(:\d\d)?\s+UTC`;

let data = '';
let variables: Readonly<Record<string, string>> = {};
const closing: (() => Promise<unknown>)[] = [];

before(async () => {
  data = await mkdtemp(join(tmpdir(), 'chukwa-later-'));
  const [toys, model] = await Promise.all([startToys(), startScriptedModel(await loadScript('letters'))]);
  closing.push(
    () => toys.close(),
    () => model.close(),
    () => rm(data, { recursive: true, force: true }),
  );
  variables = {
    ...toys.variables,
    CHUKWA_DATA_DIR: data,
    CHUKWA_LLM_BASE_URL: model.url,
    CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
  };
});
after(async () => {
  for (const close of closing) await close();
});

async function chukwa(...words: readonly string[]) {
  const terminal = openTestTerminal();
  const code = await runCommandLine(await compose(variables), words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

/** A world whose first turn rests until a letter is answered. */
async function makeResting(slug: string) {
  await chukwa('world', 'create', slug, '--scenario', 'workflows/letters/scenario.json');
  const ran = await chukwa('run', slug, '--json');
  const { turns, awaited } = JSON.parse(ran.out) as RunReport;
  const [[turn], [call]] = [turns, awaited ?? []];
  assert.ok(turn && call, ran.error);
  return { code: ran.code, attempt: turn.attempt_id, call: call.source_invocation_id, alias: call.correlation_alias };
}

test('a run of a turn that rests says each time for whom it waits, until when, and how to end that', async () => {
  const { code, attempt, call, alias } = await makeResting('rests');
  assert.equal(code, 5);
  const again = await chukwa('run', 'rests');
  assert.equal(again.code, 5);
  assert.match(again.out, new RegExp(` 1 +suspended +0 +2 +${attempt}\n`));
  assert.match(again.out, toAwaited(alias));
  assert.match(again.out, toCommand(`report ${call} --result FILE`));
  assert.match(again.out, toCommand(`stop ${attempt}`));
  assert.match(again.out, toCommand(`attempt ${attempt}`));
  assert.match(again.out, /npx chukwa run rests goes on with it, as does a worker or a serve/);
});

test('what rests says wherever it is looked at until when, and how to go on', async () => {
  const { attempt, call, alias } = await makeResting('looked-at');
  const shown = await chukwa('attempt', attempt);
  assert.match(shown.out, toAwaited(alias));
  assert.match(shown.out, toCommand(`report ${call} --result FILE`));
  const called = await chukwa('invocation', call);
  assert.match(called.out, new RegExp(`calls it ${alias}; waited\\s+for\\s+until\\s+${MOMENT}\n`));
  assert.match(called.out, toCommand(`report ${call} --result FILE`));
  const { agent_turns, awaited } = JSON.parse((await chukwa('attempt', attempt, '--json')).out) as AttemptRecord;
  const { pended } = JSON.parse((await chukwa('invocation', call, '--json')).out) as InvocationRecord;
  const [waited] = awaited;
  assert.deepEqual(pended, { correlation_alias: alias, pended_at: waited?.pended_at, deadline: waited?.deadline });
  const turn = await chukwa('agent-turn', agent_turns[0]?.agent_turn_id ?? '');
  assert.match(turn.out, toCommand(`invocation ${call}`));
  assert.match(turn.out, /task\.result_fields {2}component/);
  assert.match((await chukwa('agents', 'looked-at')).out, new RegExp(`\nnora waits until ${MOMENT} at most\\.\n`));
});

const toCommand = (words: string): RegExp => new RegExp(`npx chukwa ${words}( |\n)`);

const toAwaited = (alias: string | null): RegExp =>
  new RegExp(`It waits for:\n  post_office, which calls it ${alias}; asked by nora/act/\\S+,\\s+until\\s+${MOMENT}\n`);
