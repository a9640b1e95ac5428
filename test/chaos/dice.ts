/** Numbers that look random and follow from a seed. */
export interface Dice {
  readonly seed: number;
  /** A whole number from 0 up to this. */
  below(limit: number): number;
}

/** Dice of the seed that `CHUKWA_CHAOS_SEED` names, or of always the same. Tests that throw them say the seed in their names. */
export function openDice(): Dice {
  const seed = Number(process.env['CHUKWA_CHAOS_SEED'] ?? 1);
  let state = seed >>> 0;
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, below: (limit) => Math.floor(next() * limit) };
}
