import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveOrigin } from '../../engine/sources/origin.js';
import { ask, jsonCall, makeFolder, openTestSources, serve, summary, writePlugin } from './harness.js';

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
