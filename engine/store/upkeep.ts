import type { OpenDatabase } from './database.js';

/** Keeps statements fast as a database grows. */
interface Upkeep {
  /** Called after every attempt that has ended; now and then it does something. */
  attemptEnded(): Promise<void>;
}

/** How many attempts end between two looks. */
const LOOK = 16;
const GROWTH = 4;
/** A longer log is freed at the next look. Less than 64 MB is written again in a fraction of a second, after a crash. */
const LOG_BYTES_MAX = 67_108_864;

const LOG_BYTES = 'SELECT pg_current_wal_insert_lsn() - redo_lsn AS bytes FROM pg_control_checkpoint()';

/**
 * A server counts its rows by itself, plans its statements anew, and reuses its log. An embedded database has no such
 * processes. A plan made while the tables were empty would stay for the whole session, and would scan tables that have
 * grown since: its rows are counted after 16 attempts, and again whenever four times as many have ended. And its log
 * would grow until it is closed: a checkpoint frees it.
 */
export function openUpkeep({ is_exclusive, query }: Pick<OpenDatabase, 'is_exclusive' | 'query'>): Upkeep {
  let ended = 0;
  let next_count = LOOK;
  return {
    attemptEnded: async () => {
      ended += 1;
      if (!is_exclusive || ended % LOOK !== 0) return;
      if (ended === next_count) {
        next_count *= GROWTH;
        await query('ANALYZE');
      }
      const { rows } = await query<{ bytes: string }>(LOG_BYTES);
      if (Number(rows[0]?.bytes) > LOG_BYTES_MAX) await query('CHECKPOINT');
    },
  };
}
