import { setTimeout as pause } from 'node:timers/promises';
import { prepare, run, type Runner } from '../statement.js';

/** The channel on which a server notifies its listeners of worlds with work. */
export const WAKEUP_CHANNEL = 'chukwa_wakeup';

/** At most one notification is sent in so much time: it names all worlds that became due meanwhile. */
const BETWEEN_MS = 10;

// It writes nothing that must outlive a crash, so its commit waits for no disk.
const RING = prepare(
  'ring',
  `SELECT set_config('synchronous_commit', 'off', true), count(pg_notify('${WAKEUP_CHANNEL}', world_slug))
   FROM unnest(:world_slugs::text[]) AS due (world_slug)`,
);

/**
 * Opens a bell, which notifies the listeners of a server, never within the transaction behind the notice. A transaction
 * that notifies holds a lock of the whole server while it commits, so that commits which notify flush one after the
 * other: each transaction commits without it, and the bell notifies afterwards.
 */
export function openBell(runner: Runner) {
  const due = new Set<string>();
  const closing = new AbortController();
  let sending: Promise<void> | undefined;
  const send = async (): Promise<void> => {
    while (due.size > 0) {
      const world_slugs = [...due];
      due.clear();
      await run(runner, RING, { world_slugs }).catch(() => {});
      await pause(BETWEEN_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    }
    sending = undefined;
  };
  return {
    /** Does not wait. A notification that cannot be sent is lost, and costs its listeners one look at most. */
    ring(world_slugs: readonly string[]): void {
      for (const world_slug of world_slugs) due.add(world_slug);
      if (due.size > 0) sending ??= send();
    },
    /** Sends what is not sent yet, and ends. */
    async close(): Promise<void> {
      closing.abort();
      await sending;
    },
  };
}
