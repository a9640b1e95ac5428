/** How much is destroyed: a selection by `npm test`, everything by `npm run test:chaos`. */
export const IS_THOROUGH = process.env['CHUKWA_CHAOS'] === 'all';

/** One of two extents. */
export function extent<Value>(some: Value, all: Value): Value {
  return IS_THOROUGH ? all : some;
}
