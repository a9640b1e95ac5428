import pg from 'pg';
import { startPostgres } from '../postgres-server.js';

/** Connects to a database. End it. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Does something with a connection of its own. */
export async function withClient<Value>(url: string, task: (client: pg.Client) => Promise<Value>): Promise<Value> {
  const client = await connect(url);
  try {
    return await task(client);
  } finally {
    await client.end();
  }
}

/** Makes fresh databases. @param purpose part of the name */
export type MakeDatabase = (purpose: string) => Promise<string>;

/**
 * Does something with fresh databases: on the server that `CHUKWA_BENCH_DATABASE_URL` names, else on one that is started
 * for it and flushes its commits.
 */
export async function withDatabases<Value>(task: (make: MakeDatabase) => Promise<Value>): Promise<Value> {
  const given = process.env['CHUKWA_BENCH_DATABASE_URL'];
  const own = given === undefined ? await startPostgres({ is_durable: true }) : undefined;
  const made: string[] = [];
  const server = await connect(given ?? own?.url('postgres') ?? '');
  try {
    return await task(async (purpose) => {
      const name = `chukwa_bench_${process.pid}_${purpose.replaceAll(/\W/g, '_')}`;
      await server.query(`CREATE DATABASE ${name}`);
      made.push(name);
      if (given === undefined) return own?.url(name) ?? '';
      const url = new URL(given);
      url.pathname = `/${name}`;
      return url.href;
    });
  } finally {
    for (const name of made) await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await server.end();
    await own?.stop();
  }
}
