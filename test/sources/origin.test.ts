import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { PluginManifest } from '../../engine/generated/plugin-manifest.js';
import { findNamedSecrets, listNames, parseOrigin, resolveModel, resolveOrigin } from '../../engine/sources/origin.js';
import { ask, jsonCall, openTestSources, serve, summary, writePlugin } from './harness.js';
import { makeFolder } from '../support/folder.js';

const MANIFEST = {
  version: 1,
  name: 'x',
  description: '',
  contract_version: 1,
  speaks: 'json',
  interface_schema: './i',
  entry: './e.js',
} as const;
const FROM_VARIABLES = {
  ...MANIFEST,
  origin: { variables: ['ONE_URL', 'OTHER_URL'], default: 'https://default.test/v1' },
};

function resolved(variables: Readonly<Record<string, string>>): unknown {
  const outcome = resolveOrigin(FROM_VARIABLES, {}, (name) => variables[name]);
  return outcome.ok ? [outcome.origin?.variable, outcome.origin?.url] : outcome.message;
}

test('the first variable that is set names the origin, and the default where none is', () => {
  assert.deepEqual(resolved({ ONE_URL: 'http://one.test', OTHER_URL: 'http://other.test' }), [
    'ONE_URL',
    'http://one.test',
  ]);
  assert.deepEqual(resolved({ OTHER_URL: 'http://other.test:8080/v1//' }), ['OTHER_URL', 'http://other.test:8080/v1']);
  assert.deepEqual(resolved({}), ['ONE_URL', 'https://default.test/v1']);
});

test('a source that names no variable for its origin says which member it lacks', () => {
  const manifest = { ...MANIFEST, origin: { interface_field: 'url_env' } };
  assert.deepEqual(
    resolveOrigin(manifest, {}, () => 'http://one.test'),
    {
      ok: false,
      message: 'the source does not say its url_env',
    },
  );
});

for (const [spawn, place] of [
  [false, 'the URL of the service, such as http://127.0.0.1:8080'],
  [true, 'the URL of the service, such as http://127.0.0.1:8080, or to the command that starts it'],
])
  test(`variables that are not set are named with what ${spawn ? 'may start a program' : 'leads to a service'}`, () => {
    const manifest = { ...MANIFEST, spawn: spawn === true, origin: { variables: ['ONE_URL', 'OTHER_URL'] } };
    assert.deepEqual(
      resolveOrigin(manifest, {}, () => undefined),
      { ok: false, message: `ONE_URL or OTHER_URL is not set: set it to ${place}` },
    );
  });

const MODELS = { interface_field: 'model', variable_field: 'model_env' };

/** The model of a source: by its fields, what it says, whether `CHUKWA_MODEL` is set, and what the caller wants. */
const RESOLVED: readonly (readonly [
  model: PluginManifest['model'],
  definition: JsonObject,
  held: string | undefined,
  chosen: string | undefined,
  found: string | undefined,
])[] = [
  [undefined, { model: 'large' }, 'held', 'chosen', undefined],
  [{ interface_field: 'model' }, { model: 'large' }, 'held', 'chosen', 'large'],
  [{ interface_field: 'model' }, {}, 'held', 'chosen', undefined],
  [MODELS, { model: 'large' }, 'held', 'chosen', 'large'],
  [MODELS, { model: 'large', model_env: 'CHUKWA_MODEL' }, 'held', 'chosen', 'chosen'],
  [MODELS, { model: 'large', model_env: 'CHUKWA_MODEL' }, 'held', undefined, 'held'],
  [MODELS, { model: 'large', model_env: 'CHUKWA_MODEL' }, undefined, undefined, 'large'],
  [
    MODELS,
    { model_env: 'CHUKWA_MODEL' },
    undefined,
    undefined,
    'CHUKWA_MODEL is not set: set it to the name of a model',
  ],
  [MODELS, {}, 'held', 'chosen', 'model_env is not set: set it to the name of a model'],
];

for (const [model, definition, held, chosen, found] of RESOLVED)
  test(`a source ${JSON.stringify(definition)} of ${JSON.stringify(model)} gives ${found} where ${held} is set and ${chosen} is wanted`, () => {
    const outcome = resolveModel({ ...MANIFEST, ...(model && { model }) }, definition, () => held, chosen);
    assert.equal(outcome.ok ? outcome.model : outcome.message, found);
  });

test('of a secret with a word before it, as in Bearer KEY, the key alone is a secret, too', () => {
  const manifest = { ...MANIFEST, secret_variable_fields: ['key_env', 'headers'] };
  const definition = { key_env: 'CHUKWA_ONE', headers: { a: 'CHUKWA_TWO', b: 7, c: 'CHUKWA_UNSET' }, other: 'X' };
  const values: Readonly<Record<string, string>> = {
    CHUKWA_ONE: 'Bearer my key',
    CHUKWA_TWO: 'plain-key',
    X: 'no-key',
  };
  assert.deepEqual(
    findNamedSecrets(manifest, definition, (name) => values[name]).map(({ variable, value }) => [variable, value]),
    [
      ['CHUKWA_ONE', 'my key'],
      ['CHUKWA_ONE', 'Bearer my key'],
      ['CHUKWA_TWO', 'plain-key'],
    ],
  );
  for (const named of [null, 7, undefined]) assert.deepEqual(listNames({ key_env: named as Json }, 'key_env'), []);
});

