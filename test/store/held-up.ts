import type { OutsideView } from '../support/databases.js';

/** Whether a write waits for a lock of PostgreSQL, or ends without. */
export async function isHeldUp(write: Promise<unknown>, outside: OutsideView): Promise<boolean> {
  const progress = { ended: false };
  void write.finally(() => {
    progress.ended = true;
  });
  for (;;) {
    if (progress.ended) return false;
    const [row] = await outside.query<{ waiting: boolean }>(
      `SELECT count(*) > 0 AS waiting FROM pg_stat_activity
       WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    );
    if (row?.waiting) return true;
  }
}
