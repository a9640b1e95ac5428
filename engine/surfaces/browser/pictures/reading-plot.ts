import type { Json } from '../../../contract/json.js';
import type { WorldReading } from '../../../ports/browse.js';
import { type Html, html } from '../html.js';
import { toTenth } from './time-scale.js';

const WIDTH = 300;
const HEIGHT = 96;
const SIDE = 18;
const TOP = 10;
const BOTTOM = 22;
const PLOTS_MAX = 12;

interface Point {
  readonly turn: number;
  readonly value: number;
}

/** One number of the readings of one source, over turns. */
interface Series {
  readonly name: string;
  readonly points: readonly Point[];
}

/** The series of numbers in readings that have at least two points. */
function seriesOf(readings: readonly WorldReading[]): readonly Series[] {
  const series = new Map<string, Point[]>();
  for (const { turn, ambient_source_id, response_json } of readings) {
    for (const [name, value] of numbersIn(response_json, ambient_source_id)) {
      const points = series.get(name) ?? [];
      series.set(name, points);
      points.push({ turn, value });
    }
  }
  return [...series].filter(([, points]) => points.length > 1).map(([name, points]) => ({ name, points }));
}

function numbersIn(value: Json, name: string): readonly (readonly [string, number])[] {
  if (typeof value === 'number') return [[name, value]];
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([member, item]) => numbersIn(item, `${name} · ${member}`));
}

/** Small plots of the numbers in readings; undefined where there are none. */
export function readingPlots(readings: readonly WorldReading[]): Html | undefined {
  const plots = seriesOf(readings).slice(0, PLOTS_MAX).map(plot);
  return plots.length === 0 ? undefined : html`<div class="plots">${plots}</div>`;
}

function plot({ name, points }: Series): Html {
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [points[0]?.turn ?? 0, points.at(-1)?.turn ?? 0];
  const x = (turn: number): number => SIDE + ((turn - first) / Math.max(1, last - first)) * (WIDTH - 2 * SIDE);
  const y = (value: number): number =>
    TOP + (1 - (most === least ? 0.5 : (value - least) / (most - least))) * (HEIGHT - TOP - BOTTOM);
  const path = points.map(
    ({ turn, value }, index) => `${index === 0 ? 'M' : 'L'}${toTenth(x(turn))} ${toTenth(y(value))}`,
  );
  const ends = [points[0], points.at(-1)].filter((point) => point !== undefined);
  const sentence = `${name}: ${points.map(({ turn, value }) => `${value} in turn ${turn}`).join(', ')}`;
  return html`<figure class="plot"><figcaption>${name}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${sentence}"><line class="ground" x1="${SIDE}" x2="${WIDTH - SIDE}" y1="${HEIGHT - BOTTOM + 6}" y2="${HEIGHT - BOTTOM + 6}"/>
<path class="line" d="${path.join(' ')}"/>${points.map(({ turn, value }) => html`<circle cx="${toTenth(x(turn))}" cy="${toTenth(y(value))}" r="3"><title>turn ${turn}: ${value}</title></circle>`)}
${ends.map((point, index) => html`<text x="${index === 0 ? SIDE : WIDTH - SIDE}" y="${HEIGHT - 3}" text-anchor="${index === 0 ? 'start' : 'end'}">turn ${point.turn}: <tspan class="value">${point.value}</tspan></text>`)}</svg></figure>`;
}
