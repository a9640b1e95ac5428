import type { DatabaseKind } from './databases.js';

/** How much is destroyed and drawn by chance: a selection by `npm test`, everything by `npm run test:chaos`. */
export const IS_THOROUGH = process.env['CHUKWA_CHAOS'] === 'all';

/** One of two extents. */
export function extent<Value>(some: Value, all: Value): Value {
  return IS_THOROUGH ? all : some;
}

/**
 * The databases of tests about what is done after a death: the recovery sends each database the same statements. `crash-points`
 * lets drivers die on both in every run.
 */
export const KINDS = extent<readonly DatabaseKind[]>(['PostgreSQL'], ['embedded', 'PostgreSQL']);
