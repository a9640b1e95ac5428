import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deniesCall, isTransient, retryClassOf } from '../../engine/core/protocol/failure.js';

/** Of each status: whether the call was not performed, whether it may pass by itself, and which `retry` repeats it. */
const STATUSES = {
  302: 'open, final',
  303: 'open, final',
  307: 'denied, final',
  301: 'denied, final',
  308: 'denied, final',
  404: 'denied, final',
  408: 'open, passes, http_408',
  425: 'open, passes, http_425',
  429: 'denied, passes, http_429',
  499: 'denied, final',
  500: 'open, passes, http_5xx',
  503: 'denied, passes, http_5xx',
  599: 'open, passes, http_5xx',
  600: 'open, final',
} as const;

for (const [status, meant] of Object.entries(STATUSES)) {
  test(`a call that failed with status ${status} is ${meant}`, () => {
    const failed = { failure_class: 'http_status', http_status: Number(status) } as const;
    const said = [deniesCall(failed) ? 'denied' : 'open', isTransient(failed) ? 'passes' : 'final'];
    assert.equal([...said, ...[retryClassOf(failed) ?? []].flat()].join(', '), meant);
  });
}
