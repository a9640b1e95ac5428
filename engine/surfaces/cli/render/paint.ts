import picocolors from 'picocolors';
import { unreachable } from '../../../contract/unreachable.js';
import type { Line, Span } from './line.js';
import { neutralise } from './neutralise.js';

/** The capabilities of the output. */
export interface Canvas {
  readonly width: number;
  readonly has_colours: boolean;
}

/** Keeps words together until lines are broken; plain text that people search has none. */
const NO_BREAK_SPACE = '\u00a0';

/** Lines as text. This is the only way from data to a terminal: no control character of a span passes. */
export function paint(lines: readonly Line[], canvas: Canvas): string {
  const palette = picocolors.createColors(canvas.has_colours);
  return lines
    .flatMap((line) => (line.below && canvas.width < line.below.columns ? line.below.lines : [line]))
    .flatMap((line) => wrap(line, canvas.width))
    .map((line) => `${line.spans.map((span) => colour(palette, span)).join('')}\n`)
    .join('');
}

function colour(palette: ReturnType<typeof picocolors.createColors>, { text, tone }: Span): string {
  const safe = neutralise(text).replaceAll(NO_BREAK_SPACE, ' ');
  switch (tone) {
    case undefined:
      return safe;
    case 'strong':
      return palette.bold(safe);
    case 'faint':
      return palette.dim(safe);
    case 'good':
      return palette.green(safe);
    case 'bad':
      return palette.red(safe);
    case 'accent':
      return palette.cyan(safe);
    default:
      return unreachable(tone);
  }
}

/** Wraps a line between words to a width. A word that is longer by itself is kept whole. */
export function wrap(line: Line, width: number): readonly Line[] {
  const { hang } = line;
  if (hang === undefined) return [line];
  const rows: Span[][] = [[]];
  let column = 0;
  for (const word of line.spans.flatMap(toWords)) {
    const breaks = column > hang && column + lengthOf(word.text.trimEnd()) > width && word.text.startsWith(' ');
    const piece = breaks ? { ...word, text: word.text.trimStart() } : word;
    if (breaks) rows.push(piece.text === '' ? [] : [{ text: ' '.repeat(hang) }]);
    column = (breaks ? hang : column) + lengthOf(piece.text);
    rows.at(-1)?.push(piece);
  }
  return rows
    .map((spans) => ({ spans: withoutTrail(joinEqual(spans)) }))
    .filter(({ spans }, index) => index === 0 || spans.length > 0);
}

/** Words, each with the spaces before it. A no-break space separates nothing. */
function toWords(span: Span): readonly Span[] {
  const words = neutralise(span.text).match(/ *[^ ]+| +$/g) ?? [];
  return words.map((text) => ({ ...span, text }));
}

/** Neighbours of one tone as one piece. */
function joinEqual(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last === undefined || last.tone !== span.tone) joined.push(span);
    else joined.splice(-1, 1, { ...last, text: last.text + span.text });
  }
  return joined;
}

function withoutTrail(spans: readonly Span[]): readonly Span[] {
  const last = spans.findLastIndex((span) => span.text.trim() !== '');
  return spans
    .slice(0, last + 1)
    .map((span, index) => (index === last ? { ...span, text: span.text.trimEnd() } : span));
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
