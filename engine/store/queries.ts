import type { Compilable, Kysely, RawBuilder, Sql } from 'kysely';
import { type HotStatement, type Runner, run, toHotStatement, type Values } from './statement.js';
import type { DB } from './tables.js';

/** What a query is built with. */
export interface Building {
  /** Begins a query of a table, or of another query. */
  readonly from: Kysely<DB>['selectFrom'];
  readonly sql: Sql;
  /** A constant: it stands in the text, for plans and partial indexes do not know the value of a parameter. */
  readonly lit: <const Value>(value: Value) => RawBuilder<Value>;
}

type Build<Given, Row> = (building: Building, given: Given) => Compilable<Row>;

/** Names a world: what is most often given. */
export interface InWorld {
  readonly world_slug: string;
}

export interface InAttempt extends InWorld {
  readonly attempt_id: string;
}

/**
 * A query of what people read, typed by the tables; it is built at its first use, and prepared as a statement in text is.
 * @param build sees of what is given only whether it is undefined: values are parameters
 * @returns what runs it and gives its rows
 */
export function query<Given extends object, Row>(build: Build<Given, Row>) {
  const statements = new Map<string, HotStatement>();
  return async (runner: Runner, given: Given): Promise<readonly Row[]> => {
    const values = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Values;
    const shape = Object.keys(values).join();
    const statement = statements.get(shape) ?? toStatement(build, await (building ??= openBuilding()), values);
    statements.set(shape, statement);
    return run<Row & object>(runner, statement, values);
  };
}

function toStatement<Given>(build: Build<Given, unknown>, tools: Building, values: Values): HotStatement {
  // While it is built, a symbol stands for each value.
  const given = Object.fromEntries(Object.keys(values).map((name) => [name, Symbol(name)]));
  const { sql, parameters } = build(tools, given as Given).compile();
  const places = parameters.map((place) => {
    if (typeof place === 'symbol') return { name: place.description ?? '', slot: undefined };
    throw new Error(`a constant of a query is no parameter: write lit(${JSON.stringify(place)})`);
  });
  return toHotStatement('read', sql, places);
}

let building: Promise<Building> | undefined;

/** Loaded from disk at the first query: that takes half as long as a start, and commands that run turns ask none. */
async function openBuilding(): Promise<Building> {
  const { Kysely: Builder, PostgresDialect, sql } = await import('kysely');
  // It only builds: each query is run by the runner of its reader.
  const pool = () => Promise.reject(new Error('a query is run by what `query` returns'));
  const db = new Builder<DB>({ dialect: new PostgresDialect({ pool }) });
  return { from: db.selectFrom.bind(db), sql, lit: sql.lit };
}