for (const [path, secrets] of [
  ['eight-nine-digits', []],
  ['abcdefg7', []],
  ['abcdefgh7', ['abcdefgh7']],
  ['abcdefghi', []],
  ['a'.repeat(19), []],
  ['a'.repeat(20), ['a'.repeat(20)]],
] as const)
  test(`the path /${path} of a URL holds the secrets ${JSON.stringify(secrets)}`, () => {
    const parsed = parseOrigin('CHUKWA_TEST_URL', `http://one.test/v1/${path}`);
    assert.deepEqual(parsed.ok && parsed.origin.secrets.map(({ value }) => value), secrets);
  });

test('a value that is no http URL, or has a query or fragment, names no origin', () => {
  for (const value of ['nonsense', 'file:///etc/passwd', 'ftp://one.test'])
    assert.match(String(resolved({ ONE_URL: value })), /^ONE_URL does not hold/);
  for (const value of ['http://one.test/?a=1', 'http://one.test/#a'])
    assert.match(String(resolved({ ONE_URL: value })), /without a query/);
});

test('credentials of a URL become an authorisation and leave the URL', () => {
  const outcome = resolveOrigin(FROM_VARIABLES, {}, () => 'http://us%20er:pass%3Aword@one.test/base');
  assert.ok(outcome.ok);
  assert.equal(outcome.origin?.url, 'http://one.test/base');
  assert.equal(outcome.origin?.authorization, `Basic ${Buffer.from('us er:pass:word').toString('base64')}`);
});

for (const [credentials, sent] of [
  ['', undefined],
  ['key-of-a-client@', 'key-of-a-client:'],
  [':pass-word@', ':pass-word'],
] as const)
  test(`the credentials "${credentials}" of a URL are sent as ${sent === undefined ? 'nothing' : `"${sent}"`}`, () => {
    const outcome = resolveOrigin(FROM_VARIABLES, {}, () => `http://${credentials}one.test`);
    assert.ok(outcome.ok);
    const authorization = sent === undefined ? undefined : `Basic ${Buffer.from(sent).toString('base64')}`;
    assert.equal(outcome.origin?.authorization, authorization);
  });

test('an empty variable counts as not set', async (t) => {
  const sources = await openTestSources(t, { lookUp: () => 'http://127.0.0.1:9', overlay: { CHUKWA_TEST_URL: '' } });
  assert.deepEqual(summary(await ask(sources, jsonCall())), { failed: 'unavailable', refused: true });
});

const TARGETS: readonly (readonly [string, string])[] = [
  ['a path', 'sent'],
  ['/other/path', 'sent'],
  ['http://evil.test/', 'may not leave'],
  ['//evil.test/', 'may not leave'],
  ['\\\\evil.test', 'may not leave'],
  ['http://user:pass@ORIGIN/', 'may not leave'],
  ['https://ORIGIN/', 'may not leave'],
  ['file:///etc/passwd', 'may not leave'],
];

for (const [target, expected] of TARGETS) {
  test(`a plugin that asks for ${target} gets: ${expected}`, async (t) => {
    const url = await serve(t, (_, response) => response.end('sent'));
    const folder = await makeFolder(t);
    const going = `export default { open: (_, { origin }) => ({ invoke: async (to) => ({ value: await (await origin.fetch(to)).text() }) }) };`;
    await writePlugin(folder, 'going', going, { origin: { variables: ['CHUKWA_TEST_URL'] } });
    const sources = await openTestSources(t, { folders: [folder], overlay: { CHUKWA_TEST_URL: `${url}/base` } });
    const request = target.replace('ORIGIN', new URL(url).host);
    assert.match(JSON.stringify(await ask(sources, jsonCall({ request }, { name: 'going' }))), new RegExp(expected));
  });
}

for (const [credentials, own, expected] of [
  ['', {}, undefined],
  ['key-of-a-client@', {}, `Basic ${Buffer.from('key-of-a-client:').toString('base64')}`],
  ['key-of-a-client@', { authorization: 'Bearer own' }, 'Bearer own'],
] as const) {
  test(`a request to http://${credentials}HOST with the headers ${JSON.stringify(own)} of its plugin is authorised by ${expected ?? 'nothing'}`, async (t) => {
    const received: (string | undefined)[] = [];
    const url = await serve(t, (request, response) => {
      received.push(request.headers.authorization);
      response.end();
    });
    const folder = await makeFolder(t);
    const going = `export default { open: (_, { origin }) => ({ invoke: async (headers) => ({ value: (await origin.fetch('/', { headers })).status }) }) };`;
    await writePlugin(folder, 'going', going, { origin: { variables: ['CHUKWA_TEST_URL'] } });
    const overlay = { CHUKWA_TEST_URL: url.replace('//', `//${credentials}`) };
    const sources = await openTestSources(t, { folders: [folder], overlay });
    assert.deepEqual(summary(await ask(sources, jsonCall({ request: own }, { name: 'going' }))), { succeeded: 200 });
    assert.deepEqual(received, [expected]);
  });
}
