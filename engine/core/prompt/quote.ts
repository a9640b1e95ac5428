import { canonicalText } from '../content/canonical.js';
import type { Json } from '../../contract/json.js';
import { type Piece, structure, textOfPieces } from './origins.js';

/**
 * Text of the world in prompts. It is data: wherever it would begin a line of the prompt, the mark begins that line
 * instead, so that nothing in it can pass for a heading, a fence, a list entry or a message of the prompt's own.
 */

/** Begins each line of a prompt that text of the world would begin. */
export const QUOTE_MARK = '  | ';

/** Where a text is put: at the beginning of a line of the prompt, or behind other text of that line. */
export type QuotePlace = 'line_start' | 'in_line';

/** A text of the world: as it is where it is one line behind other text, else with the mark before each further line. */
export function quoteText(text: string, place: QuotePlace = 'in_line'): string {
  const quoted = escapeUnseen(text.replace(LINE_BREAK, `\n${QUOTE_MARK}`));
  return place === 'line_start' ? `${QUOTE_MARK}${quoted}` : quoted;
}

/** A name, always on one line. One that is more than words is written as a JSON string. */
export function quoteName(name: string): string {
  return PLAIN_NAME.test(name) ? name : escapeUnseen(JSON.stringify(name));
}

/** JSON on one line between fences, under a label. The fences are longer than every run of backticks in it. */
export function fenceJson(label: string, value: Json): string {
  const json = escapeUnseen(canonicalText(value));
  const fence = fenceAround(json);
  return `${fence}json ${label}\n${json}\n${fence}`;
}

/** The same for canonical JSON in pieces. */
export function fencePieces(label: string, pieces: readonly Piece[]): readonly Piece[] {
  const json = pieces.map(({ text, origins }) => ({ text: escapeUnseen(text), origins }));
  const fence = fenceAround(textOfPieces(json));
  return [structure(`${fence}json ${label}\n`), ...json, structure(`\n${fence}`)];
}

function fenceAround(json: string): string {
  const runs = json.match(/`{3,}/g) ?? [];
  return runs.reduce((longest, run) => (run.length < longest.length ? longest : `${run}\``), '```');
}

/** The last line of a prompt once a text is added to it. */
export function lastLineAfter(line: string, text: string): string {
  const [last = '', ...before] = text.split(LINE_BREAK).toReversed();
  return before.length > 0 ? last : line + last;
}

const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

const PLAIN_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} '’.,&()-]*$/u;

/**
 * Control characters other than tab and line feed, line separators, and characters that reorder text or are never
 * drawn: marks of direction, the byte order mark, tag characters.
 */
const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

/** Writes unseen characters as `\uXXXX`. In JSON that means the same character; in other text it shows that there is one. */
export function escapeUnseen(text: string): string {
  return text.replace(UNSEEN, (character) =>
    Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  );
}
