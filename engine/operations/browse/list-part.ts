import type { Problem } from '../../contract/problem.js';
import { isUuid } from '../../core/content/uuid.js';
import type { ListPart } from '../../ports/browse.js';
import { type Done, refuse } from '../engine.js';

const LIMIT = 50;
const LIMIT_MAX = 200;

/** What a reader of a list wrote: `limit` and `after`. */
export interface WantedPart {
  readonly limit?: string;
  readonly after?: string;
}

/** Rows, and where the next part of the list begins. */
export interface Part<Row> {
  readonly rows: readonly Row[];
  /** The cursor of the next part; null at the end. */
  readonly next: string | null;
}

/**
 * Reads one part of a long list.
 * @param read gives the rows after the cursor
 * @param keyOf gives the id of a row, which is the cursor after it
 * @returns a refusal of a limit or a cursor that cannot be used
 */
export async function readPart<Row>(
  wanted: WantedPart,
  read: (part: ListPart) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
): Promise<Done<Part<Row>>> {
  const { limit = String(LIMIT), after } = wanted;
  if (!/^\d{1,6}$/.test(limit) || Number(limit) < 1 || Number(limit) > LIMIT_MAX) return refuse(limitInvalid(limit));
  if (after !== undefined && !isUuid(after)) return refuse(cursorInvalid(after));
  const most = Number(limit);
  const rows = await read({ limit: most + 1, ...(after === undefined ? {} : { after }) });
  const shown = rows.slice(0, most);
  const last = shown.at(-1);
  return { ok: true, value: { rows: shown, next: rows.length > most && last !== undefined ? keyOf(last) : null } };
}

function limitInvalid(limit: string): Problem {
  return {
    code: 'LIMIT_INVALID',
    message: `${JSON.stringify(limit.slice(0, 40))} is no limit of a list.`,
    repair: `Write a number from 1 to ${LIMIT_MAX}, or leave it out for ${LIMIT}.`,
  };
}

function cursorInvalid(after: string): Problem {
  return {
    code: 'CURSOR_INVALID',
    message: `${JSON.stringify(after.slice(0, 40))} is no cursor of this list.`,
    repair: 'Write the "next" of the part before, or leave it out for the newest.',
  };
}

/**
 * A turn as a reader wrote it.
 * @returns undefined where it is left out, a refusal where it is no whole number
 */
export function toTurn(text: string | undefined): Done<number | undefined> {
  if (text === undefined) return { ok: true, value: undefined };
  if (/^\d{1,9}$/.test(text)) return { ok: true, value: Number(text) };
  return refuse({
    code: 'TURN_INVALID',
    message: `${JSON.stringify(text.slice(0, 40))} is no turn.`,
    repair: 'Write a whole number, such as 0.',
  });
}
