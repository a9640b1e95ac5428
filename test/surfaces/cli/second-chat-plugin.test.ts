import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { JsonObject } from '../../../engine/contract/json.js';
import { compose } from '../../../engine/main.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { emptyDatabase } from '../../support/databases.js';
import { ROOT } from '../../support/park-stage.js';
import { openTestTerminal } from './test-terminal.js';

const database = await emptyDatabase({ after });
const TOKEN = 'token-of-the-ollama-server-0123456789';

const PATCH = {
  kind: 'final_patch',
  patch: {
    narration: 'Ada lights the lamp.',
    effects: [{ op: 'set_entity_state', entity_id: 'lamp', state: 'burning' }],
  },
};
const NUMBERS = Array.from({ length: 400 }, (_, index) => index + 1).join(' ');

const asked: JsonObject[] = [];

/** A server of Ollama's own protocol. It refuses a schema where the model is `old`, and never answers `slow`. */
const server = createServer((incoming, response) => void serve(incoming, response));

async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const request = JSON.parse(Buffer.concat(pieces).toString()) as JsonObject & { readonly model: string };
  asked.push({ ...request, token: incoming.headers.authorization ?? null });
  if (request.model === 'slow') return;
  if (request.model === 'busy') {
    response.writeHead(429, { 'retry-after': '7' }).end('{"error":"too many requests"}');
    return;
  }
  if (request.model === 'old' && typeof request['format'] === 'object') {
    response.writeHead(400).end('{"error":"format must be json"}');
    return;
  }
  const said = JSON.stringify(request['messages']);
  const text = said.includes('READY') ? 'READY' : said.includes('numbers') ? NUMBERS : JSON.stringify(PATCH);
  for (const content of text.match(/.{1,200}/g) ?? [])
    response.write(`${JSON.stringify({ message: { role: 'assistant', content }, done: false })}\n`);
  response.end(
    `${JSON.stringify({ done: true, done_reason: 'stop', prompt_eval_count: 11, eval_count: 7, message: {} })}\n`,
  );
}

let folder = '';
let url = '';

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'chukwa-second-chat-'));
  await cp(join(ROOT, 'fixtures/templates/agent'), join(folder, 'lighthouse'), { recursive: true });
  await write({ weights: 'tiny', weights_env: 'CHUKWA_OLLAMA_WEIGHTS', think: false });
});

after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const SOURCE = 'lighthouse/model.json';

async function write(settings: JsonObject, file = SOURCE): Promise<string> {
  const source = { version: 1, label: 'chat', interface: { name: 'ollama_native', ...settings } };
  await writeFile(join(folder, file), JSON.stringify(source));
  return join(folder, file);
}

