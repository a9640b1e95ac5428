import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inspectDatabase } from '../../engine/store/inspect.js';
import { openStore } from '../../engine/store/open-store.js';
import { MIGRATIONS, openTestDatabase, templateFile, MIGRATION_NAMES } from '../support/databases.js';
import { makeWorld } from './record-fixtures.js';

let root = '';
let common = { migrations_dir: MIGRATIONS, template_file: '' };

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'chukwa-inspect-'));
  common = { ...common, template_file: await templateFile() };
});
after(() => rm(root, { recursive: true }));

const TABLES = `SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`;

async function withDatabase(
  set_up: string,
  work: (url: string, tables: () => Promise<readonly string[]>) => Promise<void>,
): Promise<void> {
  const { outside, url, close } = await openTestDatabase('PostgreSQL');
  try {
    await outside.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${set_up}`);
    const tables = async () => (await outside.query<{ name: string }>(TABLES)).map(({ name }) => name);
    await work(url ?? '', tables);
  } finally {
    await close();
  }
}

test('a folder that nothing has been stored in is not made by looking', async () => {
  const data_dir = join(root, 'not', 'there');
  const seen = await inspectDatabase({ ...common, data_dir });
  assert.ok(seen.ok);
  assert.deepEqual([seen.value.exists, seen.value.pending], [false, MIGRATION_NAMES]);
  assert.deepEqual(await readdir(root), []);
});

test('a folder that cannot be made is a problem before anybody tries', async () => {
  const file = join(await mkdtemp(join(root, 'file-')), 'file');
  await writeFile(file, '');
  for (const data_dir of [file, join(file, 'below')]) {
    const seen = await inspectDatabase({ ...common, data_dir });
    assert.equal(seen.ok ? undefined : seen.problems[0]?.code, 'DATABASE_FOLDER_UNUSABLE');
  }
});

test('a folder in use tells its worlds and what its sources name', async () => {
  const data_dir = join(root, 'used');
  const store = await openStore({ ...common, data_dir });
  assert.ok(store.ok);
  await makeWorld(store.value, 'seen');
  const held = await inspectDatabase({ ...common, data_dir });
  assert.equal(held.ok ? undefined : held.problems[0]?.code, 'DATABASE_LOCKED');
  await store.value.database.close();
  const seen = await inspectDatabase({ ...common, data_dir });
  assert.ok(seen.ok);
  assert.deepEqual([seen.value.worlds, seen.value.pending], [1, []]);
  assert.deepEqual(
    seen.value.interfaces.map(({ name }) => name),
    ['llm_chat', 'http_json'],
  );
});

test('files that are no database are a problem and no crash', async () => {
  const data_dir = join(root, 'damaged');
  await mkdir(join(data_dir, 'pgdata'), { recursive: true });
  const codeOf = async (): Promise<string | undefined> => {
    const seen = await inspectDatabase({ ...common, data_dir });
    return seen.ok ? undefined : seen.problems[0]?.code;
  };
  assert.equal(await codeOf(), 'DATABASE_UNREADABLE');
  await writeFile(join(data_dir, 'pgdata', 'PG_VERSION'), 'none');
  assert.equal(await codeOf(), 'DATABASE_UNREADABLE');
});

test('an empty PostgreSQL database stays empty when it is looked at', async () => {
  await withDatabase('', async (url, tables) => {
    const seen = await inspectDatabase({ ...common, data_dir: root, url });
    assert.ok(seen.ok);
    assert.deepEqual([seen.value.applied, seen.value.pending], [[], MIGRATION_NAMES]);
    assert.deepEqual(await tables(), []);
  });
});

const FOREIGN = {
  'has tables of its own': 'CREATE TABLE orders (id int)',
  'keeps migrations of its own': 'CREATE TABLE schema_migrations (version text); CREATE TABLE users (id int)',
  'has nothing but a view': 'CREATE VIEW orders AS SELECT 1 AS id',
};

for (const [what, set_up] of Object.entries(FOREIGN)) {
  test(`the database of a program that ${what} is refused, and nothing is made in it`, async () => {
    await withDatabase(set_up, async (url, tables) => {
      const before = await tables();
      const where = { ...common, data_dir: root, url };
      for (const outcome of [await inspectDatabase(where), await openStore(where)]) {
        assert.equal(outcome.ok ? undefined : outcome.problems[0]?.code, 'DATABASE_NOT_OURS');
      }
      assert.deepEqual(await tables(), before);
    });
  });
}

const UNWRITABLE = {
  'its user may not write the table agent_events': `CREATE ROLE READER LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO READER`,
  'its transactions may only read': `CREATE ROLE READER LOGIN SUPERUSER; ALTER ROLE READER SET default_transaction_read_only = on`,
};

for (const [reason, set_up] of Object.entries(UNWRITABLE)) {
  test(`a server that takes nothing is told beforehand: ${reason}`, async () => {
    const { outside, url = '', close } = await openTestDatabase('PostgreSQL');
    // Roles belong to the whole server, which tests share.
    const reader = `reader_${process.pid}`;
    const as_reader = new URL(url);
    as_reader.username = reader;
    try {
      await outside.query(set_up.replaceAll('READER', reader));
      const seen = await inspectDatabase({ ...common, data_dir: root, url: as_reader.href });
      assert.equal(seen.ok, false);
      assert.deepEqual(
        seen.problems.map(({ code, message }) => [code, message.includes(reason)]),
        [['DATABASE_REFUSES', true]],
      );
    } finally {
      await outside.query(`DROP OWNED BY ${reader}; DROP ROLE ${reader}`);
      await close();
    }
  });
}
