import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../../engine/contract/json.js';
import { compose } from '../../../engine/main.js';
import type { ModelTrial } from '../../../engine/operations/model-try/index.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { DIALECTS, type DialectServer, serveDialect, type Utterance } from '../../../fixtures/dialects/index.js';
import { emptyDatabase } from '../../support/databases.js';
import { openTestTerminal } from './test-terminal.js';
import { makeFolder } from '../../support/folder.js';

const KEY = 'sk-canary-of-a-trial';

const PATCH = JSON.stringify({
  kind: 'final_patch',
  patch: { narration: 'Bob rests.', effects: [{ op: 'set_entity_state', entity_id: 'bob', state: 'asleep' }] },
});
const NUMBERS = Array.from({ length: 400 }, (_, index) => index + 1).join(' ');

/** A model that does as its prompt says. */
function obey(request: JsonObject): Utterance {
  const asked = JSON.stringify(request['messages']);
  const text = asked.includes('READY') ? 'READY' : asked.includes('numbers') ? NUMBERS : PATCH;
  return { reasoning: 'They ask.', pieces: text.match(/.{1,100}/g) ?? [] };
}

function tryAt(t: TestContext, url: string, settings: JsonObject, ...more: readonly string[]) {
  return tryWithin(t, {}, url, settings, ...more);
}

