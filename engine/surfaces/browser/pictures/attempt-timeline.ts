import { stateOf } from '../../../core/protocol/work-state.js';
import type { InvocationSummary } from '../../../ports/records.js';
import { type Html, html, type HtmlValue, NOTHING } from '../html.js';
import { callWord, count, duration, runWord, shorten, toClass } from '../parts/text.js';
import { pathOf } from '../places.js';
import {
  type AttemptBars,
  type Band,
  type Bar,
  barsOf,
  busyOf,
  type DrawnAttempt,
  labelOf,
  type LaneKind,
} from './attempt-bars.js';
import { layOutTime, type TimeScale } from './time-scale.js';

const WIDTH = 1_040;
const LEFT = 190;
const RIGHT = 16;
const ROW = 26;
const BAR = 18;
const BAND_GAP = 14;
const TOP = 12;
const AXIS = 34;
const BAR_WIDTH_MIN = 3;
const SUBJECT_WIDTH = 112;
const CHARACTER_WIDTH = 6.4;
const ADOPTED_WIDTH = 12;
const ADOPTED_MAX = 24;
const BANDS_MAX = 40;

const LANE_NAMES: Readonly<Record<LaneKind, string>> = { readings: 'readings', model: 'model', calls: 'calls' };

/** The timeline of an attempt, to scale: each bar is a call and leads to it. */
export function attemptTimeline(attempt: DrawnAttempt): Html {
  const all = barsOf(attempt);
  const drawn = { ...all, bands: all.bands.slice(0, BANDS_MAX) };
  const bars = drawn.bands.flatMap(({ lanes }) => lanes.flatMap(({ rows }) => rows.flat()));
  if (bars.length === 0 && drawn.adopted.length === 0) return html`<p class="empty">No call has been made yet.</p>`;
  const adopted_width =
    Math.min(drawn.adopted.length, ADOPTED_MAX) * ADOPTED_WIDTH + (drawn.adopted.length > 0 ? 20 : 0);
  const area = { x: LEFT + adopted_width, width: WIDTH - LEFT - RIGHT - adopted_width };
  const scale = layOutTime(bars.length > 0 ? bars.flatMap(busyOf) : [{ from: 0, to: 1 }], area);
  const rows = drawn.bands.flatMap(({ lanes }) => lanes.flatMap((lane) => lane.rows)).length;
  const bottom = TOP + Math.max(1, rows) * ROW + drawn.bands.length * BAND_GAP;
  const label = `The calls of this attempt over time: ${bars.length} made, ${drawn.adopted.length} adopted. The table of calls says the same in words.`;
  return html`<div class="scroll picture" tabindex="0" role="group" aria-label="Timeline">
<svg class="timeline" viewBox="0 0 ${WIDTH} ${bottom + AXIS}" width="${WIDTH}" height="${bottom + AXIS}" role="group" aria-label="${label}"><title>Timeline</title>
${pattern()}${axis(scale, bottom)}${suspensions(drawn, scale, bottom)}${adoptedCalls(drawn.adopted)}${bands(drawn.bands, scale)}${gaps(scale, bottom)}
</svg></div>${legend(drawn)}${notDrawn(all.bands.length - BANDS_MAX)}`;
}

function notDrawn(bands_left_out: number): Html {
  return bands_left_out > 0
    ? html`<p class="note">${count(bands_left_out)} more subjects are not drawn; the calls below name them.</p>`
    : NOTHING;
}

function pattern(): Html {
  return html`<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="waits-ground" width="6" height="6"/><rect class="waits-line" width="2.5" height="6"/></pattern></defs>`;
}

function axis({ ticks }: TimeScale, bottom: number): Html {
  return html`<g class="axis" aria-hidden="true">${ticks.map(
    ({ x, milliseconds }) =>
      html`<line x1="${px(x)}" x2="${px(x)}" y1="${TOP - 6}" y2="${bottom}"/><text x="${px(x)}" y="${bottom + 18}" text-anchor="middle">${duration(milliseconds)}</text>`,
  )}</g>`;
}

function gaps(scale: TimeScale, bottom: number): HtmlValue {
  return scale.gaps.map(
    ({ x, width, milliseconds }) => html`<g class="gap"><title>Nothing happened for ${duration(milliseconds)}</title>
<rect x="${px(x)}" y="${TOP - 6}" width="${px(width)}" height="${bottom - TOP + 6}"/><text x="${px(x + width / 2)}" y="${bottom + 18}" text-anchor="middle">// ${duration(milliseconds)}</text></g>`,
  );
}

function suspensions({ suspended }: AttemptBars, { x }: TimeScale, bottom: number): HtmlValue {
  return suspended.map(
    ({ from, to }) =>
      html`<rect class="suspended" x="${px(x(from))}" y="${TOP - 6}" width="${px(Math.max(BAR_WIDTH_MIN, x(to) - x(from)))}" height="${bottom - TOP + 6}"><title>Suspended for ${duration(to - from)}</title></rect>`,
  );
}

