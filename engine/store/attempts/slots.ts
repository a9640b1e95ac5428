import type { Parameter } from '../statement.js';

// A statement that writes several calls has a slot for each. The clauses of a call are written once, as if it had the
// statement for itself: there `@name` is a CTE of the slot and `:name` a parameter of it.

/** What all slots share. */
const SHARED: readonly string[] = ['world_slug', 'attempt_id', 'attempted_turn', 'epoch'];

/** A clause as it stands in a slot: its CTEs and its parameters have names of their own there. */
export function atSlot(clause: string, slot: number): string {
  return clause
    .replace(/@([a-z_]+)/g, (_place, cte: string) => `${cte}_${slot}`)
    .replace(/(?<![:\w]):([a-z][a-z_]*)/g, (place, parameter: string) =>
      isShared(parameter) ? place : `${place}_${slot}`,
    );
}

/** The values of a clause's parameters, as the statement names them in a slot. */
export function valuesAtSlot(values: Readonly<Record<string, Parameter>>, slot: number): Record<string, Parameter> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${name}_${slot}`, value]));
}

function isShared(parameter: string): boolean {
  return SHARED.includes(parameter);
}
