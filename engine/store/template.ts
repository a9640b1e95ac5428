import { PGlite } from '@electric-sql/pglite';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { sha256 } from '../core/content/sha256.js';
import { openDatabase } from './database.js';
import { EmbeddedSession } from './embedded-session.js';
import { loadMigrations, migrate, type Migration } from './migrations.js';

/** Every new database unpacks all of the template, so its log begins with one segment of 1 MB in place of 16. */
const INITDB_FLAGS = ['--wal-segsize=1'];

/** Segments that migrating has filled would be kept for later: zeros by the megabyte, which every new database unpacks. */
const START_FLAGS = ['-c', 'wal_recycle=off', '-c', 'min_wal_size=2MB'];

/** Of its three databases only `postgres` is ever opened: `CREATE DATABASE`, which needs the others, is never called. */
const REMOVE_OTHERS = [
  'UPDATE pg_database SET datistemplate = false',
  'DROP DATABASE template1',
  'DROP DATABASE template0',
];

/**
 * Makes sure that a packed, migrated, empty database is in a file, for new folders to begin from.
 * Beside it is a digest of all that it was made of; it is made again only when that changes.
 * @returns whether it was made now
 */
export async function ensureTemplate(template_file: string, migrations_dir: string): Promise<boolean> {
  const migrations = await loadMigrations(migrations_dir);
  const digest = templateDigest(migrations);
  if (await isFresh(template_file, digest)) return false;
  const packed = await packTemplate(migrations);
  const draft = `${template_file}.${process.pid}`;
  await writeFile(draft, packed);
  await rename(draft, template_file);
  await writeFile(`${template_file}.digest`, `${digest}\n`);
  return true;
}

/** The digest of a template's origins: the migrations, the database program's version, and how it is packed. */
function templateDigest(migrations: readonly Migration[]): string {
  const packing = [pgliteVersion(), ...INITDB_FLAGS, ...START_FLAGS, ...REMOVE_OTHERS];
  return sha256([...packing, ...migrations.map(({ name, digest }) => `${name} ${digest}`)].join('\n'));
}

// The package exports no package.json, so its entry leads there.
function pgliteVersion(): string {
  const require = createRequire(import.meta.url);
  const entry = dirname(require.resolve('@electric-sql/pglite'));
  return (require(join(entry, '..', 'package.json')) as { readonly version: string }).version;
}

async function isFresh(template_file: string, digest: string): Promise<boolean> {
  try {
    const [noted] = await Promise.all([readFile(`${template_file}.digest`, 'utf8'), readFile(template_file)]);
    return noted.trim() === digest;
  } catch {
    return false;
  }
}

async function packTemplate(migrations: readonly Migration[]): Promise<Uint8Array> {
  const pglite = await PGlite.create({
    initDbStartParams: INITDB_FLAGS,
    startParams: [...PGlite.defaultStartParams, ...START_FLAGS],
  });
  const about = { description: 'template', is_exclusive: true, is_kept: false, release: async () => {} };
  const database = openDatabase(new EmbeddedSession(pglite).toPoolConfig(), about);
  try {
    const migrated = await migrate(database, migrations);
    if (!migrated.ok) throw new Error('a new database cannot be migrated');
    for (const statement of [...REMOVE_OTHERS, 'CHECKPOINT']) await pglite.exec(statement);
    const packed = await pglite.dumpDataDir('gzip');
    return new Uint8Array(await packed.arrayBuffer());
  } finally {
    await database.close();
    await pglite.close();
  }
}
