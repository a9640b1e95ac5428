import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { compose } from '../../../engine/main.js';
import type { RunReport } from '../../../engine/operations/running/run-turns.js';
import type { InvocationRecord } from '../../../engine/ports/records.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { type LoopbackServer, startLoopbackServer } from '../../../fixtures/toys/loopback-server.js';
import { emptyDatabase } from '../../support/databases.js';
import { editWorkflows } from '../../support/park-stage.js';
import { openTestTerminal } from './test-terminal.js';

const database = await emptyDatabase({ after });
interface Ambient {
  readonly redaction: unknown;
}

const WEATHER = '{"condition":"sunny","message":"Warm.","temperature_f":72}';
const BROKEN = '{"error":"the thermometer is broken"}';

let data = '';
let service: LoopbackServer;
let answer = { status: 200, body: WEATHER };

before(async () => {
  data = await mkdtemp(join(tmpdir(), 'chukwa-hidden-'));
  service = await startLoopbackServer((_request, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
});
after(async () => {
  await service.close();
  await rm(data, { recursive: true, force: true });
});

async function chukwa(...words: readonly string[]) {
  const terminal = openTestTerminal();
  const composition = await compose({ CHUKWA_DATA_DIR: data, ...database, CHUKWA_TOY_WEATHER_URL: service.url });
  const code = await runCommandLine(composition, words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

/** The call of the weather in a world whose author lets only this much of it be seen. */
async function askWeather(context: TestContext, slug: string, allow: readonly string[]): Promise<string> {
  const folder = await editWorkflows(context, {
    'ambient-weather/workflow.json': (workflow) => ({
      ...workflow,
      ambient_sources: (workflow['ambient_sources'] as unknown as readonly Ambient[]).map((source) => ({
        ...source,
        redaction: { allow },
      })),
    }),
  });
  const path = join(folder, 'ambient-weather', 'scenario.json');
  const made = await chukwa('world', 'create', slug, '--root', folder, '--scenario', path);
  assert.equal(made.code, 0, made.error);
  const ran = JSON.parse((await chukwa('run', slug, '--script', 'ambient-weather', '--json')).out) as RunReport;
  return ran.turns[0]?.invocations[0]?.source_invocation_id ?? assert.fail('nothing was asked');
}

async function recordOf(...words: readonly string[]): Promise<InvocationRecord> {
  return JSON.parse((await chukwa('invocation', ...words, '--json')).out) as InvocationRecord;
}

test('the body of a failed call is hidden by size, and shown to the operator who asks', async (context) => {
  answer = { status: 503, body: BROKEN };
  const id = await askWeather(context, 'broken', ['/condition']);
  const { out } = await chukwa('invocation', id);
  assert.match(
    out,
    new RegExp(`${BROKEN.length} bytes kept, hidden by redaction; the command's --unredacted shows them\\.\n`),
  );
  assert.doesNotMatch(out, /thermometer/);
  const { attempt_id } = await recordOf(id);
  const { out: attempt } = await chukwa('attempt', attempt_id);
  assert.match(attempt, / npx chukwa invocation \S+ --unredacted/);
  assert.doesNotMatch(attempt, /(?<!npx )chukwa invocation/);
  const { response_bytes, hidden_by_redaction, response_text } = await recordOf(id);
  assert.deepEqual([response_bytes, hidden_by_redaction, response_text], [BROKEN.length, true, null]);
  assert.match(
    (await chukwa('invocation', id, '--unredacted')).out,
    /\nWhat came back\n {2}\{"error":"the thermometer/,
  );
  const whole = await recordOf(id, '--unredacted');
  assert.deepEqual([whole.response_text, whole.hidden_by_redaction], [BROKEN, false]);
});

test('an answer of which nothing may be seen is not shown as an empty one', async (context) => {
  answer = { status: 200, body: WEATHER };
  const id = await askWeather(context, 'shy', []);
  const { out } = await chukwa('invocation', id);
  assert.match(out, new RegExp(` ${WEATHER.length} bytes kept, hidden by redaction`));
  assert.doesNotMatch(out, /condition/);
  assert.equal((await recordOf(id)).hidden_by_redaction, true);
  assert.deepEqual((await recordOf(id, '--unredacted')).response_json, JSON.parse(WEATHER));
});

test('an answer of which a part may be seen says that there is more', async (context) => {
  answer = { status: 200, body: WEATHER };
  const id = await askWeather(context, 'half', ['/condition']);
  const { out } = await chukwa('invocation', id);
  assert.match(
    out,
    /\n {2}Redaction hides a part of this; the command's --unredacted shows all\.\n {2}\{\n {4}"condition": "sunny"\n/,
  );
  assert.doesNotMatch(out, /Warm/);
});

test('an answer that may be seen whole says nothing of redaction', async (context) => {
  answer = { status: 200, body: WEATHER };
  const id = await askWeather(context, 'open', ['/condition', '/message', '/temperature_f']);
  assert.match((await chukwa('invocation', id)).out, /\nWhat came back\n {2}\{/);
  assert.equal((await recordOf(id)).hidden_by_redaction, false);
});

test('a dry run names no command for what it does not keep', async (context) => {
  answer = { status: 200, body: WEATHER };
  await askWeather(context, 'dry', ['/condition']);
  const file = join(data, 'answers.json');
  const failed = { 'turn/park_weather': { failure: 'http_status', http_status: 503, text: BROKEN } };
  await writeFile(file, JSON.stringify({ version: 1, label: 'dry', turns: { '*': failed } }));
  const { code, out } = await chukwa('run', 'dry', '--dry', '--answers', file);
  assert.equal(code, 3, out);
  assert.match(out, /http_status/);
  assert.doesNotMatch(out, /invocation/);
});
