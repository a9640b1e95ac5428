import picocolors from 'picocolors';
import { unreachable } from '../../../contract/unreachable.js';
import { type Line, type Lines, listLines, NO_BREAK_SPACE, type Span, unbroken } from './line.js';
import { neutralise } from './neutralise.js';

export interface Canvas {
  readonly width: number;
  readonly has_colours: boolean;
  /** The words that call this program, with which commands begin. */
  readonly program: string;
}

/** Lines as text. This is the only way from data to a terminal: no control character of a span passes. */
export function paint(lines: Lines, canvas: Canvas): string {
  const palette = picocolors.createColors(canvas.has_colours);
  return listLines(lines)
    .map((line) => withProgram(line, canvas.program))
    .flatMap((line) => (line.below && canvas.width < line.below.columns ? line.below.lines : [line]))
    .flatMap((line) => wrap(line, canvas.width))
    .map((line) => `${line.spans.map((span) => colour(palette, span)).join('')}\n`)
    .join('');
}

/** Says by which words the commands of a line are called. */
function withProgram(line: Line, program: string): Line {
  if (!line.spans.some(({ is_command }) => is_command)) return line;
  const { below } = line;
  const called = unbroken(`${program} `);
  const spans = line.spans.map((span) => (span.is_command ? { ...span, text: `${called}${span.text}` } : span));
  if (below === undefined) return { ...line, spans };
  const columns = below.columns + program.length + 1;
  return { ...line, spans, below: { columns, lines: below.lines.map((each) => withProgram(each, program)) } };
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
