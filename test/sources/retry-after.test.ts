import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepResponseHeaders, readRetryAfter } from '../../engine/sources/response-headers.js';
import { readWait } from '../../engine/sources/told-wait.js';

const NOW = Date.UTC(2026, 0, 1, 12);

const SAID: readonly (readonly [name: string, headers: Record<string, string>, after_ms: number | undefined])[] = [
  ['seconds', { 'retry-after': '7' }, 7000],
  ['zero seconds', { 'retry-after': '0' }, 0],
  ['an HTTP date that is to come', { 'retry-after': 'Thu, 01 Jan 2026 12:01:30 GMT' }, 90_000],
  ['an HTTP date that has passed', { 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
  ['milliseconds beside seconds', { 'retry-after-ms': '1250.5', 'retry-after': '9' }, 1251],
  ['more seconds than a year has', { 'retry-after': '9'.repeat(40) }, 366 * 86_400_000],
  ['a negative number', { 'retry-after': '-1' }, undefined],
  ['a date of no calendar', { 'retry-after': 'Thu, 41 Jan 2026 12:01:30 GMT' }, undefined],
  ['an HTTP date of the second form', { 'retry-after': 'Thursday, 01-Jan-26 12:01:30 GMT' }, 90_000],
  ['an HTTP date of the third form', { 'retry-after': 'Thu Jan  1 12:01:30 2026' }, 90_000],
  ['a date of a mail', { 'retry-after': 'Thu, 01 Jan 2026 13:01:30 +0100' }, 90_000],
  ['a date of ISO 8601', { 'retry-after': '2026-01-01T12:01:30Z' }, 90_000],
  ['a date without a zone', { 'retry-after': '2026-01-01T12:01:30' }, 90_000],
  ['seconds with a fraction', { 'retry-after': '1.5' }, 1_500],
  ['a unit', { 'retry-after': '2s' }, 2_000],
  ['seconds since 1970', { 'retry-after': `${NOW / 1_000 + 90}` }, 90_000],
  ['a unit of another kind', { 'retry-after': '5 steps' }, undefined],
  ['words', { 'retry-after': 'soon' }, undefined],
  ['nothing', {}, undefined],
];

for (const [name, headers, after_ms] of SAID)
  test(`Retry-After is read as ${after_ms ?? 'no wait'} where it holds ${name}`, () => {
    assert.equal(readRetryAfter(headers, NOW), after_ms);
  });

const TOLD: readonly (readonly [body: string, after_ms: number | undefined])[] = [
  ['[{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"6s"}]}}]', 6_000],
  ['{"details":[{"retryDelay":{"seconds":"7","nanos":0}}]}', 7_000],
  ['{"message":"You are being rate limited.","retry_after":64.57}', 64_570],
  ['{"retry_after_ms": 250}', 250],
  ['Rate limit reached for model. Please try again in 12s. Visit our pages.', 12_000],
  ['Please try again in 1m30s.', 90_000],
  ['Please try again in 2h59m59.5s, or pay', 10_799_500],
  ['Please try again in 200ms.', 200],
  ['Please retry after 26 seconds.', 26_000],
  ['retry in 2 minutes', 120_000],
  ['Please try again in 1 day', 86_400_000],
  ['{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier","retryDelay":"34s"}', 3_600_000],
  ['Rate limit reached on tokens per day (TPD). Please try again in 7m12s.', 432_000],
  ['Daily limit reached', 3_600_000],
  [`{"metadata":{"headers":{"X-RateLimit-Remaining":"0","X-RateLimit-Reset":"${NOW + 90_000}"}}}`, 90_000],
  ['{"error":"Model m is currently loading","estimated_time":20.5}', 20_500],
  ['{"error":{"type":"usage_limit_reached","resets_in_seconds":90}}', 90_000],
  [`{"error":{"resets_at":${NOW / 1_000 + 90}}}`, 90_000],
  ['Request was throttled. Expected available in 2 seconds.', 2_000],
  ['Too many requests. Please wait 2 seconds before trying again.', 2_000],
  ['Your quota of requests is used up; it resets in 1h30m.', 5_400_000],
  [`Rate limited. Try again at ${new Date(NOW + 60_000).toISOString()}.`, 60_000],
  ['{"retryDelay":"1m30s"}', 90_000],
  ['{"error":{"retryAfter":"PT2S"}}', 2_000],
  ['{"retry-after": 4}', 4_000],
  ['{"retry_after_secs": 4}', 4_000],
  ['{"retry_after": null}', undefined],
  ['{"retry_after": "00:00:05"}', undefined],
  [`{"retry_after": ${NOW / 1_000 + 90}}`, 90_000],
  ['{"reset_time":"2026-01-01T13:01:30+01:00"}', 90_000],
  ['{"retry_at":"2026-01-01 12:01:30 UTC"}', 90_000],
  ['Please wait for about 5 seconds.', 5_000],
  ['Try again in approximately 1 minute.', 60_000],
  ['wait for it', undefined],
  ['try again in a moment', undefined],
  ['try again in 5 steps', undefined],
  ['', undefined],
];

for (const [body, after_ms] of TOLD)
  test(`a body that says ${body || 'nothing'} tells ${after_ms ?? 'no wait'}`, () => {
    assert.equal(readWait({ http_status: 429, body: Buffer.from(body) }, NOW), after_ms);
  });

for (const [reset, after_ms] of [
  [`${NOW / 1_000 + 30}`, 30_000],
  [`${NOW + 1_500}`, 1_500],
  [`${NOW / 1_000 - 30}`, 0],
  ['45', 45_000],
  ['soon', undefined],
] as const)
  test(`a limit that is used up until ${reset} tells ${after_ms ?? 'no wait'}`, () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
    assert.equal(readWait({ http_status: 429, response_headers: headers }, NOW), after_ms);
    const left = { ...headers, 'x-ratelimit-remaining': '3' };
    assert.equal(readWait({ http_status: 429, response_headers: left }, NOW), undefined);
  });

for (const [headers, after_ms] of [
  [{ 'ratelimit-remaining': '0', 'ratelimit-reset': '2' }, 2_000],
  [{ ratelimit: 'limit=100, remaining=0, reset=2' }, 2_000],
  [{ ratelimit: '"day";r=5;t=9000, "burst";r=0;t=2' }, 2_000],
  [{ ratelimit: '"burst";r=1;t=2' }, undefined],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '2.5' }, 2_500],
  [{ 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': '2026-01-01T12:00:07Z' }, 7_000],
  [{ 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': `${NOW / 1_000 + 9}` }, 9_000],
] as const)
  test(`the headers ${JSON.stringify(headers)} tell ${after_ms ?? 'no wait'}`, () => {
    const kept = keepResponseHeaders(headers);
    assert.equal(readWait({ http_status: 429, response_headers: kept }, NOW), after_ms);
  });

test('a header comes before the body, a body before the limits of a rate, and only limits that are used up count', () => {
  const body = Buffer.from('try again in 12s');
  const limits = {
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '6m0s',
    'x-ratelimit-remaining-tokens': '40',
    'x-ratelimit-reset-tokens': '9h',
  };
  assert.equal(readWait({ http_status: 429, body, response_headers: { 'retry-after': '3' } }, NOW), 3_000);
  assert.equal(readWait({ http_status: 429, body, response_headers: limits }, NOW), 12_000);
  assert.equal(readWait({ http_status: 429, response_headers: limits }, NOW), 360_000);
  assert.equal(readWait({ http_status: 400, body, response_headers: limits }, NOW), undefined);
});
