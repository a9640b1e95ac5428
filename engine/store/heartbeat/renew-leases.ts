import type { AttemptLease } from '../../ports/attempts.js';
import { prepare, run, type Runner } from '../statement.js';

// A row that another transaction holds at this moment is skipped, for one frozen client must not cost all others their
// leases; the next beat renews it.
const RENEW_ALL = prepare(
  'renew_leases',
  `WITH kept AS (
     SELECT world_slug COLLATE "C" AS world_slug, attempt_id, epoch, place
     FROM unnest(:world_slugs::text[], :attempt_ids::uuid[], :epochs::bigint[])
       WITH ORDINALITY AS row (world_slug, attempt_id, epoch, place)),
   held AS (
     SELECT place FROM kept JOIN worlds USING (world_slug)
     WHERE lease_epoch = epoch AND lease_attempt_id = attempt_id),
   free AS (
     SELECT worlds.world_slug FROM kept JOIN worlds USING (world_slug)
     WHERE lease_epoch = epoch AND lease_attempt_id = attempt_id FOR NO KEY UPDATE OF worlds SKIP LOCKED),
   renewed AS (
     UPDATE worlds SET lease_until = clock_timestamp() + :lease_ms::int * interval '1 millisecond'
     FROM free WHERE worlds.world_slug = free.world_slug)
   SELECT place::int FROM kept WHERE place NOT IN (SELECT place FROM held)`,
);

/**
 * Extends leases to so many milliseconds from now: one statement for all of a process.
 * @returns those of worlds that another process has
 */
export async function renewLeases(
  runner: Runner,
  leases: readonly AttemptLease[],
  lease_ms: number,
): Promise<readonly AttemptLease[]> {
  const rows = await run<{ place: number }>(runner, RENEW_ALL, {
    world_slugs: leases.map(({ world_slug }) => world_slug),
    attempt_ids: leases.map(({ attempt_id }) => attempt_id),
    epochs: leases.map(({ epoch }) => epoch),
    lease_ms,
  });
  const lost = new Set(rows.map(({ place }) => place));
  return leases.filter((_lease, index) => lost.has(index + 1));
}
