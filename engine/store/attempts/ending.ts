import type { AttemptLease } from '../../ports/attempts.js';
import type { OpenDatabase } from '../database.js';
import { IS_LAST } from '../inbox/aftermath.js';
import { promoteForgotten } from '../inbox/enqueue.js';
import type { HotStatement, Values } from '../statement.js';
import { demandWhole, type FencedRow, findHeld } from './fence.js';

/** Where attempts end. */
export type Ending = Pick<OpenDatabase, 'query' | 'pool' | 'ring'>;

/** What the statement that ends an attempt answers; `due`: how much of its world is due now. */
export const ENDED_ROW = `SELECT (SELECT count(*) FROM fence) AS held, (SELECT count(*) FROM due) AS due, ${IS_LAST} AS is_last`;

/**
 * Runs the statement that ends an attempt. A turn that was queued while it waited is looked for afterwards; only the
 * last of a queue pays for that.
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
  if (row.due > 0) database.ring([lease.world_slug]);
  if (row.is_last) await promoteForgotten(database, lease.world_slug);
  return row;
}

export interface EndedRow extends FencedRow {
  readonly due: number;
  readonly is_last: boolean;
}