async function run(...words: readonly string[]) {
  const composition = await compose({
    CHUKWA_DATA_DIR: join(folder, 'data'),
    ...database,
    CHUKWA_PLUGIN_PATH: join(ROOT, 'test/support/plugins'),
    CHUKWA_OLLAMA_HOST: url,
    CHUKWA_OLLAMA_TOKEN: TOKEN,
    CHUKWA_OWN_URL: url,
    CHUKWA_OWN_KEY: TOKEN,
  });
  const terminal = openTestTerminal({ working_folder: folder });
  const code = await runCommandLine(composition, words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

async function ask<Answer>(...words: readonly string[]): Promise<Answer> {
  const { code, out, error } = await run(...words, '--json');
  assert.equal(code, 0, out + error);
  return JSON.parse(out) as Answer;
}

test('a turn is run by a chat plugin with other field names, with the model of --model, and its record names both', async () => {
  assert.equal((await run('validate', 'lighthouse')).code, 0);
  await ask('world', 'create', 'light', '--scenario', 'lighthouse/scenario.json');
  asked.length = 0;
  const { code, out, error } = await run('run', 'light', '--model', 'larger');
  assert.equal(code, 0, out + error);
  assert.deepEqual(
    asked.map(({ model, think, token, format }) => [model, think, token, typeof format]),
    [['larger', false, `Bearer ${TOKEN}`, 'object']],
  );
  const [, id = ''] =
    /(?:chukwa llm-call |llm-call )([0-9a-f-]{36})/.exec(
      (await run('world', 'diff', 'light', '0', '1', '--blame')).out,
    ) ?? [];
  const shown = (await run('llm-call', id)).out;
  assert.match(shown, /model +larger/);
  assert.match(shown, /schema +\w+, by response_format/);
  assert.match(shown, /settings +think false/);
  assert.match(shown, /tokens +11 in, 7 out/);
  assert.ok(!shown.includes(TOKEN));
});

test('a turn by a chat plugin with other field names is recorded, and the recording passes as a test', async () => {
  const [attempt] = (await ask<{ readonly attempts: readonly { readonly attempt_id: string }[] }>('attempts', 'light'))
    .attempts;
  const { code, error } = await run(
    'record',
    attempt?.attempt_id ?? '',
    '--out',
    join(folder, 'lighthouse/recorded.test.json'),
  );
  assert.equal(code, 0, error);
  const tested = await run('test', 'lighthouse/recorded.test.json');
  assert.equal(tested.code, 0, tested.out + tested.error);
});

test('the time of a source is read from the member that the manifest names', async () => {
  await write({ weights: 'slow', patience_ms: 80 });
  const { code, out, error } = await run('run', 'light', '--scenario', 'lighthouse/scenario.json');
  assert.equal(code, 3);
  assert.match(out + error, /no answer within 80 ms, which is the source's\s+patience_ms/);
});

test('validate refuses what the manifest says that the plugin cannot honour yet, at its place', async () => {
  await write({ weights: 'tiny', tools: 'functions' });
  const { code, out, error } = await run('validate', 'lighthouse/scenario.json');
  assert.equal(code, 1);
  assert.match(out + error, /NOT_SUPPORTED_YET/);
  assert.match(out + error, /Write "none"/);
});

test('--model is refused where no source leaves its model to a variable, and the repair names the member of that plugin', async () => {
  await write({ weights: 'tiny' });
  await ask('world', 'create', 'fixed', '--scenario', 'lighthouse/scenario.json');
  const { code, error } = await run('run', 'fixed', '--model', 'larger');
  assert.equal(code, 1);
  assert.match(error, /MODEL_NOT_CHOOSABLE/);
  assert.match(error, /"weights_env": /);
});

test('doctor reports the endpoint of each chat plugin', async () => {
  const diagnoses = await ask<{
    readonly diagnoses: readonly { readonly subject: string; readonly state: string; readonly message: string }[];
  }>('doctor');
  const of = (subject: string) => diagnoses.diagnoses.find((diagnosis) => diagnosis.subject === subject);
  assert.equal(of('model of llm_chat')?.state, 'missing');
  assert.deepEqual(
    [of('model of ollama_native')?.state, of('model of ollama_native')?.message],
    ['good', `${url}, with a key`],
  );
});

test('model try finds a delivery of the schema and a setting of the plugin that work, by the names of that plugin', async () => {
  const file = await write({ weights: 'old' }, 'old.json');
  const { code, out, error } = await run('model', 'try', file, '--json');
  assert.equal(code, 1, error);
  const trial = JSON.parse(out) as { readonly works: string; readonly changes: JsonObject; readonly model: string };
  assert.deepEqual([trial.works, trial.model, trial.changes], ['with_changes', 'old', { form: 'some_json' }]);
});

test('model try says of a service that is busy when to try again, and judges no setting', async () => {
  const file = await write({ weights: 'busy' }, 'busy.json');
  asked.length = 0;
  const { code, out, error } = await run('model', 'try', file);
  assert.deepEqual([code, asked.length], [4, 1], error);
  assert.match(out.replaceAll(/\s+/g, ' '), /busy or limits the rate.* Try again after 7 s/);
});

test('with --llm scripted no source calls its own endpoint, whichever variable names it, and none is sent a key', async () => {
  const named = { base_url_env: 'CHUKWA_OWN_URL', api_key_env: 'CHUKWA_OWN_KEY' };
  const settings = { model: 'tiny', schema_delivery: 'prompt', tool_calling: 'json_control', ...named };
  const source = { version: 1, label: 'chat', interface: { name: 'llm_chat', ...settings } };
  await writeFile(join(folder, SOURCE), JSON.stringify(source));
  await ask('world', 'create', 'scripted', '--scenario', 'lighthouse/scenario.json');
  asked.length = 0;
  const words = ['--llm', 'scripted', '--script', 'lighthouse/answers.json'];
  assert.equal((await run('run', 'scripted', ...words)).code, 0);
  await write({ weights: 'tiny' });
  // The scripted model does not speak the protocol of this one: the turn fails, and its server is not asked.
  const failed = await run('run', 'scripted', '--scenario', 'lighthouse/scenario.json', ...words);
  assert.equal(failed.code, 3, failed.out + failed.error);
  assert.deepEqual(asked, []);
});

test('the plugin keeps every rule for plugins', async () => {
  const report = JSON.parse((await run('plugin', 'test', 'ollama_native', '--json')).out) as {
    readonly checks: readonly { readonly rule: string; readonly status: string }[];
  };
  assert.deepEqual(
    report.checks.filter(({ status }) => status === 'failed'),
    [],
  );
});

/**
 * A file whose sentences name a source that ships as an example, and the names that
 * the conventions of telemetry have for providers.
 */
const EXAMPLES = ['contract/problems/commands.ts', 'telemetry/names.ts'];

test('no file of the engine names a member of the interface of llm_chat', async () => {
  // How tools are called is a setting that manifests name, as they name how schemas are delivered.
  const names = /llm_chat|OPENAI_|api\.openai\.com|[\w\])]\['(?:timeout_ms|model)'\]/;
  const files = (await readdir(join(ROOT, 'engine'), { recursive: true })).filter(
    (file) =>
      file.endsWith('.ts') && !file.includes('generated') && !EXAMPLES.some((example) => file.endsWith(example)),
  );
  const naming: string[] = [];
  for (const file of files) if (names.test(await readFile(join(ROOT, 'engine', file), 'utf8'))) naming.push(file);
  assert.deepEqual(naming, []);
});
