import type { AttemptLease } from '../../ports/attempts.js';
import type { OpenDatabase } from '../database.js';
import { type Aftermath, handleAftermath } from '../inbox/aftermath.js';
import { promoteUnseen } from '../inbox/enqueue.js';
import type { HotStatement, Values } from '../statement.js';
import { demandWhole, type FencedRow, findHeld } from './fence.js';

/** Where attempts end. */
export type Ending = Pick<OpenDatabase, 'query' | 'pool' | 'ring'>;

/**
 * Runs the statement that ends an attempt, and its follow-up in the inbox. A turn that was queued while it waited is
 * found afterwards; only the last of a queue pays for that.
 * @returns its row; undefined where another driver has the world
 */
export async function endedRow<Row extends EndedRow>(
  database: Ending,
  statement: HotStatement,
  lease: AttemptLease,
  values: Values,
  slots?: readonly Values[],
): Promise<Row | undefined> {
  const row = await findHeld<Row>(database, statement, lease, values, slots);
  if (row === undefined) return undefined;
  demandWhole(statement, row);
  const { is_due, is_last } = row.is_waited_for === true ? await handleAftermath(database, lease) : row;
  if (is_due === true) database.ring([lease.world_slug]);
  if (is_last === true) await promoteUnseen(database, lease.world_slug);
  return row;
}

/** The row of a statement that ends an attempt: its changes to the inbox, or whether there is anything to do. */
export interface EndedRow extends FencedRow, Partial<Aftermath> {
  readonly is_waited_for?: boolean;
}
