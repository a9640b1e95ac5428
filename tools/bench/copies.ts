import type pg from 'pg';
import { describeTables } from '../../engine/store/transfer/tables.js';

/** Values of columns, or of those of one table, in a copy: SQL over the `original` row and the number of the `copy`. */
type Changes = Readonly<Record<string, string>>;

/** Copies of a world, each of a name and with ids of its own: those of the original with the number in their first digits. */
const OF_A_WORLD: Changes = { world_slug: `'copy-' || copy`, root_world_slug: `'copy-' || copy` };
const ID = (column: string): string =>
  `overlay(original.${column}::text PLACING lpad(to_hex(copy), 8, '0') FROM 1 FOR 8)::uuid`;

/**
 * Copies the rows that a world has in some tables. Triggers and foreign keys are left out: they look at each row, and these
 * rows satisfy them as far as anybody reads.
 * @param numbers the first copy and the last
 */
export async function copyRows(
  database: pg.Client,
  world_slug: string,
  tables: readonly string[],
  [first, last]: readonly [number, number],
  changes: Changes = {},
): Promise<void> {
  await database.query('SET session_replication_role = replica; SET synchronous_commit = off');
  for (const { name, columns } of await describeTables(database, tables)) {
    const values = columns.map(({ name: column, type }) => {
      const kept = type === 'uuid' ? ID(column) : `original.${column}`;
      return changes[`${name}.${column}`] ?? changes[column] ?? OF_A_WORLD[column] ?? kept;
    });
    await database.query(
      `INSERT INTO ${name} (${columns.map((column) => column.name).join(', ')}) OVERRIDING SYSTEM VALUE
       SELECT ${values.join(', ')} FROM ${name} AS original, generate_series($1::int, $2::int) AS copy
       WHERE original.world_slug = $3`,
      [first, last, world_slug],
    );
  }
  await database.query('SET session_replication_role = origin');
}
