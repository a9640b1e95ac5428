/** Another driver took the world over; this one has written nothing since, and must stop. */
export class Overtaken extends Error {
  override name = 'Overtaken';
  override message = 'another driver has taken this world over';
}

/**
 * The result of a write that has landed.
 * @throws Overtaken where it did not
 */
export function demand<Result>(written: Result): Exclude<Result, 'overtaken'> {
  if (written === 'overtaken') throw new Overtaken();
  return written as Exclude<Result, 'overtaken'>;
}
