import { openProcessDoorbell } from '../../../engine/doorbells/process.js';
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { JsonObject } from '../../../engine/contract/json.js';
import { compose } from '../../../engine/main.js';
import type { Diagnosis } from '../../../engine/operations/composition.js';
import { diagnose } from '../../../engine/operations/diagnose.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { loadMigrations, migrate } from '../../../engine/store/migrations.js';
import { emptyDatabase, MIGRATIONS, openTestDatabase } from '../../support/databases.js';
import { editWorkflows } from '../../support/park-stage.js';
import { openTestTerminal } from './test-terminal.js';

const database = await emptyDatabase({ after });
let folder = '';
const server = createServer((socket) => socket.end());
let url = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chukwa-doctor-'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
after(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

type Variables = Readonly<Record<string, string>>;

async function chukwa(words: readonly string[], variables: Variables) {
  const terminal = openTestTerminal();
  const composition = await compose({ CHUKWA_DATA_DIR: join(folder, 'data'), ...variables });
  const code = await runCommandLine(composition, words, terminal);
  return { code, out: terminal.out_text(), error: terminal.error_text() };
}

async function examine(variables: Variables, ...slug: readonly string[]) {
  const { code, out } = await chukwa(['doctor', ...slug, '--json'], variables);
  const { ok, diagnoses } = JSON.parse(out) as { readonly ok: boolean; readonly diagnoses: readonly Diagnosis[] };
  return { code, ok, of: (subject: string) => diagnoses.find((diagnosis) => diagnosis.subject === subject) };
}

test('on a new machine nothing is broken, and looking makes nothing', async () => {
  const { code, ok, of } = await examine({});
  assert.deepEqual([code, ok], [0, true]);
  assert.deepEqual([of('database')?.state, of('model')?.state], ['good', 'missing']);
  assert.deepEqual(await readdir(folder), []);
});

test('the database of another program is an error with its code, and the other checks are still reported', async () => {
  const database = await openTestDatabase('PostgreSQL');
  try {
    await database.outside.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE orders (id int)');
    const variables = { CHUKWA_DATABASE_URL: database.url ?? '' };
    const { code, ok, of } = await examine(variables);
    assert.deepEqual([code, ok], [4, false]);
    assert.deepEqual([of('database')?.state, of('database')?.code], ['broken', 'DATABASE_NOT_OURS']);
    assert.equal(of('plugin llm_chat')?.state, 'good');
    const run = await chukwa(['world', 'list'], variables);
    assert.equal(run.code, 4);
    assert.match(run.error, /belongs\s+to\s+another\s+program:\s+it\s+holds\s+orders/);
    assert.match(run.error, /DATABASE_NOT_OURS/);
    assert.doesNotMatch(run.error, /UNEXPECTED/);
  } finally {
    await database.close();
  }
});

test('a database of an earlier version is not broken, and chukwa migrate brings it up to date', async () => {
  const database = await openTestDatabase('PostgreSQL');
  try {
    await database.outside.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const first = (await loadMigrations(MIGRATIONS)).slice(0, -1);
    assert.ok((await migrate(database.database, first)).ok);
    const variables = { CHUKWA_DATABASE_URL: database.url ?? '' };
    const { code, of } = await examine(variables);
    assert.deepEqual([code, of('database')?.state], [0, 'missing']);
    assert.match(of('database')?.message ?? '', /of an earlier version; to be applied: 00\d\d_/);
    assert.match(of('database')?.repair ?? '', /chukwa migrate/);
    assert.equal((await chukwa(['migrate'], variables)).code, 0);
    assert.equal((await examine(variables)).of('database')?.state, 'good');
  } finally {
    await database.close();
  }
});

test('of a database whose password is not percent-encoded no part is shown', async () => {
  for (const words of [['doctor'], ['world', 'list']]) {
    const { code, out, error } = await chukwa(words, {
      CHUKWA_DATABASE_URL: 'postgres://keeper:123/canary@127.0.0.1:1/w',
    });
    assert.notEqual(code, 0);
    assert.match(out + error, /percent-encode the password/i);
    assert.doesNotMatch(out + error, /canary|keeper|123/);
  }
});

test('a server that does not answer hides nothing else', async () => {
  const { code, of } = await examine({ CHUKWA_DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/worlds' });
  assert.equal(code, 4);
  assert.equal(of('database')?.code, 'DATABASE_UNREACHABLE');
  assert.equal(of('model')?.state, 'missing');
});

const MODELS: readonly (readonly [what: string, variables: () => Variables, code: number, said: RegExp])[] = [
  ['that answers the door is good', () => ({ CHUKWA_LLM_BASE_URL: `${url}/v1` }), 0, /^http:\S+, without a key$/],
  ['that is no URL is broken', () => ({ CHUKWA_LLM_BASE_URL: 'localhost' }), 4, /does not hold an http or https URL/],
  [
    'where nobody is is broken',
    () => ({ OPENAI_BASE_URL: 'http://127.0.0.1:1' }),
    4,
    /127\.0\.0\.1:1 cannot be reached/,
  ],
];

for (const [what, variables, code, said] of MODELS) {
  test(`a model ${what}`, async () => {
    const examined = await examine(variables());
    assert.equal(examined.code, code);
    const model = examined.of('model');
    assert.match(model?.message ?? '', said);
    assert.equal(model?.state, code === 0 ? 'good' : 'broken');
    assert.equal(model?.repair === undefined, code === 0);
  });
}

test('doctor reports the settings of stored sources: missing, out of reach, or present', async () => {
  const put = await chukwa(['put', 'workflows'], database);
  assert.equal(put.code, 0, put.error);
  const { code, of } = await examine({
    ...database,
    CHUKWA_TOY_PA_URL: url,
    CHUKWA_TOY_PHONE_URL: 'http://127.0.0.1:1',
  });
  assert.equal(code, 4);
  assert.equal(of('CHUKWA_TOY_WEATHER_URL'), undefined, 'a park starts its own');
  assert.equal(of('CHUKWA_TOY_PA_URL')?.state, 'good');
  assert.equal(of('CHUKWA_TOY_PHONE_URL')?.state, 'broken');
  assert.equal((await examine(database)).code, 0);
});

test("doctor reports the settings of one world's sources, its toys included", async () => {
  const made = await chukwa(['world', 'create', 'tools', '--scenario', 'workflows/tools/scenario.json'], database);
  assert.equal(made.code, 0, made.error);
  const { of } = await examine(database, 'tools');
  assert.equal(of('CHUKWA_TOY_VENDING_URL')?.state, 'missing');
  assert.match(of('CHUKWA_TOY_VENDING_URL')?.repair ?? '', /chukwa toys/);
  assert.equal(of('CHUKWA_TOY_WEATHER_URL'), undefined, 'no source of this world names it');
  const station = await chukwa(
    ['world', 'create', 'station', '--scenario', 'workflows/weather-station/scenario.json'],
    database,
  );
  assert.equal(station.code, 0, station.error);
  const { of: ofStation } = await examine(database, 'station');
  assert.equal(ofStation('CHUKWA_TOY_ALMANAC_DIR')?.state, 'missing', 'a folder');
  assert.equal(ofStation('CHUKWA_TOY_WEATHER_KEY')?.state, 'missing', 'a secret header');
  const unknown = await examine(database, 'nowhere');
  assert.deepEqual([unknown.code, unknown.of('world nowhere')?.code], [4, 'WORLD_UNKNOWN']);
  assert.equal(unknown.of('database')?.state, 'good', 'the database is not at fault for a world that does not exist');
});

test('of a world whose sources name their own endpoint none is missing, and a folder is told from a secret', async (t) => {
  const change = (more: JsonObject) => (source: JsonObject) => ({
    ...source,
    interface: { ...(source['interface'] as JsonObject), ...more },
  });
  const edited = await editWorkflows(t, {
    'sources/chat.json': change({ base_url_env: 'CHUKWA_OUTPOST_MODEL_URL', api_key_env: 'CHUKWA_OUTPOST_KEY' }),
    'sources/almanac.json': change({ folder_env: 'CHUKWA_OUTPOST_DIR' }),
  });
  const scenario = join(edited, 'weather-station', 'scenario.json');
  const made = await chukwa(['world', 'create', 'outpost', '--scenario', scenario, '--root', edited], database);
  assert.equal(made.code, 0, made.error);
  const { of } = await examine(database, 'outpost');
  assert.equal(of('model'), undefined);
  assert.deepEqual(
    [of('CHUKWA_OUTPOST_MODEL_URL')?.state, (await examine(database)).of('model')?.state],
    ['missing', 'missing'],
  );
  assert.equal(of('CHUKWA_OUTPOST_DIR')?.repair, 'Set it to the folder that holds the files of the source.');
  assert.equal(of('CHUKWA_OUTPOST_KEY')?.repair, 'Set it to the secret of the source.');
});

test('the command of a server of tools is good where its program is found, and broken where it is not', async () => {
  assert.equal((await chukwa(['put', 'workflows'], {})).code, 0);
  for (const [command, state, said] of [
    ['env MEMORY_FILE_PATH=/tmp/notes.jsonl node -y server-memory', 'good', /^a command, whose program is found$/],
    [process.execPath, 'good', /^a command/],
    ['env MEMORY_FILE_PATH=/tmp/notes.jsonl no-such-program -y', 'broken', /CHUKWA_MCP_MEMORY names is not found/],
    ['/no/such/program', 'broken', /is not found/],
    ['["server', 'broken', /neither an http or https URL nor a command/],
    ['ftp://127.0.0.1', 'broken', /does not hold an http or https URL/],
  ] as const) {
    const { code, of } = await examine({ ...database, CHUKWA_MCP_MEMORY: command, PATH: process.env['PATH'] ?? '' });
    assert.match(of('CHUKWA_MCP_MEMORY')?.message ?? '', said);
    assert.deepEqual([of('CHUKWA_MCP_MEMORY')?.state, code], [state, state === 'good' ? 0 : 4], command);
  }
  assert.match(
    (await examine(database)).of('CHUKWA_MCP_MEMORY')?.repair ?? '',
    /, or to the command that starts it\.$/,
  );
});

test('without a plugin nothing can be asked, and that is broken', async () => {
  const diagnoses = await diagnose({
    node_version: 'v20.19.0',
    lookUp: () => undefined,
    catalogue: { plugins: [], problems: [] },
    examineOrigin: async () => ({ ok: true, origin: url }),
    inspectDatabase: async () => ({ ok: false, because: 'environment', problems: [] }),
    world_slug: undefined,
    refused: [],
    openDoorbell: () => ({ ok: true, value: openProcessDoorbell() }),
  });
  assert.equal(diagnoses.find(({ subject }) => subject === 'plugins')?.state, 'broken');
});

test('settings that no run would begin with are broken, each at its variable', async () => {
  const { code, of } = await examine({
    CHUKWA_LLM_API_KEY: 'abc',
    CHUKWA_MAX_IN_FLIGHT: 'many',
    CHUKWA_PUBLIC_URL: 'here',
  });
  assert.equal(code, 4);
  assert.deepEqual(
    ['CHUKWA_LLM_API_KEY', 'CHUKWA_MAX_IN_FLIGHT', 'CHUKWA_PUBLIC_URL'].map((variable) => [
      of(variable)?.state,
      of(variable)?.code,
    ]),
    [
      ['broken', 'SECRET_TOO_SHORT'],
      ['broken', 'FLIGHT_LIMIT_INVALID'],
      ['broken', 'PUBLIC_URL_INVALID'],
    ],
  );
});
