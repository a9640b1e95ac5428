import { stateOf } from '../../../core/protocol/work-state.js';
import type { InvocationSummary } from '../../../ports/records.js';
import { type Html, html, type HtmlValue, NOTHING } from '../html.js';
import { labelOf } from '../../../catalogue/words.js';
import { callWord, count, duration, runWord, shorten, toClass } from '../parts/text.js';
import { pathOf } from '../../../catalogue/places.js';
import {
  type AttemptBars,
  type Band,
  type Bar,
  barsOf,
  busyOf,
  type DrawnAttempt,
  type LaneKind,
} from './attempt-bars.js';
import { layOutTime, type TimeScale, toPercent as at } from './time-scale.js';

/** What is measured along the page is in percent of its width, so that a picture is as wide as the page. */
const WHOLE = { x: 0, width: 100 };
/** The pixels of a percent on a wide page and on a phone: names are placed by them. */
const PERCENT = { 'at-wide': 10, 'at-narrow': 2.8 };
const ROW = 26;
const BAR = 18;
const SUBJECT = 24;
const BAND_GAP = 12;
const TOP = 8;
const AXIS = 24;
const GAP_NAMES = 16;
const BAR_WIDTH_MIN = 0.35;
const CHARACTER_WIDTH = 5.8;
const NAME_MARGIN = 8;
const ADOPTED_WIDTH = 1.2;
const ADOPTED_MAX = 24;
const BANDS_MAX = 40;
/** More bands than these have no line of their own for their subject: its name is that of its first bar. */
const ROOMY_BANDS_MAX = 12;
const DENSE_GAP = 4;
/** Labels of the axis that are nearer to each other would overlap. */
const LABEL_DISTANCE_MIN = 8;

/** The timeline of an attempt, to scale: each bar is a call and leads to it. */
export function attemptTimeline(attempt: DrawnAttempt): Html {
  const all = barsOf(attempt);
  const isDense = all.bands.length > ROOMY_BANDS_MAX;
  const shown = all.bands.slice(0, BANDS_MAX);
  const drawn = { ...all, bands: isDense ? shown.map(nameFirstBar) : shown };
  const bars = drawn.bands.flatMap(({ lanes }) => lanes.flatMap(({ rows }) => rows.flat()));
  if (bars.length === 0 && drawn.adopted.length === 0) return html`<p class="empty">No call has been made yet.</p>`;
  const scale = layOutTime(bars.length > 0 ? bars.flatMap(busyOf) : [{ from: 0, to: 1 }], WHOLE);
  const top = TOP + (drawn.adopted.length > 0 ? ROW : 0);
  const bottom = drawn.bands.reduce((sum, { lanes }) => sum + heightOf(lanes, isDense), top);
  const height = bottom + AXIS + (scale.gaps.length > 0 ? GAP_NAMES : 0);
  const label = `The calls of this attempt over time: ${bars.length} made, ${drawn.adopted.length} adopted. The table of calls says the same in words.`;
  return html`<div class="picture"><svg class="timeline" height="${height}" role="group" aria-label="${label}"><title>Timeline</title>
${pattern()}${axis(scale, bottom)}${suspensions(drawn, scale, bottom)}${gaps(scale, bottom)}${adoptedCalls(drawn.adopted)}${bands(drawn.bands, { scale, isDense }, top)}
</svg></div>${legend(drawn)}${notDrawn(attempt.attempt_id, all.bands)}`;
}

function heightOf(lanes: Band['lanes'], isDense: boolean): number {
  const rows = lanes.flatMap((lane) => lane.rows).length * ROW;
  return isDense ? rows + DENSE_GAP : SUBJECT + rows + BAND_GAP;
}

function nameFirstBar({ subject, lanes }: Band): Band {
  const name = subject ?? 'whole turn';
  const first = barsIn(lanes).find(({ call }) => !call.is_superseded);
  const rename = (bar: Bar): Bar => (bar === first ? { ...bar, label: `${name}: ${bar.label}` } : bar);
  return { subject, lanes: lanes.map(({ kind, rows }) => ({ kind, rows: rows.map((row) => row.map(rename)) })) };
}

const barsIn = (lanes: Band['lanes']): readonly Bar[] => lanes.flatMap(({ rows }) => rows.flat());

/** The way to the first subject that has no room: its first call begins the next part. */
function notDrawn(attempt_id: string, all: readonly Band[]): Html {
  const rest = all.slice(BANDS_MAX);
  if (rest.length === 0) return NOTHING;
  const next = Math.min(...rest.flatMap(({ lanes }) => barsIn(lanes)).map(({ call }) => call.invocation_seq)) - 1;
  return html`<p class="note">${count(BANDS_MAX)} of ${count(all.length)} subjects are drawn. <a href="${pathOf('attempt', attempt_id)}?after=${next}#timeline">The subjects after these →</a></p>`;
}

