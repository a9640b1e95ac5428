import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compose } from '../../../engine/main.js';
import type { Composition } from '../../../engine/operations/composition.js';
import type { RunReport } from '../../../engine/operations/running/run-turns.js';
import type { InvocationRecord, LlmCallRecord } from '../../../engine/ports/records.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { emptyDatabase } from '../../support/databases.js';
import { openTestTerminal } from './test-terminal.js';
import { makeFolder } from '../../support/folder.js';

const database = await emptyDatabase({ after });
const FIRST = 'bob/act/round-1/try-1';
const PATCH = { kind: 'final_patch', patch: { narration: 'Bob reads.', effects: [] } };

const folder = await makeFolder({ after });
let composition: Composition;

before(async () => {
  composition = await compose({ CHUKWA_DATA_DIR: join(folder, 'data'), ...database });
  const made = await chukwa('world', 'create', 'quiet', '--scenario', 'workflows/simple/scenario.json');
  assert.equal(made.code, 0, made.error);
});

async function chukwa(...words: readonly string[]) {
  const terminal = openTestTerminal();
  const code = await runCommandLine(composition, words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

async function run(answers: object, ...more: readonly string[]) {
  const path = join(folder, 'answers.json');
  await writeFile(path, JSON.stringify({ version: 1, label: 'told', turns: { '*': answers } }));
  return chukwa('run', 'quiet', '--llm', 'scripted', '--script', path, ...more);
}

async function generations(answers: object): Promise<readonly (readonly [string, string])[]> {
  const { turns } = JSON.parse((await run(answers, '--json')).out) as RunReport;
  return (turns[0]?.invocations ?? []).map(({ llm_call_id, source_invocation_id }) => [
    llm_call_id ?? '',
    source_invocation_id,
  ]);
}

async function firstOf(answers: object): Promise<readonly [string, string]> {
  const [first] = await generations(answers);
  return first ?? assert.fail('nothing was asked');
}

async function read<Record>(...words: readonly string[]): Promise<Record> {
  return JSON.parse((await chukwa(...words, '--json')).out) as Record;
}

test('a generation that failed says its class and why, as its invocation does', async () => {
  const [id] = await firstOf({ [FIRST]: { status: 503 } });
  const { out } = await chukwa('llm-call', id);
  assert.match(out, /^What bob was asked, and said .*\nfailed http_status: the endpoint answered with status 503/);
  const call = await read<LlmCallRecord>('llm-call', id);
  const invocation = await read<InvocationRecord>('invocation', call.source_invocation_id);
  assert.deepEqual(
    [call.failure_class, call.failure_detail, call.failure_message],
    [invocation.failure_class, invocation.failure_detail, invocation.failure_message],
  );
});

test('a rejected generation says its detail and is invalid, an accepted one is valid', async () => {
  const calls = await generations({ [FIRST]: { text: 'Well.' }, 'bob/act/round-1/try-2': { json: PATCH } });
  const verdicts: unknown[] = [];
  for (const [id, invocation] of calls) {
    const { failure_class, failure_detail } = await read<LlmCallRecord>('llm-call', id);
    const { validation_status } = await read<InvocationRecord>('invocation', invocation);
    verdicts.push([failure_class, failure_detail, validation_status]);
  }
  assert.deepEqual(verdicts, [
    ['model_content', 'non_json', 'invalid'],
    [null, null, 'valid'],
  ]);
});

test('the schema that was offered is in the JSON, and in the text on request', async () => {
  const [id] = await firstOf({ [FIRST]: { json: PATCH } });
  const { output_schema } = await read<LlmCallRecord>('llm-call', id);
  assert.match(JSON.stringify(output_schema), /set_entity_state/);
  assert.doesNotMatch((await chukwa('llm-call', id)).out, /offered schema/i);
  const { out } = await chukwa('llm-call', id, '--schema');
  const [, shown = ''] = /\nThe offered schema\n.*\n([^]*?\n {2}\})\n/.exec(out) ?? [];
  assert.deepEqual(JSON.parse(shown), output_schema);
});

test("the source's own settings are shown beside its model", async () => {
  const [id] = await firstOf({ [FIRST]: { json: PATCH } });
  const call = await read<LlmCallRecord>('llm-call', id);
  assert.equal(call.source_label, 'chat');
  assert.deepEqual([call.interface['model'], call.interface['timeout_ms']], ['gpt-4.1-mini', 60_000]);
  assert.match((await chukwa('llm-call', id)).out, /\n {2}settings +.*timeout_ms 60000/);
});

test('a turn that failed by a generation leads to its invocation and its LLM call', async () => {
  const { code, out } = await run({ [FIRST]: { status: 503 } });
  assert.equal(code, 3);
  const [, further = ''] = out.split('Look further:\n');
  const [, llm_call_id = ''] =
    /npx chukwa llm-call (\S+)\s+the prompt and the answer of the model of bob\n/.exec(further) ?? [];
  const [, invocation = ''] = /npx chukwa invocation (\S+)\s+the call that ended it: bob, act\n/.exec(further) ?? [];
  assert.equal((await read<LlmCallRecord>('llm-call', llm_call_id)).source_invocation_id, invocation);
});
