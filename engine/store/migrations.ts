import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from '../contract/problem.js';
import { sha256 } from '../core/content/sha256.js';
import { inTransaction, type OpenDatabase } from './database.js';
import { databaseTooNew, migrationChanged } from './problems.js';

/** One numbered file. */
export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly digest: string;
}

/** The migrations of a folder, in their order. `schema.sql`, the dumped result, is none. */
export async function loadMigrations(folder: string): Promise<readonly Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}_[a-z0-9_]+\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8');
      return { name: file.slice(0, -'.sql'.length), text, digest: sha256(text) };
    }),
  );
}

/**
 * Brings a database up to date: one transaction a file, and one process at a time.
 * @returns the names of what was applied now, or why the database does not fit this program
 */
export async function migrate(
  database: OpenDatabase,
  migrations: readonly Migration[],
): Promise<Outcome<readonly string[]>> {
  const before = await readApplied(database);
  const misfit = findMisfit(database, before, migrations);
  if (misfit) return { ok: false, problems: [misfit] };
  const applied: string[] = [];
  for (const migration of migrations.filter(({ name }) => !before.has(name))) {
    if (await apply(database, migration)) applied.push(migration.name);
  }
  return { ok: true, value: applied };
}

function findMisfit(database: OpenDatabase, applied: ReadonlyMap<string, string>, known: readonly Migration[]) {
  const digests = new Map(known.map(({ name, digest }) => [name, digest]));
  for (const [name, digest] of applied) {
    const expected = digests.get(name);
    if (expected === undefined) return databaseTooNew(database.description, name);
    if (expected !== digest) return migrationChanged(database.description, name);
  }
  return undefined;
}

async function readApplied(database: OpenDatabase): Promise<ReadonlyMap<string, string>> {
  const present = await database.query<{ present: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS present`,
  );
  if (!present.rows[0]?.present) return new Map();
  const rows = await database.query<{ name: string; digest: string }>(
    'SELECT name, digest FROM schema_migrations ORDER BY name',
  );
  return new Map(rows.rows.map(({ name, digest }) => [name, digest]));
}

// Any constant of our own: two programs that start together queue here.
const MIGRATION_LOCK = 0x63686b77;

/** @returns false where another process came first */
async function apply(database: OpenDatabase, migration: Migration): Promise<boolean> {
  return inTransaction(database.pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         name text PRIMARY KEY, digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const done = await client.query('SELECT FROM schema_migrations WHERE name = $1', [migration.name]);
    if (done.rowCount) return false;
    await client.query(migration.text);
    await client.query('INSERT INTO schema_migrations (name, digest) VALUES ($1, $2)', [
      migration.name,
      migration.digest,
    ]);
    return true;
  });
}
