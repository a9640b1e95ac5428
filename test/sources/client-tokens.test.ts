import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { Json } from '../../engine/contract/json.js';
import type { ClientConnection } from '../../engine/generated/connection.js';
import { over, storeOf } from './connection-support.js';
import { ask, findFreeOrigin, jsonCall, makeRecorder, openTestSources, serve, storedText, summary } from './harness.js';

const SECRET = 'canary secret:with/odd+signs-31';

interface TokenRequest {
  readonly authorization: string | undefined;
  readonly form: Readonly<Record<string, string>>;
}

type Issue = (count: number, response: ServerResponse) => void;

function say(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const issue: Issue = (count, response) =>
  say(response, 200, { access_token: `canary-token-${count}-x9y8z7`, token_type: 'Bearer', expires_in: 600 });

/** A token endpoint and a service that takes its newest token, with sources of a clock that the test sets. */
async function setUp(t: TestContext, given: Partial<ClientConnection> = {}) {
  const tokens: TokenRequest[] = [];
  const calls: (string | undefined)[] = [];
  const state = { issue, now: 1_000_000, takes: (authorization: string | undefined): boolean => authorization !== '' };
  const token_origin = await serve(t, async (request, response) => {
    let form = '';
    for await (const piece of request) form += String(piece);
    tokens.push({ authorization: request.headers.authorization, form: Object.fromEntries(new URLSearchParams(form)) });
    state.issue(tokens.length, response);
  });
  const url = await serve(t, (request, response) => {
    const { authorization } = request.headers;
    calls.push(authorization);
    say(response, state.takes(authorization) ? 200 : 401, { authorization: authorization ?? null });
  });
  const connection: ClientConnection = {
    kind: 'client_credentials',
    origin: url,
    token_url: `${token_origin}/token`,
    client_id: 'the clerk',
    secret: SECRET,
    ...given,
  };
  const sources = await openTestSources(t, {
    connection_store: storeOf({ bank: connection }),
    overlay: { CHUKWA_TEST_URL: url },
    clock: { now: () => state.now },
  });
  const call = (recorder = makeRecorder()) => ask(sources, over('bank', jsonCall()), recorder);
  return { tokens, calls, state, call, sources };
}

test('a token is got with the client, sent to the service, kept, and in no record', async (t) => {
  const { tokens, calls, call } = await setUp(t, { scope: 'pay read', audience: 'https://bank.example' });
  const outcomes = [await call(), await call()];
  const basic = Buffer.from('the+clerk:canary+secret%3Awith%2Fodd%2Bsigns%2D31').toString('base64');
  assert.deepEqual(tokens, [
    {
      authorization: `Basic ${basic}`,
      form: { grant_type: 'client_credentials', scope: 'pay read', audience: 'https://bank.example' },
    },
  ]);
  assert.deepEqual(calls, ['Bearer canary-token-1-x9y8z7', 'Bearer canary-token-1-x9y8z7']);
  for (const outcome of outcomes) {
    assert.deepEqual(summary(outcome), { succeeded: { authorization: 'Bearer [secret:connection:bank]' } });
    assert.ok(!storedText(outcome).includes('canary'), storedText(outcome));
  }
});

test('a token endpoint that takes the secret in the body gets it there', async (t) => {
  const { tokens, call } = await setUp(t, { secret_in: 'body' });
  await call();
  const [{ authorization, form } = { authorization: '', form: {} }] = tokens;
  assert.equal(authorization, undefined);
  assert.deepEqual(form, { grant_type: 'client_credentials', client_id: 'the clerk', client_secret: SECRET });
});

test('calls at the same moment share one request for a token', async (t) => {
  const { tokens, call } = await setUp(t);
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => call()));
  assert.deepEqual([...new Set(outcomes.map(({ status }) => status))], ['succeeded']);
  assert.equal(tokens.length, 1);
});

test('a token is renewed shortly before it expires, and a request names none that has expired', async (t) => {
  const { tokens, calls, state, call } = await setUp(t);
  await call();
  state.now += 530_000;
  await call();
  assert.equal(tokens.length, 1);
  state.now += 20_000;
  await call();
  assert.equal(tokens.length, 2);
  assert.equal(calls.at(-1), 'Bearer canary-token-2-x9y8z7');
});

test('a token that is still valid is used on while its endpoint is out of reach', async (t) => {
  const { calls, state, call } = await setUp(t);
  await call();
  state.issue = (_, response) => say(response, 503, {});
  state.now += 550_000;
  assert.equal((await call()).status, 'succeeded');
  assert.equal(calls.at(-1), 'Bearer canary-token-1-x9y8z7');
  state.now += 60_000;
  assert.deepEqual(summary(await call()), { failed: 'unavailable', refused: false });
});

