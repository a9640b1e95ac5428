import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { sha256 } from '../core/content/sha256.js';

/** A statement's parameter. Text is sent as it is: pass text from outside through `toStoredText` first. */
export type Parameter = null | boolean | number | string | Uint8Array | readonly number[] | readonly string[];

/** A statement of a hot path: written once, parsed by each session once, run with the values of its `:names`. */
export interface HotStatement {
  readonly name: string;
  readonly text: string;
  readonly parameters: readonly Place[];
}

/** A parameter of a statement, or of one of its slots, which are counted from 1. */
interface Place {
  readonly name: string;
  readonly slot: number | undefined;
}

export type Values = Readonly<Record<string, Parameter>>;

/**
 * Reads the places of parameters out of a statement: `:name`, and `:name@2` for a parameter of the second slot.
 * A session knows the statement by a name derived from its text, so two texts never share one.
 * @param label its name in the server's logs; it need not be unique
 */
export function prepare(label: string, text: string): HotStatement {
  const places = new Map<string, Place>();
  const numbered = text.replace(PLACE, (place, parameter: string, slot?: string) => {
    if (!places.has(place)) places.set(place, { name: parameter, slot: slot === undefined ? undefined : Number(slot) });
    return `$${[...places.keys()].indexOf(place) + 1}`;
  });
  return toHotStatement(label, numbered, [...places.values()]);
}

/** A statement by its numbered text. PostgreSQL reads the first 63 bytes of a name. */
export function toHotStatement(label: string, text: string, parameters: HotStatement['parameters']): HotStatement {
  return { name: `chukwa_${label.slice(0, 39)}_${sha256(text).slice(0, 16)}`, text, parameters };
}

const PLACE = /(?<![:\w]):([a-z][a-z_0-9]*)(?:@(\d+))?/g;

/** A database, or the connection of a transaction. */
export interface Runner {
  query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]): Promise<QueryResult<Row>>;
}

/**
 * Runs a statement once.
 * @param slots the values of each slot, where it has any
 * @returns its rows
 * @throws Error on a missing value, and every error of the database
 */
export async function run<Row extends object>(
  runner: Runner,
  statement: HotStatement,
  values: Values,
  slots: readonly Values[] = [],
): Promise<readonly Row[]> {
  const result = await runner.query<Row>({
    name: statement.name,
    text: statement.text,
    values: statement.parameters.map(({ name, slot }) => {
      const value = (slot === undefined ? values : slots[slot - 1])?.[name];
      if (value === undefined) throw new Error(`statement ${statement.name} lacks a value for :${name}`);
      return toParameter(value);
    }),
  });
  return result.rows;
}

function toParameter(value: Parameter): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

/** Milliseconds since 1970 as a `timestamptz` parameter. */
export function toTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
