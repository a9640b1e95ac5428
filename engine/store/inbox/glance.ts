import type { Glance } from '../../ports/inbox.js';
import { prepare, run, type Runner } from '../statement.js';
import { IS_DUE } from './turn-message.js';

// Three looks at the first entry of an index each.
const GLANCE = prepare(
  'glance',
  `SELECT EXISTS (SELECT FROM agent_inbox WHERE ${IS_DUE}) AS is_due,
     EXISTS (SELECT FROM pending_calls WHERE is_awaited AND NOT is_timed_out AND deadline <= now())
       OR EXISTS (SELECT FROM approvals WHERE status = 'waiting' AND deadline <= now()) AS is_expired,
     EXISTS (
       SELECT FROM attempts JOIN worlds USING (world_slug)
       WHERE attempts.status = 'running'
         AND (lease_until IS NULL OR lease_until <= now() + :within_ms::int * interval '1 millisecond')) AS is_lapsing`,
);

/** Whether there may be anything to do: one statement, which costs an idle fleet next to nothing. */
export async function glance(runner: Runner, within_ms: number): Promise<Glance> {
  const [seen] = await run<Glance>(runner, GLANCE, { within_ms });
  if (seen === undefined) throw new Error('a glance answers with one row');
  return seen;
}
