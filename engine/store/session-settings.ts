import type { Runner } from './statement.js';

/**
 * The settings that statements rely on: servers, databases and roles may have other defaults. Text formats decide what
 * is read from a row and stored as JSON; the isolation level decides what a statement sees after it waited for a lock. No
 * statement is worth several processes or a compiled plan: each reads few rows by an index, and starting processes or
 * compiling takes a hundred times as long.
 */
const SETTINGS = `
  SET datestyle = 'ISO, MDY';
  SET intervalstyle = 'postgres';
  SET timezone = 'UTC';
  SET bytea_output = 'hex';
  SET extra_float_digits = 1;
  SET array_nulls = on;
  SET standard_conforming_strings = on;
  SET default_transaction_isolation = 'read committed';
  SET max_parallel_workers_per_gather = 0;
  SET jit = off;
`;

/** Gives a new connection the settings that statements rely on: one round trip. */
export async function prepareSession(runner: Runner): Promise<void> {
  await runner.query(SETTINGS);
}
