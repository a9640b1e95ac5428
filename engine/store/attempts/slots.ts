// A statement that writes several calls has a slot for each. The clauses of a call are written once, as if it had the
// statement for itself: there `@name` is a CTE of the slot, `:name` a parameter of it, and `@slot` its number.

/** The parameters that all slots share. */
const SHARED: readonly string[] = ['world_slug', 'attempt_id', 'attempted_turn', 'epoch'];

/** A clause as it is written in a slot, counted from 1: its CTEs and its parameters are its own there. */
export function atSlot(clause: string, slot: number): string {
  return clause
    .replace(/@slot\b/g, `${slot}`)
    .replace(/@([a-z_]+)/g, (_place, cte: string) => `${cte}_${slot}`)
    .replace(/(?<![:\w]):([a-z][a-z_]*)/g, (place, parameter: string) =>
      SHARED.includes(parameter) ? place : `${place}@${slot}`,
    );
}
