import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Outcome, problem, type Problem, refuse } from '../contract/problem.js';
import { sha256 } from '../core/content/sha256.js';
import { inTransaction, type OpenDatabase } from './database.js';

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
  const found = await readApplied(database, migrations);
  if (!found.ok) return found;
  const before = new Set(found.value);
  const applied: string[] = [];
  for (const migration of migrations.filter(({ name }) => !before.has(name))) {
    if (await apply(database, migration)) applied.push(migration.name);
  }
  return { ok: true, value: applied };
}

function findMisfit(
  { description }: Pick<OpenDatabase, 'description'>,
  applied: readonly AppliedMigration[],
  known: readonly Migration[],
): Problem | undefined {
  const toMisfit = (
    code: 'DATABASE_TOO_NEW' | 'DATABASE_MIGRATION_CHANGED' | 'DATABASE_MIGRATION_MISSED',
    migration: string,
  ): Problem => problem(code, { description, migration }, { details: { migration } });
  // Numbers may have gaps; a migration is not applied after one with a later number. A database that was made before the
  // baseline lacks it.
  const done = new Set(applied.map(({ name }) => name));
  const missed = known.find(({ name }) => !done.has(name) && applied.some((later) => later.name > name));
  if (missed !== undefined) return toMisfit('DATABASE_MIGRATION_MISSED', missed.name);
  const digests = new Map(known.map(({ name, digest }) => [name, digest]));
  for (const { name, digest } of applied) {
    const expected = digests.get(name);
    if (expected === undefined) return toMisfit('DATABASE_TOO_NEW', name);
    if (expected !== digest) return toMisfit('DATABASE_MIGRATION_CHANGED', name);
  }
  return undefined;
}

type AppliedMigration = Pick<Migration, 'name' | 'digest'>;

// An extension's relations do not tell whose database it is.
const FIND_OWNER = `
  WITH here AS (SELECT oid FROM pg_namespace WHERE nspname = current_schema()),
  relations AS (
    SELECT pg_class.oid, relname FROM pg_class JOIN here ON here.oid = relnamespace
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e'))
  SELECT (SELECT min(relname) FROM relations) AS first_relation,
    EXISTS (SELECT FROM relations WHERE relname = 'schema_migrations' AND 3 = (
      SELECT count(*) FROM pg_attribute
      WHERE attrelid = relations.oid AND attname IN ('name', 'digest', 'applied_at'))) AS is_ours`;

/**
 * Reads which migrations a database has, and changes nothing.
 * @returns their names; a problem where its tables are another program's, or it does not fit this version
 */
export async function readApplied(
  database: Pick<OpenDatabase, 'description' | 'query'>,
  known: readonly Migration[],
): Promise<Outcome<readonly string[]>> {
  const owner = await database.query<{ first_relation: string | null; is_ours: boolean }>(FIND_OWNER);
  const { first_relation = null, is_ours = false } = owner.rows[0] ?? {};
  if (!is_ours && first_relation === null) return { ok: true, value: [] };
  if (!is_ours) {
    const relation = first_relation ?? '';
    const facts = { description: database.description, relation };
    return refuse(problem('DATABASE_NOT_OURS', facts, { details: { relation } }));
  }
  const { rows } = await database.query<AppliedMigration>('SELECT name, digest FROM schema_migrations ORDER BY name');
  const misfit = findMisfit(database, rows, known);
  return misfit ? refuse(misfit) : { ok: true, value: rows.map(({ name }) => name) };
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
