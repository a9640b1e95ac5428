import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { ListPart } from '../../ports/browse.js';

export const LIMIT = 50;
export const LIMIT_MAX = 200;

export interface WantedPart {
  readonly limit?: string;
  readonly after?: string;
}

export interface Part<Row> {
  readonly rows: readonly Row[];
  /** The cursor of the next part; null at the end. */
  readonly next: string | null;
}

type CursorForm = 'id' | 'name' | 'hash' | 'number' | 'effect' | 'entry' | 'order';

const CURSOR_FORMS: Readonly<Record<CursorForm, RegExp>> = {
  id: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  name: /^[a-z0-9._-]{1,256}$/,
  hash: /^[0-9a-f]{64}$/,
  number: /^\d{1,9}$/,
  effect: /^\d{1,9}\.\d{1,9}\.\d{1,9}$/,
  order: /^WO-SES-[0-9A-F]{8}-\d{3,9}$/,
  entry: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[a-z0-9_-]{1,64}\.\d{1,9}(\.prompt)?$/i,
};

export interface PartReader<Row> {
  readonly cursor: CursorForm;
  /** The cursor that a row is the last before. */
  readonly keyOf: (row: Row) => string;
  readonly read: (part: ListPart) => Promise<Outcome<readonly Row[]>>;
}

/**
 * Reads one part of a long list.
 * @returns a refusal of a limit or a cursor that cannot be used
 */
export async function readPart<Row>(
  { limit = String(LIMIT), after }: WantedPart,
  { cursor, keyOf, read }: PartReader<Row>,
): Promise<Outcome<Part<Row>>> {
  if (!/^\d{1,6}$/.test(limit) || Number(limit) < 1 || Number(limit) > LIMIT_MAX)
    return refuse(problem('LIMIT_INVALID', { limit, most: LIMIT_MAX, usual: LIMIT }));
  const wrong = findCursorProblem(cursor, after);
  if (wrong !== undefined) return refuse(wrong);
  const most = Number(limit);
  const found = await read(present({ limit: most + 1, after }));
  if (!found.ok) return found;
  const rows = found.value.slice(0, most);
  const last = rows.at(-1);
  return succeed({ rows, next: found.value.length > most && last !== undefined ? keyOf(last) : null });
}

/** The problem with a cursor of this form; none where it is absent. */
export function findCursorProblem(cursor: CursorForm, after: string | undefined): Problem | undefined {
  return after === undefined || CURSOR_FORMS[cursor].test(after) ? undefined : problem('CURSOR_INVALID', { after });
}

/** Parses a turn of a query. @returns undefined where it is absent, a refusal where it is no whole number */
export function toTurn(text: string | undefined): Outcome<number | undefined> {
  if (text === undefined) return succeed(undefined);
  return /^\d{1,9}$/.test(text) ? succeed(Number(text)) : refuse(problem('TURN_INVALID', { turn: text }));
}
