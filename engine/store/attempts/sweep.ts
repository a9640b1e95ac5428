import type { Swept, SweepRequest } from '../../ports/attempts.js';
import { prepare, run, type Runner } from '../statement.js';
import { closeDeadAttempts } from './end-attempt.js';

// The lock is the one of a take-over: a driver that still lives waits at its fence, and then finds its lease gone.
// Worlds that somebody is taking at this moment are skipped; whoever takes them tidies up.
const LOCK_LAPSED = prepare(
  'lock_lapsed_worlds',
  `SELECT world_slug FROM worlds
   WHERE lease_attempt_id IS NOT NULL AND (:all::boolean OR lease_until <= clock_timestamp())
     AND world_slug IS DISTINCT FROM :except::text
   ORDER BY lease_until LIMIT :most::int
   FOR UPDATE SKIP LOCKED`,
);

const RETURN_LEASES = prepare(
  'return_leases',
  `UPDATE worlds SET lease_attempt_id = NULL, lease_host = NULL, lease_pid = NULL, lease_until = NULL
   WHERE world_slug = ANY(:world_slugs::text[])`,
);

/** Ends what drivers left whose lease has ended, or of all drivers, and gives their leases back. Demands a transaction. */
export async function sweepAttempts(
  transaction: Runner,
  request: SweepRequest & { readonly all: boolean },
): Promise<readonly Swept[]> {
  const lapsed = await run<{ world_slug: string }>(transaction, LOCK_LAPSED, {
    all: request.all,
    except: request.except ?? null,
    most: request.most ?? null,
  });
  if (lapsed.length === 0) return [];
  const world_slugs = lapsed.map(({ world_slug }) => world_slug);
  return takeBack(transaction, world_slugs, request.ended_at);
}

/** Ends what runs in these worlds and gives their leases back. Call it with their rows locked. */
export async function takeBack(
  transaction: Runner,
  world_slugs: readonly string[],
  ended_at: number,
): Promise<readonly Swept[]> {
  const swept = await closeDeadAttempts(transaction, world_slugs, ended_at);
  await run(transaction, RETURN_LEASES, { world_slugs });
  return swept;
}