async function tryWithin(
  t: TestContext,
  variables: Readonly<Record<string, string>>,
  url: string,
  settings: JsonObject,
  ...more: readonly string[]
) {
  const folder = await makeFolder(t);
  const file = join(folder, 'model.json');
  const wire = { name: 'llm_chat', model: 'tiny', schema_delivery: 'response_format', tool_calling: 'json_control' };
  await writeFile(file, JSON.stringify({ version: 1, label: 'mine', interface: { ...wire, ...settings } }));
  const composition = await compose({
    CHUKWA_DATA_DIR: folder,
    CHUKWA_LLM_BASE_URL: url,
    CHUKWA_LLM_API_KEY: KEY,
    ...variables,
  });
  const terminal = openTestTerminal();
  const code = await runCommandLine(composition, ['model', 'try', file, '--root', folder, ...more], terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

async function serveNamed(t: TestContext, name: string): Promise<DialectServer> {
  const dialect = DIALECTS.find((known) => known.name === name);
  assert.ok(dialect);
  const server = await serveDialect(dialect, obey);
  t.after(() => server.close());
  return server;
}

for (const [name, written, changes, code] of [
  ['OpenAI', {}, {}, 0],
  ['Snowflake Cortex', {}, {}, 0],
  ['Mistral', {}, { usage: false }, 1],
  ['a server that does not stream', {}, { stream: false }, 1],
  ['DeepSeek', {}, { schema_delivery: 'json_object' }, 1],
  ['LM Studio', { schema_delivery: 'json_object' }, { schema_delivery: 'response_format' }, 1],
  [
    'vLLM without a reasoning parser',
    { schema_delivery: 'prompt', reasoning: 'keep' },
    { reasoning: 'strip_think' },
    1,
  ],
] as const) {
  test(`model try finds what to write for ${name}, and how much of it`, async (t) => {
    const { url } = await serveNamed(t, name);
    const tried = await tryAt(t, url, written, '--json');
    const trial = JSON.parse(tried.out) as ModelTrial;
    assert.deepEqual(trial.changes, changes, tried.out);
    assert.equal(tried.code, code);
    assert.equal(trial.works, code === 0 ? 'as_written' : 'with_changes');
    assert.deepEqual(
      trial.questions.map(({ question, tries }) => [question, tries.at(-1)?.is_good]),
      [
        ['plain', true],
        ['schema', true],
        ['long', true],
      ],
    );
    assert.equal(trial.model, 'tiny');
    assert.equal(trial.origin, url);
  });
}

test('model try says in words how each answer looked, and what to write', async (t) => {
  const { url } = await serveNamed(t, 'DeepSeek');
  const { code, out } = await tryAt(t, url, {});
  assert.equal(code, 1);
  assert.match(out, /tiny at http:\/\/127\.0\.0\.1:\d+, by the source mine/);
  assert.match(
    out,
    /plain {2}a single word\n +good, as it is written: 5 characters in 1 piece,.*9 characters of\s+reasoning/s,
  );
  assert.match(out, /bad, as it is written: the endpoint answered with status 400/);
  assert.match(out, /Write in the interface of the source:\n +"schema_delivery": "json_object"/);
});

for (const [terse, plain, patch, long, works, code] of [
  ['one word to all that is not a patch', 'ok', PATCH, 'ok', 'in_part', 1],
  ['an object without prose', '{}', PATCH, '{"numbers": [1, 2, 3]}', 'in_part', 1],
  ['nothing to what is not a patch', '', PATCH, '', 'in_part', 1],
  ['one word to everything', 'ok', 'ok', 'ok', 'not', 4],
] as const)
  test(`model try says what works of a model that answers ${terse}`, async (t) => {
    const dialect = DIALECTS.find(({ name }) => name === 'OpenAI');
    assert.ok(dialect);
    const { url, close } = await serveDialect(dialect, ({ messages }) => {
      const asked = JSON.stringify(messages);
      const text = asked.includes('READY') ? plain : asked.includes('numbers') ? long : patch;
      return { reasoning: '', pieces: text === '' ? [] : [text] };
    });
    t.after(close);
    const tried = await tryAt(t, url, {}, '--json');
    const trial = JSON.parse(tried.out) as ModelTrial;
    assert.deepEqual([trial.works, tried.code, trial.questions.length], [works, code, 3], tried.out);
    const { out } = await tryAt(t, url, {});
    assert.match(
      out,
      works === 'in_part' ? /The patch of a turn is answered, so worlds can run\./ : /Answered well: plain\./,
    );
  });

test('model try asks a model that cannot be reached once, and shows no secret', async (t) => {
  const { url, requests } = await serveNamed(t, 'OpenAI');
  const dead = await tryAt(t, 'http://127.0.0.1:1', {}, '--json');
  assert.equal(dead.code, 4);
  assert.equal((JSON.parse(dead.out) as ModelTrial).questions[0]?.tries.length, 1);
  const refused = await tryAt(t, url.replace('//', `//ann:${KEY}@`), {});
  assert.equal(requests.length, 3);
  assert.doesNotMatch(dead.out + dead.error + refused.out + refused.error, /canary/);
});

for (const [what, budget, said] of [
  ['is used up', { CHUKWA_BUDGET_TOKENS: '1060' }, /the operator's budget of .* is used up: \d+ tokens of 1060 tokens/],
  ['bounds money', { CHUKWA_BUDGET_USD: '1' }, /bounds money, and the price of the model of the call is not known/],
] as const)
  test(`model try counts against the operator's budget of the day, and stops where it ${what}`, async (t) => {
    const { url, requests } = await serveNamed(t, 'OpenAI');
    const variables = { ...(await emptyDatabase(t)), ...budget };
    const tried = await tryWithin(t, variables, url, {}, '--json');
    const trial = JSON.parse(tried.out) as ModelTrial;
    assert.deepEqual([trial.works, tried.code], ['over_budget', 4], tried.out);
    assert.match(trial.questions.at(-1)?.tries.at(-1)?.looked_like ?? '', said);
    const made = trial.questions.flatMap(({ tries }) => tries).filter((each) => each.failure_class === undefined);
    assert.equal(requests.length, made.length);
    assert.ok((trial.retry_after_ms ?? 0) <= 86_400_000);
    const { out } = await tryWithin(t, variables, url, {});
    assert.equal(requests.length, made.length);
    assert.match(out, /A budget lets no further call through/);
  });

test('model try refuses a source that is no model', async () => {
  const composition = await compose({});
  const terminal = openTestTerminal();
  const words = ['model', 'try', 'workflows/sources/park-weather.json'];
  assert.equal(await runCommandLine(composition, words, terminal), 1);
  assert.match(
    terminal.error_text().replaceAll(/\s+/g, ' '),
    /is no model.* such as the model\.json of npx chukwa new world\./,
  );
});

test('run --model asks for another model where the source leaves its name to a variable, and for nothing where not', async (t) => {
  const { url, requests } = await serveNamed(t, 'OpenAI');
  const composition = await compose({
    ...(await emptyDatabase(t)),
    CHUKWA_LLM_BASE_URL: url,
    CHUKWA_LLM_API_KEY: KEY,
    CHUKWA_LLM_MODEL: 'of-the-variable',
  });
  const chukwa = async (...words: readonly string[]) => {
    const terminal = openTestTerminal();
    return { code: await runCommandLine(composition, words, terminal), error: terminal.error_text() };
  };
  const made = await chukwa('world', 'create', 'quiet', '--scenario', 'workflows/simple/scenario.json');
  assert.equal(made.code, 0, made.error);
  const runs = [await chukwa('run', 'quiet'), await chukwa('run', 'quiet', '--model', 'of-the-command')];
  assert.deepEqual(
    runs.map(({ code }) => code),
    [0, 0],
    JSON.stringify(runs),
  );
  assert.deepEqual(
    requests.map(({ model }) => model),
    ['of-the-variable', 'of-the-command'],
  );
});

test('run --model refuses a world whose sources name their models for good', async (t) => {
  const folder = await makeFolder(t);
  for (const part of ['simple', 'sources', 'prompts'])
    await cp(join('workflows', part), join(folder, part), { recursive: true });
  const file = join(folder, 'sources/chat.json');
  const { interface: wire, ...source } = JSON.parse(await readFile(file, 'utf8')) as { interface: JsonObject };
  const { model_env: _variable, ...named } = wire;
  await writeFile(file, JSON.stringify({ ...source, interface: named }));
  const composition = await compose(await emptyDatabase(t));
  const scenario = join(folder, 'simple/scenario.json');
  const create = ['world', 'create', 'quiet', '--scenario', scenario, '--root', folder];
  assert.equal(await runCommandLine(composition, create, openTestTerminal()), 0);
  const terminal = openTestTerminal();
  assert.equal(await runCommandLine(composition, ['run', 'quiet', '--model', 'tiny'], terminal), 1);
  assert.match(terminal.error_text(), /--model tiny would change nothing.*\(chat\).*"model_env"/s);
});
