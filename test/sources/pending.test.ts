import type { CallResult } from '../../engine/ports/sources.js';
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, test, type TestContext } from 'node:test';
import type { Validate } from '../../engine/core/protocol/program.js';
import type { CallReport } from '../../engine/ports/sources.js';
import { askOnce, ended, jsonCall, openTestSources, serve, summary, type Wanted } from './harness.js';

const LATER: Wanted = { call: { pending_deadline_ms: 60_000 } };
const TOKEN = 'a-token-that-lets-somebody-in';
const makeCallback = (id: string) => ({ url: `http://chukwa.test/callbacks/${id}?token=${TOKEN}`, token: TOKEN });

/** A service that answers everything with 202 and this body; and the headers that it was sent. */
async function serveLater(t: TestContext, body: string | ((headers: IncomingHttpHeaders) => string)) {
  const received: IncomingHttpHeaders[] = [];
  const url = await serve(t, (request, response) => {
    received.push(request.headers);
    response.writeHead(202).end(typeof body === 'string' ? body : body(request.headers));
  });
  return { url, received };
}

describe('a service that answers later', () => {
  for (const [body, alias] of [
    ['{"correlation_id": "letter-7"}', 'letter-7'],
    [`{"correlation_id": "${'x'.repeat(256)}"}`, 'x'.repeat(256)],
    ['', null],
    ['on its way', null],
    ['{"correlation_id": 7}', null],
    ['{"correlation_id": ""}', null],
    [`{"correlation_id": "${'x'.repeat(257)}"}`, null],
    ['[{"correlation_id": "letter-7"}]', null],
    ['{"correlation_id": "a\\u0000b"}', null],
    ['{"correlation_id": "a", "correlation_id": "b"}', null],
  ] as const) {
    test(`a service that answers later with the body ${JSON.stringify(body.slice(0, 40))} calls it ${JSON.stringify(alias)}`, async (t) => {
      const { url } = await serveLater(t, body);
      const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
      assert.deepEqual(summary(await askOnce(sources, jsonCall(LATER))), { pending: alias });
    });
  }

  test('a service that answers later gets the id of the call, and the URL for its answer', async (t) => {
    const { url, received } = await serveLater(t, '');
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url }, makeCallback });
    await askOnce(sources, jsonCall(LATER));
    await askOnce(sources, jsonCall());
    const correlations = received.map((headers) => [
      headers['x-chukwa-correlation-id'],
      headers['x-chukwa-callback-url'],
    ]);
    assert.deepEqual(correlations, [
      ['call-1', makeCallback('call-1').url],
      ['call-1', undefined],
    ]);
  });

  test('a service that answers later leaves status, headers and body on record, without credentials', async (t) => {
    const { url } = await serveLater(t, (headers) => JSON.stringify({ echo: headers }));
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url }, makeCallback });
    const result = await askOnce(sources, jsonCall(LATER));
    assert.ok(result.status === 'pending');
    const body = Buffer.from(result.response_body ?? []).toString();
    assert.equal(httpStatusOf(result), 202);
    assert.match(body, /callbacks\/call-1\?token=\[secret:callback_token\]/);
    assert.ok(!body.includes(TOKEN));
    assert.equal(result.deadline_ms, 60_000);
  });

  test('a service that answers later fails where the author lets nothing come later, and the message says what is missing', async (t) => {
    const { url } = await serveLater(t, '{"correlation_id": "letter-7"}');
    const sources = await openTestSources(t, { overlay: { CHUKWA_TEST_URL: url } });
    const result = await askOnce(sources, jsonCall());
    assert.deepEqual(summary(result), { failed: 'schema_invalid', refused: false });
    assert.match(ended(result).status === 'failed' ? JSON.stringify(result) : '', /pending_deadline_ms/);
    assert.equal(httpStatusOf(result), 202);
  });
});