function pattern(): Html {
  return html`<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="waits-ground" width="6" height="6"/><rect class="waits-line" width="2.5" height="6"/></pattern></defs>`;
}

function axis({ ticks }: TimeScale, bottom: number): Html {
  const labels = spread(ticks);
  return html`<g class="axis" aria-hidden="true">${ticks.map(({ x }) => html`<line x1="${at(x)}" x2="${at(x)}" y1="${TOP - 6}" y2="${bottom}"/>`)}${labels.map(
    ({ x, milliseconds }, index) =>
      html`<text class="${index % 2 === 0 ? 'major' : 'minor'}" x="${at(x)}" y="${bottom + 16}" text-anchor="${anchorAt(x)}">${duration(milliseconds)}</text>`,
  )}</g>`;
}

/** Those that are far enough from the ones before them to have a label. */
function spread<Place extends { readonly x: number }>(places: readonly Place[]): readonly Place[] {
  const kept: Place[] = [];
  for (const place of places)
    if (place.x - (kept.at(-1)?.x ?? Number.NEGATIVE_INFINITY) >= LABEL_DISTANCE_MIN) kept.push(place);
  return kept;
}

/** A label at an end of the picture does not reach over it. */
function anchorAt(x: number): 'start' | 'middle' | 'end' {
  if (x < LABEL_DISTANCE_MIN) return 'start';
  return x > 100 - LABEL_DISTANCE_MIN ? 'end' : 'middle';
}

/** They lie below the bars: a call that was pending meanwhile stays visible. */
function gaps(scale: TimeScale, bottom: number): HtmlValue {
  const named = new Set(spread(scale.gaps));
  return scale.gaps.map((gap) => {
    const { x, width, milliseconds } = gap;
    const middle = x + width / 2;
    const name = html`<text x="${at(middle)}" y="${bottom + AXIS + 8}" text-anchor="${anchorAt(middle)}">// ${duration(milliseconds)}</text>`;
    return html`<g class="gap"><title>Nothing happened for ${duration(milliseconds)}</title>
<rect x="${at(x)}" y="${TOP - 6}" width="${at(width)}" height="${bottom - TOP + 6}"/>${named.has(gap) ? name : undefined}</g>`;
  });
}

function suspensions({ suspended }: AttemptBars, { x }: TimeScale, bottom: number): HtmlValue {
  return suspended.map(
    ({ from, to }) =>
      html`<rect class="suspended" x="${at(x(from))}" y="${TOP - 6}" width="${at(Math.max(BAR_WIDTH_MIN, x(to) - x(from)))}" height="${bottom - TOP + 6}"><title>Suspended for ${duration(to - from)}</title></rect>`,
  );
}

function adoptedCalls(calls: readonly InvocationSummary[]): HtmlValue {
  return calls
    .slice(0, ADOPTED_MAX)
    .map(
      (call, index) =>
        html`<a href="${pathOf('source_invocation', call.source_invocation_id)}"><rect class="bar adopted is-${call.status}" x="${at(index * ADOPTED_WIDTH)}" y="${TOP}" width="${at(ADOPTED_WIDTH * 0.75)}" height="${BAR}" rx="3"/><title>Adopted from an earlier attempt: ${labelOf(call)}</title></a>`,
    );
}

function bands(
  drawn: readonly Band[],
  { scale, isDense }: { readonly scale: TimeScale; readonly isDense: boolean },
  first: number,
): HtmlValue {
  let top = first;
  return drawn.map(({ subject, lanes }, index) => {
    const began = top;
    const rows = lanes.flatMap((lane) => lane.rows);
    top += heightOf(lanes, isDense);
    const rule =
      index === 0 || isDense
        ? NOTHING
        : html`<line class="rule" x1="0" x2="100%" y1="${began - 6}" y2="${began - 6}"/>`;
    const name = isDense
      ? NOTHING
      : html`<text class="subject" x="0" y="${began + BAR - 4}">${subject ?? 'whole turn'}</text>`;
    const head = isDense ? 0 : SUBJECT;
    return html`<g>${rule}${name}${rows.map((row, line) => drawRow(row, scale, began + head + line * ROW))}</g>`;
  });
}

interface Extent {
  readonly left: number;
  readonly right: number;
}

type PlacedBar = Bar & Extent & { readonly waits_from: number | undefined };

