import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRetryAfter } from '../../engine/sources/response-headers.js';

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
  ['a date in another form', { 'retry-after': '2026-01-01T12:01:30Z' }, undefined],
  ['words', { 'retry-after': 'soon' }, undefined],
  ['nothing', {}, undefined],
];

for (const [name, headers, after_ms] of SAID)
  test(`Retry-After is read as ${after_ms ?? 'no wait'} where it holds ${name}`, () => {
    assert.equal(readRetryAfter(headers, NOW), after_ms);
  });
