import { type IntervalPlot, type IntervalRow, scaleOf, toFigure, toRange } from '../../../catalogue/interval-scale.js';
import { type Html, html, NOTHING } from '../html.js';
import { toTenth } from './time-scale.js';

const WIDTH = 640;
const LABEL = 190;
const VALUE = 150;
const ROW = 30;
const TOP = 8;

/** Means with their intervals, on one scale for each plot. */
export function intervalPlots(plots: readonly IntervalPlot[]): Html {
  return html`<div class="plots intervals">${plots.filter(({ rows }) => rows.length > 0).map(drawPlot)}</div>`;
}

function drawPlot(plot: IntervalPlot): Html {
  const { title, has_zero, rows } = plot;
  const scale = scaleOf(plot);
  const x = (value: number): number => toTenth(LABEL + scale(value) * (WIDTH - LABEL - VALUE));
  const height = TOP + rows.length * ROW + TOP;
  const zero = has_zero
    ? html`<line class="zero" x1="${x(0)}" x2="${x(0)}" y1="${TOP}" y2="${height - TOP}"><title>no difference</title></line>`
    : NOTHING;
  return html`<figure class="plot"><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}: ${rows.map(toSentence).join('; ')}">${zero}
${rows.map((row, index) => drawRow(row, TOP + (index + 0.5) * ROW, x))}</svg></figure>`;
}

function drawRow(
  { label, mean, interval, n, values = [] }: IntervalRow,
  y: number,
  x: (value: number) => number,
): Html {
  const whisker =
    interval === null
      ? NOTHING
      : html`<path class="line" d="M${x(interval[0])} ${y - 5}V${y + 5}M${x(interval[0])} ${y}H${x(interval[1])}M${x(interval[1])} ${y - 5}V${y + 5}"/>`;
  return html`<g><text class="value" x="${LABEL - 12}" y="${y + 4}" text-anchor="end">${label}</text>
<line class="ground" x1="${LABEL}" x2="${WIDTH - VALUE}" y1="${y}" y2="${y}"/>${values.map((value) => html`<circle class="single" cx="${x(value)}" cy="${y}" r="2.5"/>`)}${whisker}
<circle cx="${x(mean)}" cy="${y}" r="4.5"><title>${toSentence({ label, mean, interval, n })}</title></circle>
<text x="${WIDTH - VALUE + 12}" y="${y + 4}"><tspan class="value">${toFigure(mean)}</tspan> ${toRange(interval) ?? `n ${n}`}</text></g>`;
}

function toSentence({ label, mean, interval, n }: IntervalRow): string {
  const range = toRange(interval);
  return `${label} ${toFigure(mean)}${range === null ? '' : `, from ${range}`}, of ${n}`;
}
