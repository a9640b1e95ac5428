import type { OpenDatabase } from './database.js';

/** Keeps statements fast as a database grows. */
export interface Upkeep {
  /** Called after every attempt that has ended; now and then it does something. */
  attemptEnded(): Promise<void>;
}

const FIRST = 16;
const GROWTH = 4;

/**
 * A server counts its rows by itself and plans its statements anew. An embedded database has no such process: a plan
 * made while the tables were empty would stay for the whole session, and would scan tables that have grown since. So
 * its rows are counted after 16 attempts, and again whenever four times as many have ended.
 */
export function openUpkeep({ is_exclusive, query }: Pick<OpenDatabase, 'is_exclusive' | 'query'>): Upkeep {
  let ended = 0;
  let next = FIRST;
  return {
    attemptEnded: async () => {
      ended += 1;
      if (!is_exclusive || ended < next) return;
      next *= GROWTH;
      await query('ANALYZE');
    },
  };
}
