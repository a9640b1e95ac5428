import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { loadMigrations, migrate } from '../engine/store/migrations.js';
import { openServer } from '../engine/store/server.js';
import { must } from './must.js';
import { startPostgres, type TestServer, toUrls } from './postgres-server.js';

/** Folders of `test/` whose files open databases on a PostgreSQL server. */
const SERVED = [
  'acceptance',
  'browser',
  'chaos',
  'documents-',
  'doorbells',
  'operations',
  'runtime',
  'store',
  'surfaces',
];

/** A server that test files share, if they want one. */
export interface Shared {
  /** The variables by which test files find the server. */
  readonly variables: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

/**
 * One PostgreSQL with one migrated template for all files that want one: a start for each costs more than many tests. It is
 * the server that `CHUKWA_TEST_DATABASE_URL` names, which is left as it was, or one that is started here.
 */
export async function shareServer(files: readonly string[]): Promise<Shared> {
  const given = process.env['CHUKWA_TEST_DATABASE_URL'];
  const wanting = files.filter((file) => SERVED.some((folder) => file.startsWith(join('test', folder))));
  if (given === undefined && wanting.length < 2) return { variables: {}, stop: async () => {} };
  const started = given === undefined ? await startPostgres() : undefined;
  const server = started ?? { url: toUrls(given ?? '') };
  const template = `chukwa_template_${process.pid}`;
  await makeTemplate(server, template, fileURLToPath(new URL('../migrations', import.meta.url)));
  const variables = { CHUKWA_TEST_DATABASE_URL: server.url('postgres'), CHUKWA_TEST_TEMPLATE: template };
  return { variables, stop: started?.stop ?? (() => sendTo(server, `DROP DATABASE ${template}`)) };
}

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
