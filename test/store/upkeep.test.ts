import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openUpkeep } from '../../engine/store/upkeep.js';
import { MIGRATION_NAMES, openTestDatabase } from '../support/databases.js';

test('an embedded database counts its rows after 16 attempts, so that no plan stays that of empty tables', async () => {
  const { database, outside, close } = await openTestDatabase('embedded');
  try {
    const counted = async (): Promise<number> => {
      const rows = await outside.query<{ reltuples: number }>(
        `SELECT reltuples FROM pg_class WHERE relname = 'schema_migrations'`,
      );
      return rows[0]?.reltuples ?? Number.NaN;
    };
    const upkeep = openUpkeep(database);
    for (let attempt = 1; attempt < 16; attempt += 1) await upkeep.attemptEnded();
    assert.equal(await counted(), -1);
    await upkeep.attemptEnded();
    assert.equal(await counted(), MIGRATION_NAMES.length);
  } finally {
    await close();
  }
});

test('a server is left to look after itself', async () => {
  const asked: string[] = [];
  const pool = { query: async (text: string) => void asked.push(text) };
  const upkeep = openUpkeep({ is_exclusive: false, query: pool.query as never });
  for (let attempt = 1; attempt <= 16; attempt += 1) await upkeep.attemptEnded();
  assert.deepEqual(asked, []);
});
