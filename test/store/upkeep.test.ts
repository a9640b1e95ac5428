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

test('the log of an embedded database is freed once it has more than 64 MB, and not before', async () => {
  const { database, outside, close } = await openTestDatabase('embedded');
  try {
    const readLog = async (): Promise<number> => {
      const rows = await outside.query<{ megabytes: number }>(
        'SELECT ((pg_current_wal_insert_lsn() - redo_lsn) / 1e6)::int AS megabytes FROM pg_control_checkpoint()',
      );
      return rows[0]?.megabytes ?? Number.NaN;
    };
    const write = async (megabytes: number): Promise<void> => {
      for (const enough = (await readLog()) + megabytes; (await readLog()) < enough; ) {
        await outside.query('INSERT INTO kept VALUES (1)');
        await outside.query('SELECT pg_switch_wal()');
      }
    };
    const upkeep = openUpkeep(database);
    const endAttempts = async (): Promise<void> => {
      for (let attempt = 0; attempt < 16; attempt += 1) await upkeep.attemptEnded();
    };
    await outside.query('CREATE TABLE kept (number int)');
    await write(40);
    await endAttempts();
    assert.ok((await readLog()) >= 40);
    await write(40);
    await endAttempts();
    assert.ok((await readLog()) < 5);
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
