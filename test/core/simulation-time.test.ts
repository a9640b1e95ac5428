import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { longestChronon, parseMoment, simulationTime } from '../../engine/core/world/simulation-time.js';

const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

test('every moment of the years 1 to 9999 is the one that the platform reads', () => {
  const moments = fc.date({ min: new Date(FIRST), max: new Date(LAST), noInvalidDate: true });
  fc.assert(
    fc.property(moments, (moment) => {
      const parsed = parseMoment(moment.toISOString());
      assert.deepEqual(parsed, { ok: true, milliseconds: moment.getTime() });
    }),
    { numRuns: 1000, seed: 1 },
  );
});

const READ: Readonly<Record<string, string>> = {
  '2026-05-01T09:00:00+05:30': '2026-05-01T03:30:00.000Z',
  '2026-05-01T09:00:00-15:59': '2026-05-02T00:59:00.000Z',
  '2024-02-29t23:59:59.9999z': '2024-02-29T23:59:59.999Z',
  '2024-02-29T23:59:59.1234Z': '2024-02-29T23:59:59.123Z',
  '2000-03-01 00:00:00.5Z': '2000-03-01T00:00:00.500Z',
  '9999-12-31T23:59:59Z': '9999-12-31T23:59:59.000Z',
  '0001-01-01T00:00:00Z': '0001-01-01T00:00:00.000Z',
};
for (const [text, instant] of Object.entries(READ))
  test(`${text} is ${instant}`, () => {
    assert.deepEqual(parseMoment(text), { ok: true, milliseconds: Date.parse(instant) });
  });

const REFUSED: Readonly<Record<string, RegExp>> = {
  '2016-12-31T23:59:60Z': /leap second/,
  '0000-06-01T00:00:00Z': /years 0001 to 9999/,
  '0001-01-01T00:00:00+01:00': /years 0001 to 9999/,
  '9999-12-31T23:59:59-01:00': /years 0001 to 9999/,
  '2026-05-01T09:00:00+16:00': /offset/,
  '2026-05-01T09:00:00': /no date and time with an offset/,
};
for (const [text, reason] of Object.entries(REFUSED))
  test(`${text} cannot be kept`, () => {
    const moment = parseMoment(text);
    assert.match(moment.ok ? 'kept' : moment.reason, reason);
  });

test('a turn beyond the year 9999 has no time, and the longest turn leads to the last within it', () => {
  const start_time = '2026-05-01T09:00:00Z';
  const longest = longestChronon(Date.parse(start_time), 10_000);
  assert.ok(simulationTime({ start_time, chronon_seconds: longest }, 10_000) !== undefined);
  assert.equal(simulationTime({ start_time, chronon_seconds: longest + 1 }, 10_000), undefined);
  assert.equal(simulationTime({ start_time, chronon_seconds: 0.001 }, 3), Date.parse(start_time) + 3);
});