describe('the report of a call', () => {
  const HAPPY: Validate = (value) =>
    typeof value === 'object' && value !== null && 'happy' in value
      ? []
      : [{ code: 'BAD_VALUE', message: 'it is not happy', repair: 'Mend it.', pointer: '' }];
  const OUTPUT = { hash: 'h', schema: {}, validate: HAPPY };

  async function receive(t: TestContext, report: CallReport, call: Wanted['call'] = {}) {
    const sources = await openTestSources(t, {
      overlay: { CHUKWA_TEST_URL: 'http://user:open-sesame@127.0.0.1:9' },
      makeCallback,
    });
    const command = jsonCall({ call: { ...LATER.call, output: OUTPUT, ...call } });
    return sources.receiveReport(command, report, { correlation_id: 'call-1', started_at: Date.now() - 5_000 });
  }

  test('the report of a call is validated, and shown as redaction lets it be', async (t) => {
    const value = { happy: true, address: 'secret lane' };
    const outcome = await receive(t, { kind: 'answered', value }, { redaction: ['/happy'] });
    assert.ok(outcome.status === 'succeeded');
    assert.deepEqual([outcome.view, outcome.answer, outcome.validation_status], [{ happy: true }, value, 'valid']);
    assert.ok(outcome.duration_ms >= 5_000);
  });

  test('the report of a call fails as schema_invalid where it is of another schema', async (t) => {
    const outcome = await receive(t, { kind: 'answered', value: { sad: true } });
    assert.deepEqual(summary(outcome), { failed: 'schema_invalid', refused: false });
    assert.equal(outcome.validation_status, 'invalid');
  });

  test('the report of a call leaves the side effect of its call in doubt where it cannot be used', async (t) => {
    const effect = 'external_side_effect';
    const outcome = await receive(t, { kind: 'answered', value: { sad: true } }, { effect });
    assert.equal(outcome.status === 'failed' && outcome.outcome_unknown, true);
    const said = await receive(t, { kind: 'failed', message: 'no van' }, { effect });
    assert.equal(said.status === 'failed' && said.outcome_unknown, undefined);
  });

  test('the report of a call fails as result_too_large beyond the limit of its binding', async (t) => {
    const outcome = await receive(t, { kind: 'answered', value: { happy: 'x'.repeat(40_000) } });
    assert.deepEqual(summary(outcome), { failed: 'result_too_large', refused: false });
  });

  test('the report of a call loses its secrets, the token of the callback among them', async (t) => {
    const outcome = await receive(t, { kind: 'answered', value: { happy: `open-sesame ${TOKEN}` } });
    assert.deepEqual(summary(outcome), { succeeded: { happy: '[secret:CHUKWA_TEST_URL] [secret:callback_token]' } });
  });

  test('the report of a call is a failure where it says so, in its own words', async (t) => {
    const outcome = await receive(t, { kind: 'failed', message: 'the van broke down near open-sesame' });
    assert.ok(outcome.status === 'failed');
    assert.equal(outcome.failure_class, 'tool_error');
    assert.equal(outcome.failure_message, 'the van broke down near [secret:CHUKWA_TEST_URL]');
    assert.equal(outcome.refused, false);
  });

  test('the report of a call is a timeout where nothing was, also where the service is not known here', async (t) => {
    const sources = await openTestSources(t, {});
    const call = { correlation_id: 'call-1', started_at: Date.now() };
    const command = jsonCall({ call: { ...LATER.call, effect: 'external_side_effect' } });
    const outcome = await sources.receiveReport(command, { kind: 'timed_out' }, call);
    assert.deepEqual(summary(outcome), { failed: 'timeout', refused: false });
    assert.ok(outcome.status === 'failed');
    assert.match(
      outcome.failure_message,
      /^no answer was reported within 60000 ms; it is unknown whether its side effect took place/,
    );
    assert.deepEqual([outcome.outcome_unknown, outcome.was_pending], [true, true]);
  });
});

function httpStatusOf(result: CallResult): number | undefined {
  return 'http_status' in result ? result.http_status : undefined;
}
