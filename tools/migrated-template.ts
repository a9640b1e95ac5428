import pg from 'pg';
import { loadMigrations, migrate } from '../engine/store/migrations.js';
import { openServer } from '../engine/store/server.js';
import type { TestServer } from './postgres-server.js';
import { must } from './must.js';

/**
 * Makes a migrated, empty database on a server: `CREATE DATABASE ... TEMPLATE` copies it in a fraction of the time.
 * @param server.url the address of one of its databases
 */
export async function makeTemplate(
  server: Pick<TestServer, 'url'>,
  template: string,
  migrations: string,
): Promise<void> {
  await sendTo(server, `CREATE DATABASE ${template}`);
  const database = must(await openServer(server.url(template)));
  must(await migrate(database, await loadMigrations(migrations)));
  await database.close();
}

/** Takes such a database from a server that lives on. */
export async function dropTemplate(server: Pick<TestServer, 'url'>, template: string): Promise<void> {
  await sendTo(server, `DROP DATABASE ${template}`);
}

/** Sends one statement to the server, by a connection of its own: none stays open for tests to wait for. */
export async function sendTo(server: Pick<TestServer, 'url'>, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
