import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v7 } from 'uuid';
import type { Store } from '../../engine/store/open-store.js';
import { openServer } from '../../engine/store/server.js';
import { toStore } from '../../engine/store/open-store.js';
import { openTestDatabase } from '../support/databases.js';
import { begin, failing, makeWorld, pended, pendingStart, playTurn, startCall } from './record-fixtures.js';

/** Possible settings of a database, or of a role in it. */
const SETTINGS: Readonly<Record<string, string>> = {
  datestyle: 'SQL, DMY',
  intervalstyle: 'iso_8601',
  timezone: 'Asia/Kathmandu',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  array_nulls: 'off',
  standard_conforming_strings: 'off',
  default_transaction_isolation: 'serializable',
};

/** A day of a world: a committed turn, a call that is answered later, a failed attempt, and turns queued at one instant. */
async function live(store: Store): Promise<string> {
  await makeWorld(store, 'day');
  await playTurn(store, 'day', { before: 'rested', after: 'tired' });
  const { lease } = await begin(store, 'day');
  const call = pendingStart('a', 1);
  await startCall(store, lease, call);
  await store.attempts.pendCall(lease, call.source_invocation_id, pended(call));
  await store.attempts.fail(lease, failing());
  const enqueue = () => store.inbox.enqueueTurns({ world_slug: 'day', inbox_ids: [v7()] });
  await Promise.all(Array.from({ length: 8 }, enqueue));
  const attempt = await store.records.attempt(lease.attempt_id);
  const pieces = [await store.worlds.list(), await store.worlds.snapshot('day', 1), attempt?.timeline, attempt?.audit];
  return withoutChance(JSON.stringify(pieces));
}

/** Ids, and the deadline that counts from now, whose form is kept. */
function withoutChance(text: string): string {
  const ids = text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID');
  return ids.replace(/("deadline":")(\d{4})-\d\d-\d\dT[\d:.]+/g, '$1$2-DATE');
}

async function liveWith(settings: Readonly<Record<string, string>>, kind: 'DATABASE' | 'ROLE'): Promise<string> {
  const { url = '', outside, close } = await openTestDatabase('PostgreSQL');
  const [found] = await outside.query<{ database: string; role: string }>(
    'SELECT quote_ident(current_database()) AS database, quote_ident(current_user) AS role',
  );
  const whose =
    kind === 'DATABASE' ? `DATABASE ${found?.database}` : `ROLE ${found?.role} IN DATABASE ${found?.database}`;
  try {
    for (const [name, value] of Object.entries(settings))
      await outside.query(`ALTER ${whose} SET ${name} = ${name === 'datestyle' ? value : `'${value}'`}`);
    const opened = await openServer(url);
    assert.ok(opened.ok);
    try {
      return await live(toStore(opened.value, []));
    } finally {
      await opened.value.close();
    }
  } finally {
    await close();
  }
}

let usual: Promise<string> | undefined;

for (const [name, value] of Object.entries(SETTINGS)) {
  test(`a PostgreSQL database with ${name} = ${value} gives the same records`, async () => {
    assert.equal(await liveWith({ [name]: value }, 'DATABASE'), await (usual ??= liveWith({}, 'DATABASE')));
  });
}

test('a PostgreSQL role with other settings in all of them gives the same records', async () => {
  assert.equal(await liveWith(SETTINGS, 'ROLE'), await (usual ??= liveWith({}, 'DATABASE')));
});
