import picocolors from 'picocolors';
import { unreachable } from '../../../contract/unreachable.js';
import type { Line, Span } from './line.js';
import { neutralise } from './neutralise.js';
import { wrap } from './wrap.js';

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