const FINAL: readonly (readonly [what: string, Issue, says: RegExp])[] = [
  [
    'refuses the client',
    (_, response) => say(response, 401, { error: 'invalid_client', error_description: `no ${SECRET}` }),
    /the token endpoint of the connection bank refuses its client: it answered with status 401 \(invalid_client\)/,
  ],
  [
    'refuses by a challenge',
    (_, response) => response.writeHead(401, { 'www-authenticate': 'Basic realm="canary"' }).end(),
    /status 401/,
  ],
  [
    'gives a token that no header may have',
    (_, response) => say(response, 200, { access_token: 'canary\r\nX-Evil: 1', token_type: 'Bearer' }),
    /bank gave a token with a character that no header may have$/,
  ],
  ['knows no such scope', (_, response) => say(response, 400, { error: 'invalid_scope canary' }), /status 400$/],
];

for (const [what, refuse, says] of FINAL)
  test(`a token endpoint that ${what} ends the call for good, and nothing of its answer is kept`, async (t) => {
    const { calls, state, call } = await setUp(t);
    state.issue = refuse;
    const outcome = await call();
    assert.deepEqual(summary(outcome), { failed: 'call_rejected', refused: false });
    assert.ok(outcome.status === 'failed');
    assert.match(outcome.failure_message, says);
    assert.ok(!storedText(outcome).includes('canary'), storedText(outcome));
    assert.deepEqual(calls, []);
  });

const PASSING: readonly (readonly [what: string, Issue])[] = [
  ['is overloaded', (_, response) => say(response, 429, { error: 'slow_down' })],
  ['is broken', (_, response) => say(response, 500, { canary: SECRET })],
  ['answers with a page', (_, response) => response.setHeader('content-type', 'text/html').end('<p>canary</p>')],
  ['answers with no token', (_, response) => say(response, 200, { token_type: 'Bearer', canary: 1 })],
  ['hangs up', (_, response) => response.destroy()],
  ['sends more than any token needs', (_, response) => say(response, 200, { access_token: 'canary'.repeat(20_000) })],
];

for (const [what, fail] of PASSING)
  test(`a token endpoint that ${what} leaves the call to be tried again, and the next one asks it again`, async (t) => {
    const { tokens, calls, state, call } = await setUp(t);
    state.issue = fail;
    const outcome = await call();
    assert.deepEqual(summary(outcome), { failed: 'unavailable', refused: false });
    assert.ok(!storedText(outcome).includes('canary'), storedText(outcome));
    assert.deepEqual(calls, []);
    state.issue = issue;
    assert.equal((await call()).status, 'succeeded');
    assert.equal(tokens.length, 2);
  });

test('a token endpoint that nobody serves is out of reach', async (t) => {
  const { call } = await setUp(t, { token_url: `${await findFreeOrigin()}/token` });
  assert.deepEqual(summary(await call()), { failed: 'unavailable', refused: false });
});

test('a token that the service refuses is not used again', async (t) => {
  const { tokens, calls, state, call } = await setUp(t);
  state.takes = (authorization) => authorization?.includes('token-2') === true;
  assert.deepEqual(summary(await call()), { failed: 'http_status', refused: false });
  assert.equal((await call()).status, 'succeeded');
  assert.deepEqual([tokens.length, calls.length], [2, 2]);
});

test('a token endpoint is asked once the call is on record, and not where it never is', async (t) => {
  const { tokens, call } = await setUp(t);
  let settle = (): void => {};
  const recorded = new Promise<void>((resolve) => (settle = resolve));
  const calling = call(makeRecorder({ started: () => recorded }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(tokens.length, 0);
  settle();
  assert.equal((await calling).status, 'succeeded');
  const other = await setUp(t);
  const lost = () => Promise.reject(new Error('the database is gone'));
  await assert.rejects(other.call(makeRecorder({ started: lost })));
  assert.equal(other.tokens.length, 0);
});

test('each call that is reported later knows the tokens that were sent before', async (t) => {
  const { state, call, sources } = await setUp(t);
  await call();
  state.now += 700_000;
  await call();
  const command = over('bank', jsonCall());
  const value = { said: 'canary-token-1-x9y8z7 and canary-token-2-x9y8z7' };
  const reported = await sources.receiveReport(
    command,
    { kind: 'answered', value },
    { correlation_id: 'call-1', started_at: 0 },
  );
  assert.ok(!storedText(reported).includes('canary'), storedText(reported));
});