function adoptedCalls(calls: readonly InvocationSummary[]): HtmlValue {
  return calls
    .slice(0, ADOPTED_MAX)
    .map(
      (call, index) =>
        html`<a href="${pathOf('source_invocation', call.source_invocation_id)}"><rect class="bar adopted is-${call.status}" x="${LEFT + index * ADOPTED_WIDTH}" y="${TOP}" width="${ADOPTED_WIDTH - 3}" height="${BAR}" rx="3"/><title>Adopted from an earlier attempt: ${labelOf(call)}</title></a>`,
    );
}

function bands(drawn: readonly Band[], scale: TimeScale): HtmlValue {
  let top = TOP;
  return drawn.map(({ subject, lanes }, index) => {
    const began = top;
    const shown = lanes.map(({ kind, rows }) => {
      const lane = html`<text class="lane" x="${LEFT - 12}" y="${top + BAR - 5}" text-anchor="end">${LANE_NAMES[kind]}</text>${rows.map(
        (row, line) => drawRow(row, scale, top + line * ROW),
      )}`;
      top += rows.length * ROW;
      return lane;
    });
    top += BAND_GAP;
    const rule =
      index === 0 ? NOTHING : html`<line class="rule" x1="0" x2="${WIDTH}" y1="${began - 9}" y2="${began - 9}"/>`;
    return html`<g>${rule}<text class="subject" x="0" y="${began + BAR - 4}">${fit(subject ?? 'whole turn', SUBJECT_WIDTH)}<title>${subject ?? 'whole turn'}</title></text>${shown}</g>`;
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
    const right = Math.max(left + BAR_WIDTH_MIN, x(bar.to) - 1);
    return { ...bar, left, right, waits_from: bar.pended_at === undefined ? undefined : x(bar.pended_at) };
  });
  const drawn = [...placed, ...breaks.map((gap) => ({ left: gap.x, right: gap.x + gap.width }))];
  return placed.map((bar) => drawBar(bar, y, drawName(bar, y, drawn)));
}

/** The name of a bar: within it, or beside it where it is too short, as far as nothing else is drawn there. */
function drawName({ call, label, left, right }: PlacedBar, y: number, drawn: readonly Extent[]): Html {
  if (call.is_superseded) return NOTHING;
  const before = Math.max(LEFT, ...drawn.filter((other) => other.left < left).map((other) => other.right));
  const after = Math.min(WIDTH, ...drawn.filter((other) => other.left > left).map((other) => other.left));
  const inside = { x: left + 6, anchor: 'start', name: fit(label, right - left - 8) };
  const behind = { x: right + 4, anchor: 'start', name: fit(label, after - right - 8) };
  const ahead = { x: left - 4, anchor: 'end', name: fit(label, left - before - 8) };
  const place = [inside, behind, ahead].find(({ name }) => name === label) ?? inside;
  if (place.name === '') return NOTHING;
  return html`<text class="bar-name" x="${px(place.x)}" y="${y + BAR - 5}" text-anchor="${place.anchor}">${place.name}</text>`;
}

function drawBar({ call, from, to, label, lane, left, right, waits_from }: PlacedBar, y: number, name: Html): Html {
  const bar = (kind: Html, x: number) =>
    html`<rect ${kind} x="${px(x)}" y="${y}" width="${px(Math.max(BAR_WIDTH_MIN, right - x))}" height="${BAR}" rx="3"/>`;
  const state = stateOf(call);
  const what = [...new Set([callWord(call), label])].join(' ');
  const sentence = `${what}${runWord(call)}: ${state}, ${duration(call.duration_ms ?? to - from)}`;
  return html`<a href="${pathOf(...placeOf(call))}">${bar(html`class="bar ${lane} is-${toClass(state)}"`, left)}${waits_from === undefined ? undefined : bar(html`class="waits" fill="url(#hatch)"`, waits_from)}${name}<title>${sentence}</title></a>`;
}

/** A generation links to its LLM call, any other call to its own page. */
function placeOf({ llm_call_id, source_invocation_id }: InvocationSummary): ['llm_call' | 'source_invocation', string] {
  return llm_call_id === null ? ['source_invocation', source_invocation_id] : ['llm_call', llm_call_id];
}

/** As much of a text as fits; nothing where that is less than a few characters. */
function fit(text: string, width: number): string {
  const room = Math.floor(width / CHARACTER_WIDTH);
  return room < Math.min(4, text.length) ? '' : shorten(text, room);
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

function px(pixels: number): string {
  return String(Math.round(pixels * 10) / 10);
}
