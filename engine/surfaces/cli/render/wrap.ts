import type { Line, Span } from './line.js';
import { neutralise } from './neutralise.js';

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
