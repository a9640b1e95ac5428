import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../contract/json.js';
import type { FileRow } from './world-file.js';

/** The last migrations before the baseline. Worlds that were exported at one of them have its tables, but for `completeRow`. */
const BEFORE_BASELINE = /^003[0-6]_/;

export function isBeforeBaseline(migration: string): boolean {
  return BEFORE_BASELINE.test(migration);
}

/** What rows lack that were exported before the baseline, by table. */
const ADDED: Readonly<Record<string, (row: JsonObject) => JsonObject>> = {
  worlds: () => ({ request_mark: randomBytes(6).toString('hex') }),
  operator_actions: ({ acted_by }) => ({ surface: String(acted_by).startsWith('session ') ? 'browser' : 'http' }),
};

/** The line of a row with the members that the baseline demands. */
export function completeRow({ table, row }: FileRow): string {
  return JSON.stringify({ table, row: { ...ADDED[table]?.(row), ...row } });
}
