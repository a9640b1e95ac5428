/** A mean with the interval that it may be in: a row of a plot. */
export interface IntervalRow {
  readonly label: string;
  readonly mean: number;
  /** Null where too few runs say how sure it is. */
  readonly interval: readonly [low: number, high: number] | null;
  /** How many runs it is of. */
  readonly n: number;
  /** Single values, drawn faintly. */
  readonly values?: readonly number[];
}

/** Rows on one scale. */
export interface IntervalPlot {
  readonly title: string;
  /** Whether 0 is marked: rows are differences. */
  readonly has_zero: boolean;
  readonly rows: readonly IntervalRow[];
}

const MARGIN = 0.06;

/** The scale that holds all rows of a plot, with a little room, from 0 to 1. */
export function scaleOf({ rows, has_zero }: IntervalPlot): (value: number) => number {
  const all = rows.flatMap(({ mean, interval, values = [] }) => [mean, ...(interval ?? []), ...values]);
  const [least, most] = [Math.min(...all, ...(has_zero ? [0] : [])), Math.max(...all, ...(has_zero ? [0] : []))];
  const room = most === least ? 1 : (most - least) * MARGIN;
  return (value) => (value - least + room) / (most - least + 2 * room);
}

/** A number of a study as people read it: four digits that count. */
export function toFigure(value: number): string {
  return Number(value.toPrecision(4)).toLocaleString('en-US', { maximumFractionDigits: 6 });
}

/** `6.8 to 7.6`; nothing for none. */
export function toRange(interval: readonly [low: number, high: number] | null): string | null {
  return interval && `${toFigure(interval[0])} to ${toFigure(interval[1])}`;
}

const COLUMNS = 41;

/** The rows of a plot as lines of text. */
export function toBars(plot: IntervalPlot): string {
  const scale = scaleOf(plot);
  const at = (value: number): number => Math.min(COLUMNS - 1, Math.max(0, Math.round(scale(value) * (COLUMNS - 1))));
  const width = Math.max(...plot.rows.map(({ label }) => label.length));
  const lines = plot.rows.map(({ label, mean, interval }) => {
    const marks = Array.from({ length: COLUMNS }, () => ' ');
    if (plot.has_zero) marks[at(0)] = ':';
    if (interval !== null) {
      for (let place = at(interval[0]); place <= at(interval[1]); place += 1) marks[place] = '-';
      marks[at(interval[0])] = '[';
      marks[at(interval[1])] = ']';
    }
    marks[at(mean)] = 'o';
    return `${label.padEnd(width)}  ${marks.join('')}  ${toFigure(mean)}`;
  });
  return lines.join('\n');
}
