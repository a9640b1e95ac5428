import type { OpenDatabase } from './database.js';

type OfDatabase = (database: OpenDatabase, ...given: never[]) => unknown;

/** Functions without their first argument. */
type Bound<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (
    database: OpenDatabase,
    ...given: infer Given
  ) => infer Result
    ? (...given: Given) => Result
    : never;
};

/** Gives functions of a database, of which each takes that first, the database. */
export function bind<Functions extends Readonly<Record<string, OfDatabase>>>(
  database: OpenDatabase,
  functions: Functions,
): Bound<Functions> {
  const bound = Object.entries(functions).map(([name, work]) => [name, work.bind(undefined, database)] as const);
  return Object.fromEntries(bound) as unknown as Bound<Functions>;
}
