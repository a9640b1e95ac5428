/** Where a server tells its listeners of worlds in which something is to be done. */
export const WAKEUP_CHANNEL = 'chukwa_wakeup';

/**
 * A scalar query that rings for each world of a relation, once the transaction is committed. Where nothing became due
 * it costs nothing; where nobody listens, next to nothing.
 * @param relation a CTE with a column `world_slug`
 * @returns how many rings there were
 */
export function ringFor(relation: string): string {
  return `(SELECT count(pg_notify('${WAKEUP_CHANNEL}', world_slug::text)::text) FROM ${relation})`;
}
