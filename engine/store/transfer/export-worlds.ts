import type { PoolClient } from 'pg';
import type { Exported, OpenAttempt } from '../../ports/transfer.js';
import { inTransaction, type OpenDatabase } from '../database.js';
import { describeTables, selectLines } from './tables.js';
import { type FileEnd, type FileHead, FORM_VERSION, openDigest } from './world-file.js';

/** Rows that are in memory at a time. */
const FETCHED_ROWS = 64;

/** Writes lines, and knows what has been written. */
type Write = (line: string) => Promise<void>;

/** Exports worlds and their ancestors in one snapshot, which blocks nobody. */
export function exportWorlds(
  database: Pick<OpenDatabase, 'pool'>,
  world_slugs: readonly string[],
  write: Write,
): Promise<Exported> {
  return inTransaction(database.pool, async (client): Promise<Exported> => {
    // The reader of the lines may be slow.
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const worlds = await listFamily(client, world_slugs);
    const unknown = world_slugs.find((slug) => !worlds.includes(slug));
    if (unknown !== undefined) return { kind: 'unknown_world', world_slug: unknown };
    const attempt = await findOpen(client, worlds);
    if (attempt !== undefined) return { kind: 'under_way', attempt };
    return { kind: 'exported', worlds, rows: await writeAll(client, worlds, write) };
  });
}

async function listFamily(client: PoolClient, world_slugs: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ world_slug: string }>(
    `SELECT world_slug FROM worlds
     WHERE world_slug = ANY ($1)
       OR world_slug IN (SELECT ancestor_slug FROM world_lineage WHERE world_slug = ANY ($1))
     ORDER BY world_slug`,
    [world_slugs],
  );
  return rows.map(({ world_slug }) => world_slug);
}

async function findOpen(client: PoolClient, worlds: readonly string[]): Promise<OpenAttempt | undefined> {
  const { rows } = await client.query<OpenAttempt>(
    `SELECT world_slug, attempt_id, attempted_turn, status FROM attempts
     WHERE world_slug = ANY ($1) AND status IN ('running', 'suspended') ORDER BY world_slug LIMIT 1`,
    [worlds],
  );
  return rows[0];
}

async function writeAll(client: PoolClient, worlds: readonly string[], write: Write): Promise<number> {
  const digest = openDigest();
  const add: Write = async (line) => {
    digest.add(line);
    await write(line);
  };
  const head: FileHead = {
    format: 'chukwa worlds',
    version: FORM_VERSION,
    migration: await lastMigration(client),
    worlds,
  };
  await add(JSON.stringify(head));
  let rows = 0;
  for (const table of await describeTables(client)) {
    await client.query(`DECLARE lines NO SCROLL CURSOR FOR ${selectLines(table)}`, [worlds]);
    for (;;) {
      const fetched = await client.query<{ line: string }>(`FETCH ${FETCHED_ROWS} FROM lines`);
      for (const { line } of fetched.rows) await add(line);
      rows += fetched.rows.length;
      if (fetched.rows.length < FETCHED_ROWS) break;
    }
    await client.query('CLOSE lines');
  }
  await write(JSON.stringify({ rows, sha256: digest.close() } satisfies FileEnd));
  return rows;
}

/** The name of the last migration that a database has. */
export async function lastMigration(client: PoolClient): Promise<string> {
  const { rows } = await client.query<{ name: string }>('SELECT max(name) AS name FROM schema_migrations');
  return rows[0]?.name ?? '';
}
