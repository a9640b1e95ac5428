/** A part of a time line, in milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A gap without events, drawn narrower than to scale. */
interface Gap {
  readonly x: number;
  readonly width: number;
  readonly milliseconds: number;
}

export interface TimeScale {
  readonly x: (moment: number) => number;
  readonly gaps: readonly Gap[];
  readonly ticks: readonly { readonly x: number; readonly milliseconds: number }[];
}

/** How much of the width one of them takes. */
const GAP_WIDTH_PART = 0.05;
/** A gap collapses where it is longer than this part of the busy time. */
const GAP_PART = 0.25;
const TICKS = 6;

interface Piece extends Span {
  readonly x: number;
  readonly width: number;
  readonly is_gap: boolean;
}

/**
 * Computes a time scale; long gaps without events collapse.
 * @param spans at least one
 * @param area where it is drawn, in any unit
 */
export function layOutTime(spans: readonly Span[], area: { readonly x: number; readonly width: number }): TimeScale {
  const pieces = toPieces(mergeSpans(spans), area);
  const start = pieces[0]?.from ?? 0;
  const x = (moment: number): number => {
    const piece = pieces.find(({ to }) => moment <= to) ?? pieces.at(-1);
    if (piece === undefined) return area.x;
    const part = piece.to > piece.from ? (moment - piece.from) / (piece.to - piece.from) : 0;
    return piece.x + Math.min(1, Math.max(0, part)) * piece.width;
  };
  const gaps = pieces
    .filter(({ is_gap }) => is_gap)
    .map(({ x: left, width, from, to }) => ({ x: left, width, milliseconds: to - from }));
  return { x, gaps, ticks: toTicks(pieces, start, x) };
}

function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = merged.at(-1);
    if (last !== undefined && span.from <= last.to)
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else merged.push(span);
  }
  return merged;
}

function toPieces(busy: readonly Span[], area: { readonly x: number; readonly width: number }): readonly Piece[] {
  const total = Math.max(
    1,
    busy.reduce((sum, { from, to }) => sum + to - from, 0),
  );
  const drawn: (Span & { readonly is_gap: boolean })[] = [];
  for (const span of busy) {
    const last = drawn.at(-1);
    if (last !== undefined)
      drawn.push({ from: last.to, to: span.from, is_gap: span.from - last.to > total * GAP_PART });
    drawn.push({ ...span, is_gap: false });
  }
  const gaps = drawn.filter(({ is_gap }) => is_gap).length;
  const kept = drawn.reduce((sum, { from, to, is_gap }) => sum + (is_gap ? 0 : to - from), 0);
  const gap_width = Math.min(GAP_WIDTH_PART * area.width, area.width / (2 * Math.max(1, gaps)));
  const scale = (area.width - gaps * gap_width) / Math.max(1, kept);
  let left = area.x;
  return drawn.map((piece) => {
    const width = piece.is_gap ? gap_width : (piece.to - piece.from) * scale;
    left += width;
    return { ...piece, x: left - width, width };
  });
}

function toTicks(pieces: readonly Piece[], start: number, x: (moment: number) => number): TimeScale['ticks'] {
  const kept = pieces.filter(({ is_gap }) => !is_gap);
  const total = kept.reduce((sum, { from, to }) => sum + to - from, 0);
  const step = niceStep(Math.max(1, total) / TICKS);
  const ticks = kept.flatMap(({ from, to }) => {
    const first = Math.ceil((from - start) / step);
    const last = Math.floor((to - start) / step);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
  });
  return [...new Set(ticks)].map((milliseconds) => ({ milliseconds, x: x(start + milliseconds) }));
}

/** A place in percent of a width. More digits show nothing. */
export const toPercent = (percent: number): string => `${Math.round(percent * 100) / 100}%`;

/** A place in pixels. */
export const toTenth = (pixels: number): number => Math.round(pixels * 10) / 10;

/** The next step of 1, 2 or 5 times a power of ten. */
export function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}