function drawRow(row: readonly Bar[], { x, gaps: breaks }: TimeScale, y: number): HtmlValue {
  const placed = row.map((bar): PlacedBar => {
    const left = x(bar.from);
    const right = Math.max(left + BAR_WIDTH_MIN, x(bar.to) - 0.1);
    return { ...bar, left, right, waits_from: bar.pended_at === undefined ? undefined : x(bar.pended_at) };
  });
  const drawn = [...placed, ...breaks.map((gap) => ({ left: gap.x, right: gap.x + gap.width }))];
  const widths = ['at-wide', 'at-narrow'] as const;
  return placed.map((bar) => drawBar(bar, y, html`${widths.map((width) => drawName(bar, y, drawn, width))}`));
}

/** The name of a bar: within it, or beside it as far as nothing else is drawn there, wherever most of it fits. */
function drawName(
  { call, label, left, right }: PlacedBar,
  y: number,
  drawn: readonly Extent[],
  page: keyof typeof PERCENT,
): Html {
  if (call.is_superseded) return NOTHING;
  const before = Math.max(0, ...drawn.filter((other) => other.left < left).map((other) => other.right));
  const after = Math.min(100, ...drawn.filter((other) => other.left > left).map((other) => other.left));
  const inside = { x: left, width: right - left, anchor: 'start' };
  const behind = { x: right, width: after - right, anchor: 'start' };
  const ahead = { x: before, width: left - before, anchor: 'end' };
  const needed = label.length * CHARACTER_WIDTH + NAME_MARGIN;
  const room = ({ width }: typeof inside): number => Math.min(needed, width * PERCENT[page]);
  const [place = inside] = [inside, behind, ahead].toSorted((one, other) => room(other) - room(one));
  if (room(place) < Math.min(needed, 4 * CHARACTER_WIDTH + NAME_MARGIN)) return NOTHING;
  const name =
    room(place) === needed ? label : shorten(label, Math.floor((room(place) - NAME_MARGIN) / CHARACTER_WIDTH));
  const [x, shift] = place.anchor === 'end' ? ['100%', -4] : ['0', 5];
  return html`<svg class="bar-name ${page}" x="${at(place.x)}" y="${y}" width="${at(place.width)}" height="${BAR}"><text x="${x}" dx="${shift}" y="${BAR - 5}" text-anchor="${place.anchor}">${name}</text></svg>`;
}

function drawBar({ call, from, to, label, lane, left, right, waits_from }: PlacedBar, y: number, name: Html): Html {
  const bar = (kind: Html, x: number) =>
    html`<rect ${kind} x="${at(x)}" y="${y}" width="${at(Math.max(BAR_WIDTH_MIN, right - x))}" height="${BAR}" rx="3"/>`;
  const state = stateOf(call);
  const what = [...new Set([callWord(call), label])].join(' ');
  const sentence = `${what}${runWord(call)}: ${state}, ${duration(call.duration_ms ?? to - from)}`;
  return html`<a href="${pathOf(...placeOf(call))}">${bar(html`class="bar ${lane} is-${toClass(state)}"`, left)}${waits_from === undefined ? undefined : bar(html`class="waits" fill="url(#hatch)"`, waits_from)}${name}<title>${sentence}</title></a>`;
}

/** A generation links to its LLM call, any other call to its own page. */
function placeOf({ llm_call_id, source_invocation_id }: InvocationSummary): ['llm_call' | 'source_invocation', string] {
  return llm_call_id === null ? ['source_invocation', source_invocation_id] : ['llm_call', llm_call_id];
}

function legend({ adopted, suspended, bands: drawn }: AttemptBars): Html {
  const bars = drawn.flatMap(({ lanes }) => lanes.flatMap(({ rows }) => rows.flat()));
  const has = (lane: LaneKind): boolean => bars.some((bar) => bar.lane === lane);
  const keys: readonly (readonly [name: string, text: string, isShown: boolean])[] = [
    ['readings', 'a reading', has('readings')],
    ['model', 'a generation', has('model')],
    ['calls', 'a tool or a node’s call', has('calls')],
    ['running', 'goes on', bars.some(({ call }) => stateOf(call) === 'running')],
    ['failed', 'failed or rejected', bars.some(({ call }) => stateOf(call) === 'failed')],
    ['superseded', 'superseded', bars.some(({ call }) => call.is_superseded)],
    ['waits', 'waits for an answer', bars.some(({ pended_at }) => pended_at !== undefined)],
    ['suspended', 'suspended', suspended.length > 0],
    ['adopted', 'adopted from an earlier attempt', adopted.length > 0],
  ];
  return html`<ul class="legend">${keys.filter(([, , isShown]) => isShown).map(([name, text]) => html`<li><span class="key key-${name}"></span>${text}</li>`)}</ul>`;
}
