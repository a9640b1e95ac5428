import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffMs, turnBackoffMs } from '../../engine/core/inbox/backoff.js';
import { INBOX_STEPS, type InboxStatus, type InboxStep } from '../../engine/core/inbox/message.js';

const SEED = { seed: 20_260_501, numRuns: 500 };
const STATUSES = Object.keys(INBOX_STEPS) as readonly InboxStatus[];
const STEPS: readonly InboxStep[] = ['promote', 'defer', 'recall', 'take_back', 'consume'];

const wait = fc.record({
  first_ms: fc.integer({ min: 1, max: 10_000 }),
  most_ms: fc.integer({ min: 10_000, max: 1e9 }),
});
const jitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('a wait is never longer than the most, and never shorter than half of what it would be without jitter', () => {
  fc.assert(
    fc.property(wait, fc.nat(10_000), jitter, (backoff, retries, luck) => {
      const waited = backoffMs(backoff, retries, luck);
      const whole = Math.min(backoff.most_ms, backoff.first_ms * 2 ** retries);
      assert.ok(Number.isSafeInteger(waited));
      assert.ok(waited <= Math.ceil(whole) && waited >= Math.floor(whole / 2), `${waited} of ${whole}`);
    }),
    SEED,
  );
});

test('with equal luck, who has tried more often waits no shorter', () => {
  fc.assert(
    fc.property(wait, fc.nat(100), jitter, (backoff, retries, luck) => {
      assert.ok(backoffMs(backoff, retries + 1, luck) >= backoffMs(backoff, retries, luck));
    }),
    SEED,
  );
});

test('jitter spreads those who were turned away together over half of the wait', () => {
  assert.deepEqual(
    [0, 0.5, 0.999].map((luck) => backoffMs({ first_ms: 1000, most_ms: 60_000 }, 3, luck)),
    [4000, 6000, 7996],
  );
});

test('a turn is retried no sooner than its service asks for, and after at most a day', () => {
  assert.deepEqual(
    [0, 100_000, 100_000_000].map((asked_ms) => turnBackoffMs(0, 0, asked_ms)),
    [1_000, 100_000, 86_400_000],
  );
});

test('every message ends once, and never changes afterwards', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...STEPS), { maxLength: 40 }), (steps) => {
      let status: InboxStatus = 'queued';
      let ends = 0;
      for (const step of steps) {
        const next: InboxStatus | undefined = INBOX_STEPS[status][step];
        if (next === undefined) continue;
        assert.notEqual(status, 'consumed');
        status = next;
        if (status === 'consumed') ends += 1;
      }
      assert.ok(ends <= 1);
    }),
    SEED,
  );
});

test('every message that is not over has a way out', () => {
  const reachable = (from: InboxStatus, seen: readonly InboxStatus[]): boolean =>
    from === 'consumed' ||
    Object.values(INBOX_STEPS[from]).some((next) => !seen.includes(next) && reachable(next, [...seen, next]));
  for (const status of STATUSES) assert.ok(reachable(status, [status]), status);
});
