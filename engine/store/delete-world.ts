import { inTransaction, type OpenDatabase } from './database.js';
import { prepare, run, type Runner } from './statement.js';
import { WORLD_TABLES } from './transfer/tables.js';

const LOCK = prepare(
  'lock_world_to_delete',
  `SELECT lease_host AS host, lease_pid AS pid, lease_attempt_id AS attempt_id, lease_until
   FROM worlds WHERE world_slug = :world_slug AND lease_until > clock_timestamp()
   FOR UPDATE`,
);

const FIND = prepare('find_world_to_delete', 'SELECT FROM worlds WHERE world_slug = :world_slug FOR UPDATE');

const FORKS = prepare(
  'list_forks',
  'SELECT world_slug FROM world_lineage WHERE ancestor_slug = :world_slug ORDER BY world_slug',
);

/**
 * Deletes a world with all that is recorded of it: one transaction, in which its rows may go. Documents, and texts that
 * worlds share, stay. A world with forks or a driver is not deleted.
 */
export function deleteWorld({ pool }: Pick<OpenDatabase, 'pool'>, world_slug: string) {
  return inTransaction(pool, async (client) => {
    if ((await run(client, FIND, { world_slug })).length === 0) return { kind: 'unknown_world' } as const;
    const [held] = await run<{ host: string; pid: number; attempt_id: string; lease_until: string }>(client, LOCK, {
      world_slug,
    });
    if (held !== undefined) return { kind: 'held', ...held, until: Date.parse(held.lease_until) } as const;
    const forks = await run<{ world_slug: string }>(client, FORKS, { world_slug });
    if (forks.length > 0) return { kind: 'has_forks', forks: forks.map((fork) => fork.world_slug) } as const;
    return { kind: 'deleted', rows: await deleteRows(client, world_slug) } as const;
  });
}

async function deleteRows(client: Runner, world_slug: string): Promise<number> {
  await client.query('SET CONSTRAINTS ALL DEFERRED');
  // The triggers that keep rows let them go within this transaction. The right to delete is still checked.
  await client.query('SET LOCAL chukwa.deletes_world = on');
  let rows = 0;
  for (const table of WORLD_TABLES)
    rows += (await client.query(`DELETE FROM ${table} WHERE world_slug = $1`, [world_slug])).rowCount ?? 0;
  return rows;
}
