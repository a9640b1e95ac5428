import { createHash } from 'node:crypto';
import type { Connections, OpenDatabase } from '../../../../engine/store/database.js';

/** Runs a statement: a database, or the connection of a transaction. */
export type Runner = Pick<OpenDatabase, 'query'>;

/** Values by column. */
type Columns = Readonly<Record<string, unknown>>;

/** Inserts one row, by a statement that is parsed once. */
export async function insert(runner: Runner, table: string, columns: Columns): Promise<void> {
  const names = Object.keys(columns);
  const places = names.map((_name, index) => `$${index + 1}`);
  const text = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`;
  await runner.query({ name: toName(text), text, values: Object.values(columns) });
}

/** Changes the row with an id, by a statement that is parsed once. */
export async function update(runner: Runner, table: string, id: string, columns: Columns): Promise<void> {
  const changes = Object.keys(columns).map((name, index) => `${name} = $${index + 2}`);
  const text = `UPDATE ${table} SET ${changes.join(', ')} WHERE id = $1`;
  await runner.query({ name: toName(text), text, values: [id, ...Object.values(columns)] });
}

/** PostgreSQL keeps 63 characters of a statement's name, so a hash keeps long names distinct. */
function toName(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Runs work in one transaction, which a throw ends with its connection. */
export async function inOne<Value>(pool: Connections, work: (client: Runner) => Promise<Value>): Promise<Value> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const value = await work(client);
    await client.query('COMMIT');
    client.release();
    return value;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
