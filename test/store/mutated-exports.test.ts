import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { sha256 } from '../../engine/core/content/sha256.js';
import type { Store } from '../../engine/store/open-store.js';
import { openDice } from '../chaos/dice.js';
import { extent } from '../support/extent.js';
import { openTestDatabase } from '../support/databases.js';
import { readAll } from './read-all.js';
import { contentsOf, liveUntil, playTurn, toStream } from './record-fixtures.js';

const MUTATIONS = extent(120, 1_000);

/** Values that no export holds at most places, and that the types of many columns take all the same. */
const ODD: readonly Json[] = [
  null,
  true,
  0,
  1,
  -1,
  3,
  0.5,
  2 ** 31,
  2 ** 52,
  2 ** 53,
  '9223372036854775807',
  1e300,
  '',
  'moved',
  'victim',
  'x'.repeat(3_000),
  '\u0000',
  '\uD800',
  'ada',
  '01a219d4-9b0c-71f6-9821-bc3c62c3ce41',
  '\\x00',
  '\\xff',
  '294276-12-31T23:59:59Z',
  '0044-03-15 12:00:00+00 BC',
  'infinity',
  '-infinity',
  '2026-01-01T08:00:00Z',
  [],
  {},
  [null],
  [[]],
  [1],
  ['x'],
  [{}],
  '{}',
  '{NULL}',
  '{x}',
];

type Line = { readonly table: string; readonly row: JsonObject };

/** The lines of a world that has lived. */
async function exportedWorld(store: Store, world_slug: string): Promise<readonly string[]> {
  await liveUntil(store, world_slug, 'asleep');
  const lines: string[] = [];
  await store.transfer.export([world_slug], async (line) => void lines.push(line));
  return lines;
}

/** A file whose digest fits its lines. */
function sign(lines: readonly string[]): readonly string[] {
  const digest = sha256(lines.map((line) => `${line}\n`).join(''));
  return [...lines, JSON.stringify({ rows: lines.length - 1, sha256: digest })];
}

test('an export with a mutation is refused with its place, or its world and all others can be read and go on', async (t) => {
  const here = await openTestDatabase('PostgreSQL');
  const there = await openTestDatabase('PostgreSQL');
  t.after(async () => {
    await here.close();
    await there.close();
  });
  const [head = '', ...rows] = (await exportedWorld(here.store, 'moved')).slice(0, -1);
  const { store } = there;
  await exportedWorld(store, 'victim');
  const dice = openDice();
  const pick = <Value>(values: readonly Value[]): Value => values[dice.below(values.length)] as Value;
  let victim = 'asleep';
  let imported = 0;
  const failures: string[] = [];
  for (let count = 0; count < MUTATIONS; count += 1) {
    const place = dice.below(rows.length);
    const { table, row } = JSON.parse(rows[place] ?? '') as Line;
    const member = pick(Object.keys(row));
    const value = pick(ODD);
    const line = JSON.stringify({ table, row: { ...row, [member]: value } });
    const copies = dice.below(8) === 0 ? [rows[place] ?? '', line] : [line];
    const what = `${count}: ${table}.${member} = ${JSON.stringify(value).slice(0, 60)}${copies.length > 1 ? ', twice' : ''}`;
    const before = await contentsOf(there.outside);
    const lines = sign([head, ...rows.toSpliced(place, 1, ...copies)]);
    try {
      const outcome = await store.transfer.import(toStream(lines), () => undefined);
      if (outcome.kind !== 'imported') {
        assert.ok(outcome.kind === 'damaged', outcome.kind);
        assert.match(outcome.reason, new RegExp(`line \\d+|\\b${table}\\b|[a-z]+_[a-z]+`));
        assert.equal(await contentsOf(there.outside), before);
        continue;
      }
    } catch (error) {
      failures.push(`${what}: ${error instanceof Error ? error.stack : ''}`);
      continue;
    }
    imported += 1;
    try {
      await readAll(store, 'moved');
      await readAll(store, 'victim');
      await playTurn(store, 'moved', { before: 'asleep', after: 'awake' });
      const next = victim === 'awake' ? 'tired' : 'awake';
      await playTurn(store, 'victim', { before: victim, after: next });
      victim = next;
    } catch (error) {
      failures.push(`${what}: ${error instanceof Error ? error.stack : ''}`);
    }
    assert.equal((await store.worlds.delete('moved')).kind, 'deleted', what);
  }
  assert.deepEqual(failures, []);
  t.diagnostic(`${imported} of ${MUTATIONS} were imported`);
});
