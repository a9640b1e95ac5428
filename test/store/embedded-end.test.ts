import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findFaultProblem } from '../../engine/store/database-fault.js';
import { inTransaction, type OpenDatabase } from '../../engine/store/database.js';
import { openInFolder } from '../../engine/store/embedded.js';
import { templateFile } from '../support/databases.js';
import { mountSmallDisk } from '../support/small-disk.js';
import { makeFolder } from '../support/folder.js';

const root = await makeFolder({ after });

async function openIn(data_dir: string): Promise<OpenDatabase> {
  const opened = await openInFolder(data_dir, await templateFile());
  return opened.ok ? opened.value : assert.fail(opened.problems[0]?.message);
}

async function codeOf(promise: Promise<unknown>): Promise<string | undefined> {
  const [settled] = await Promise.allSettled([promise]);
  return settled.status === 'fulfilled' ? 'done' : findFaultProblem('here', settled.reason)?.code;
}

const write = (database: OpenDatabase) => database.query('INSERT INTO kept VALUES (1)');

/** By a prepared statement, as most are. */
async function count(database: OpenDatabase): Promise<number | undefined> {
  const { rows } = await database.query<{ n: number }>({ name: 'count', text: 'SELECT count(*) AS n FROM kept' });
  return rows[0]?.n;
}

/** Writes in one transaction until PostgreSQL ends, since it can make no other file of its log. */
function endLog(database: OpenDatabase): Promise<unknown> {
  return inTransaction(database.pool, async (client) => {
    for (let files = 0; files < 10; files += 1) {
      await client.query('INSERT INTO kept VALUES (2)');
      await client.query('SELECT pg_switch_wal()');
    }
  });
}

test('an embedded PostgreSQL that ends fails the statement under way and all others, and closes; its files keep what was committed', async () => {
  const data_dir = join(root, 'ends');
  const database = await openIn(data_dir);
  await database.query('CREATE TABLE kept (n int)');
  await write(database);
  const log = join(data_dir, 'pgdata', 'pg_wal');
  await rename(log, `${log}.away`);
  await writeFile(log, '');
  const under_way = [endLog(database), write(database), write(database)];
  assert.deepEqual(await Promise.all(under_way.map(codeOf)), Array(3).fill('DATABASE_TROUBLED'));
  assert.equal(await codeOf(count(database)), 'DATABASE_TROUBLED');
  await database.close();
  await rm(log);
  await rename(`${log}.away`, log);
  const again = await openIn(data_dir);
  assert.equal(await count(again), 1);
  await again.close();
});

test('a statement that ends the embedded PostgreSQL without a word fails, and the next one finds it started anew', async () => {
  const database = await openIn(join(root, 'silent'));
  await database.query('CREATE TABLE kept (n int)');
  await write(database);
  assert.equal(await count(database), 1);
  // So deep that the stack of this process overflows before PostgreSQL notices.
  assert.equal(await codeOf(database.query(`SELECT ${'1+'.repeat(100_000)}1`)), 'DATABASE_TROUBLED');
  assert.equal(await count(database), 1);
  await database.close();
});

test('on a full disk every statement of an embedded database fails as such, and it goes on by itself once there is room', async (t) => {
  const disk = await mountSmallDisk(t);
  if (disk === undefined) return t.skip('no small disk can be mounted here');
  const database = await openIn(join(disk.folder, 'data'));
  await database.query('CREATE TABLE kept (n int)');
  await write(database);
  assert.equal(await count(database), 1);
  const makeRoom = await disk.fill();
  const under_way = [endLog(database), write(database), count(database)];
  assert.deepEqual(await Promise.all(under_way.map(codeOf)), Array(3).fill('DATABASE_FULL'));
  assert.equal(await codeOf(count(database)), 'DATABASE_FULL');
  await makeRoom();
  await write(database);
  assert.equal(await count(database), 2);
  await database.close();
});
