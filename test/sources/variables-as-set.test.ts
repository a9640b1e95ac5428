import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, chatCall, jsonCall, openTestSources, serve, storedText, summary } from './harness.js';

const UNSEEN: readonly (readonly [what: string, overlay: Record<string, string>, at: number])[] = [
  ['a secret header', { CHUKWA_A_HEADER: 'key-1\u200B234567' }, 6],
  ['the URL of a service', { CHUKWA_TEST_URL: 'http://127.0.0.1/\u200Bkey' }, 18],
];

for (const [what, set, at] of UNSEEN)
  test(`${what} with a character that nobody sees is refused by variable and position before any call`, async (t) => {
    let requests = 0;
    const url = await serve(t, (_request, response) => response.end(String((requests += 1))));
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url, ...set } });
    const outcome = await ask(sources, jsonCall({}, { secret_headers: { 'x-key': 'CHUKWA_A_HEADER' } }));
    assert.deepEqual(summary(outcome), { failed: 'unavailable', refused: true });
    const [variable = ''] = Object.keys(set);
    assert.ok(storedText(outcome).includes(`${variable} holds an invisible character (U+200B) at position ${at}`));
    assert.equal(requests, 0);
  });

test('a model, and a key beyond Latin-1, are refused by their variable before any call', async (t) => {
  let requests = 0;
  const CHUKWA_LLM_BASE_URL = await serve(t, (_request, response) => response.end(String((requests += 1))));
  const open = (overlay: Record<string, string>) =>
    openTestSources(t, { overlay: { CHUKWA_LLM_BASE_URL, ...overlay } });
  const named = await open({ CHUKWA_OTHER_MODEL: 'ti\u00ADny' });
  const model = await ask(named, chatCall({}, { model_env: 'CHUKWA_OTHER_MODEL' }));
  assert.match(storedText(model), /CHUKWA_OTHER_MODEL holds an invisible character \(U\+00AD\) at position 3/);
  const keyed = await open({ CHUKWA_LLM_API_KEY: 'sk-\u043A\u043B\u044E\u0447-123456' });
  const key = await ask(keyed, chatCall());
  assert.deepEqual(summary(key), { failed: 'call_rejected', refused: false });
  assert.match(storedText(key), /CHUKWA_LLM_API_KEY holds a character that no header may have/);
  assert.equal(requests, 0);
});

test('the record of a source holds no key of another source or of the engine, and keeps its names', async (t) => {
  const [key, token, user] = ['canary-password-3e77', 'canary-token-0123456789abcdef', 'postgres'];
  const first = await serve(t, (_request, response) => response.setHeader('content-type', 'application/json').end('1'));
  const other = await serve(t, (_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ key, token, user })),
  );
  const sources = await openTestSources(t, {
    overlay: { CHUKWA_A_URL: first.replace('//', `//${user}:${key}@`), CHUKWA_TEST_URL: other },
    own_secrets: [{ variable: 'CHUKWA_TOKEN', value: token }],
  });
  const { call } = jsonCall({}, { url_env: 'CHUKWA_A_URL' });
  assert.equal(
    await sources.findObstacle(call.source),
    undefined,
    'as each source of a program is looked at before it is run',
  );
  const said = storedText(await ask(sources, jsonCall()));
  for (const secret of [key, token]) assert.ok(!said.includes(secret), secret);
  for (const shown of ['[secret:CHUKWA_A_URL]', '[secret:CHUKWA_TOKEN]', user]) assert.ok(said.includes(shown), shown);
});

for (const set of ['Bearer canary-key-0123456789', '"canary-key-0123456789"', "Bearer 'canary-key-0123456789'"])
  test(`of the key ${set} the part that a service repeats is in no record`, async (t) => {
    const said = 'no such key: canary-key-0123456789';
    const CHUKWA_LLM_BASE_URL = await serve(t, (_request, response) => response.writeHead(401).end(said));
    const sources = await openTestSources(t, { overlay: { CHUKWA_LLM_BASE_URL, CHUKWA_LLM_API_KEY: set } });
    const record = storedText(await ask(sources, chatCall()));
    assert.ok(record.includes('no such key: [secret:CHUKWA_LLM_API_KEY]'), record);
    assert.ok(!record.includes('canary'), record);
  });
