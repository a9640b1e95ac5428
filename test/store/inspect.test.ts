import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CHANGING_TABLES } from '../../engine/store/find-refusal.js';
import { inspectDatabase } from '../../engine/store/inspect.js';
import { openStore } from '../../engine/store/open-store.js';
import { MIGRATIONS, openTestDatabase, templateFile, MIGRATION_NAMES } from '../support/databases.js';
import { makeWorld } from './record-fixtures.js';
import { makeFolder } from '../support/folder.js';

const root = await makeFolder({ after });
let common = { migrations_dir: MIGRATIONS, template_file: '' };

before(async () => {
  common = { ...common, template_file: await templateFile() };
});

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
  for (const data_dir of [file, join(file, 'below'), join(root, 'x'.repeat(300))]) {
    const seen = await inspectDatabase({ ...common, data_dir });
    assert.equal(seen.ok ? undefined : seen.problems[0]?.code, 'DATABASE_FOLDER_UNUSABLE');
  }
});

test('a folder in use shows its worlds and the variables of its sources', async () => {
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

test('a schema in which everybody may create something is reported', async () => {
  for (const [set_up, is_open] of [
    ['GRANT CREATE ON SCHEMA public TO PUBLIC', true],
    ['REVOKE CREATE ON SCHEMA public FROM PUBLIC', undefined],
  ] as const)
    await withDatabase(set_up, async (url) => {
      const seen = await inspectDatabase({ ...common, data_dir: root, url });
      assert.ok(seen.ok);
      assert.equal(seen.value.is_open_to_all, is_open);
    });
});

/** The migrations of a program that has one more. */
async function folderOfLater(): Promise<string> {
  const folder = await mkdtemp(join(root, 'later-'));
  await cp(MIGRATIONS, folder, { recursive: true });
  await writeFile(join(folder, `${LATER}.sql`), 'ALTER TABLE worlds ADD COLUMN colour text');
  return folder;
}

const LATER = '9999_colours';

test('a sound database without a later migration is one to be migrated, and is so by opening it', async () => {
  const { url = '', close } = await openTestDatabase('PostgreSQL');
  const where = { ...common, data_dir: root, url, migrations_dir: await folderOfLater() };
  try {
    const seen = await inspectDatabase(where);
    assert.ok(seen.ok, JSON.stringify(seen));
    assert.deepEqual([seen.value.applied, seen.value.pending], [MIGRATION_NAMES, [LATER]]);
    const store = await openStore(where);
    assert.ok(store.ok);
    await store.value.database.close();
    const migrated = await inspectDatabase(where);
    assert.deepEqual(migrated.ok && migrated.value.pending, []);
  } finally {
    await close();
  }
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

interface Unwritable {
  /** The owner's preparations, with `READER` for the name of another user. */
  readonly set_up: string;
  readonly options?: string;
  /** The program has a migration more than the database. */
  readonly is_later?: true;
  readonly reason: RegExp;
}

const EMPTY = 'DROP SCHEMA public CASCADE; CREATE SCHEMA public';
const GRANT_ALL =
  'GRANT ALL ON ALL TABLES IN SCHEMA public TO READER; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO READER';

const UNWRITABLE: Readonly<Record<string, Unwritable>> = {
  'may read': {
    set_up: 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO READER',
    reason: /lacks INSERT on the table adopted_calls/,
  },
  'may add rows and not change them': {
    set_up: `${GRANT_ALL}; REVOKE UPDATE ON ALL TABLES IN SCHEMA public FROM READER`,
    reason: /lacks UPDATE on the table agent_inbox/,
  },
  'has no right to sequences': {
    set_up: 'GRANT ALL ON ALL TABLES IN SCHEMA public TO READER',
    reason: /lacks USAGE on the sequence attempt_events_event_id_seq/,
  },
  'may have every right in transactions that only read': {
    set_up: GRANT_ALL,
    options: '-c default_transaction_read_only=on',
    reason: /transactions may only read/,
  },
  'may make no tables in an empty database': {
    set_up: `${EMPTY}; GRANT USAGE ON SCHEMA public TO READER`,
    reason: /may not create tables in the schema public/,
  },
  'is sent to a schema that is not there': {
    set_up: EMPTY,
    options: '-c search_path=nowhere',
    reason: /search_path names no schema/,
  },
  'is to migrate what others own': {
    set_up: `${GRANT_ALL}; GRANT CREATE ON SCHEMA public TO READER`,
    is_later: true,
    reason: /its tables belong to postgres/,
  },
};

/** A database as another user than its owner sees it. */
async function asReader(
  { set_up, options, is_later }: Omit<Unwritable, 'reason'>,
  work: (where: Parameters<typeof inspectDatabase>[0]) => Promise<void>,
): Promise<void> {
  const { outside, url = '', close } = await openTestDatabase('PostgreSQL');
  // Roles belong to the whole server, which tests share.
  const reader = `reader_${process.pid}`;
  const as_reader = new URL(url);
  as_reader.username = reader;
  if (options !== undefined) as_reader.searchParams.set('options', options);
  try {
    await outside.query(`CREATE ROLE ${reader} LOGIN; ${set_up.replaceAll('READER', reader)}`);
    const migrations_dir = is_later ? await folderOfLater() : MIGRATIONS;
    await work({ ...common, data_dir: root, url: as_reader.href, migrations_dir });
  } finally {
    await outside.query(`DROP OWNED BY ${reader}; DROP ROLE ${reader}`);
    await close();
  }
}

for (const [what, { reason, ...given }] of Object.entries(UNWRITABLE)) {
  test(`that a user who ${what} cannot work is reported beforehand`, async () => {
    await asReader(given, async (where) => {
      const seen = await inspectDatabase(where);
      assert.ok(!seen.ok);
      assert.deepEqual(
        seen.problems.map(({ code }) => code),
        ['DATABASE_REFUSES'],
      );
      assert.match(seen.problems[0]?.message ?? '', reason);
    });
  });
}

const BY_COLUMNS = `
  DO $$ DECLARE place record; BEGIN
    FOR place IN SELECT relname, string_agg(quote_ident(attname), ', ') AS columns
      FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace GROUP BY relname
    LOOP
      EXECUTE format('GRANT SELECT, INSERT (%1$s), UPDATE (%1$s) ON %2$I TO READER', place.columns, place.relname);
    END LOOP;
  END $$;
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO READER`;

for (const [what, set_up] of Object.entries({
  'beside tables of others, which are none of their business': `${GRANT_ALL}; CREATE TABLE aa_of_others (id int)`,
  'by rights that were granted column by column': BY_COLUMNS,
  'without the right to change what never changes': `${GRANT_ALL}; REVOKE UPDATE, DELETE ON attempt_events, turns FROM READER`,
})) {
  test(`a user works ${what}`, async () => {
    await asReader({ set_up }, async (where) => {
      const seen = await inspectDatabase(where);
      assert.ok(seen.ok, JSON.stringify(seen));
      assert.deepEqual(seen.value.applied, MIGRATION_NAMES);
    });
  });
}

test('every table is one whose rows change, or is kept from that by a trigger', async () => {
  const { outside, close } = await openTestDatabase('embedded');
  try {
    const rows = await outside.query<{ name: string }>(`
      SELECT relname::text AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'schema_migrations'
        AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgname = 'append_only')
      ORDER BY 1`);
    assert.deepEqual(
      rows.map(({ name }) => name),
      CHANGING_TABLES,
    );
  } finally {
    await close();
  }
});
