import type { LlmCallRecord } from '../../../ports/records.js';
import { parsePromptText } from '../../../core/prompt/template.js';
import { type Html, html, type HtmlValue, NOTHING } from '../html.js';
import { count, cut, duration, linkTo, TEXT_LENGTH_MAX, toClass, visible } from './text.js';
import { parseJson } from '../../../core/content/parse-json.js';

/** A segment below this length is marked by colour alone; screen readers get its name. */
const NAMED_LENGTH_MIN = 40;

type Message = LlmCallRecord['messages'][number];

const ORIGIN_WORDS: Readonly<Record<string, string>> = {
  author: 'author',
  'world.projection': 'what is perceived',
  'world.recent_events': 'recent events',
  world: 'world',
  'subject.rendered': 'subject',
  subject: 'subject’s name',
  'subject.own_turns': 'own turns',
  'memory.pinned': 'pinned memories',
  'memory.retrieved': 'found memories',
  'ambient.visible': 'readings',
  'tools.available': 'tools',
  nodes: 'earlier node',
  schema: 'schema',
  model: 'model',
  tool_result: 'tool result',
  correction: 'correction',
  last_lap: 'last lap',
  reasoning: 'reasoning',
  function_call: 'tool call',
  call_id: 'id of the call',
};

/** From this length on a message is folded away, where others follow it. */
const FOLDED_LENGTH_MIN = 6_000;

/**
 * The messages of a call by role; each part of a prompt says where it came from.
 * @param pointer their place in the JSON of the page
 */
export function conversation(messages: readonly Message[], pointer: string): Html {
  return html`<ol class="conversation">${messages.map((message, index) => {
    const head = html`<span class="number">${index + 1}</span> ${message.role}${drawOrigin(message)}`;
    const body = copyable(`${pointer}/${index}/content`, drawMessage(message));
    const isFolded = message.content.length >= FOLDED_LENGTH_MIN && index < messages.length - 1;
    const shown = isFolded
      ? html`<details><summary><h3>${head} <span class="dim">${count(message.content.length)} characters</span></h3></summary>${body}</details>`
      : html`<h3>${head}</h3>${body}`;
    return html`<li class="message role-${toClass(message.role)}">${shown}</li>`;
  })}</ol>`;
}

/** The mark of a new message, and the way to the call that it came from. */
function drawOrigin({ role, is_new, llm_call_id, source_invocation_id }: Message): Html {
  const writer = role === 'assistant' ? 'the prompt that it answered' : 'the answer that it corrects';
  return html`${is_new && html` <mark>new</mark>`} ${linkTo('llm_call', llm_call_id, writer)}${linkTo('source_invocation', source_invocation_id, 'the call that gave it')}`;
}

function drawMessage(message: Message): Html {
  const segments = segmentsOf(message);
  const pretty = segments.map((segment) => ({ ...segment, text: prettyJson(segment.text) }));
  const exact = html`<div class="said">${segments.map(drawSegment)}</div>`;
  if (pretty.every(({ text }, index) => text === segments[index]?.text)) return exact;
  return inTwoViews(html`<div class="said">${pretty.map(drawSegment)}</div>`, exact);
}

interface Segment {
  readonly origin: string;
  readonly text: string;
}

function segmentsOf({ content, segments }: Message): readonly Segment[] {
  let start = 0;
  return segments.map(({ origin, characters }) => {
    start += characters;
    return { origin, text: content.slice(start - characters, start) };
  });
}

function drawSegment({ origin, text }: Segment): HtmlValue {
  if (origin === 'author') return cut(text);
  const name = ORIGIN_WORDS[origin] ?? origin;
  const isShort = text.length < NAMED_LENGTH_MIN && !text.includes('\n');
  return html`<span class="segment from-${toClass(origin)}" title="${name}"><span class="${isShort ? 'unseen' : 'origin'}">${name}</span>${cut(text)}</span>`;
}

/** The origins of a prompt's text, each with its share. Servers count the tokens of a whole prompt only. */
export function originBar(messages: readonly Message[], tokens: LlmCallRecord['tokens']): Html {
  const parts = new Map<string, number>();
  for (const { segments } of messages)
    for (const { origin, characters } of segments) parts.set(origin, (parts.get(origin) ?? 0) + characters);
  const bar = [...parts].map(([origin, size]) => ({ name: ORIGIN_WORDS[origin] ?? origin, origin, size }));
  if (tokens === null) return shareBar(bar, { total: totalOf(bar), unit: 'characters' });
  const shares = html`${shareBar(bar, { total: tokens.input_tokens, unit: 'tokens', isEstimated: true })}`;
  return html`${shares}<p class="note">${count(tokens.input_tokens)} tokens in all, shared out by characters.${tokens.cached_input_tokens === null ? undefined : ` ${count(tokens.cached_input_tokens)} of them were cached.`}</p>`;
}

/** Reasoning and answer tokens of a generation; nothing where the server did not count them. */
export function outputBar(tokens: LlmCallRecord['tokens']): Html {
  if (tokens === null || tokens.reasoning_tokens === null || tokens.reasoning_tokens === 0) return NOTHING;
  const { output_tokens: total, reasoning_tokens: thought } = tokens;
  const bar = [
    { name: 'reasoning', origin: 'reasoning', size: thought },
    { name: 'answer', origin: 'model', size: Math.max(0, total - thought) },
  ];
  return shareBar(bar, { total, unit: 'tokens' });
}

interface Share {
  readonly name: string;
  readonly origin: string;
  readonly size: number;
}

interface Whole {
  readonly total: number;
  readonly unit: string;
  readonly isEstimated?: boolean;
}

function totalOf(bar: readonly Share[]): number {
  return bar.reduce((sum, { size }) => sum + size, 0);
}

/** Parts of a whole as a bar, and in words below it. */
function shareBar(bar: readonly Share[], { total, unit, isEstimated = false }: Whole): Html {
  const all = Math.max(1, totalOf(bar));
  let left = 0;
  const rects = bar.map(({ origin, size }) => {
    const width = (size / all) * 100;
    left += width;
    return html`<rect class="from-${toClass(origin)}" x="${(left - width).toFixed(2)}" y="0" width="${width.toFixed(2)}" height="10"/>`;
  });
  return html`<svg class="origins" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${rects}</svg>
<ul class="legend shares">${bar.map(
    ({ name, origin, size }) =>
      html`<li><span class="key from-${toClass(origin)}"></span>${name} <span class="dim">${isEstimated ? 'about ' : undefined}${count(Math.round((size / all) * total))} ${unit}, ${toPercent(size / all)}</span></li>`,
  )}</ul>`;
}

function toPercent(part: number): string {
  return part < 0.01 ? 'under 1 %' : `${Math.round(part * 100)} %`;
}

/** A prompt as its author wrote it, with its placeholders marked. */
export function authoredPrompt(text: string): Html {
  return html`<pre class="text">${parsePromptText(text).parts.map((part) =>
    part.kind === 'text' ? visible(part.text) : html`<span class="placeholder">{{${part.placeholder.name}}}</span>`,
  )}</pre>`;
}

/** Shorter JSON reads well on its one line. */
const PRETTY_LENGTH_MIN = 60;

/** Something with a button that copies it whole and exactly. @param pointer its place in the JSON of the page */
export function copyable(pointer: string, body: Html): Html {
  return html`<div class="copyable"><button type="button" class="copy" data-copy="${pointer}">Copy</button>${body}</div>`;
}

/** One text in two views, the readable one first; a switch that needs no script shows the exact one. */
export function inTwoViews(pretty: Html, exact: Html): Html {
  return html`<div class="views"><label class="switch"><input type="checkbox" autocomplete="off"> exactly as it was</label><div class="pretty">${pretty}</div><div class="exact">${exact}</div></div>`;
}

/** A text whose lines of JSON are set on several lines; the same text where it has none. */
function prettyJson(text: string): string {
  return text.replace(/^[[{].*$/gm, (line) => {
    if (line.length < PRETTY_LENGTH_MIN) return line;
    const parsed = parseJson(line);
    return parsed.ok ? JSON.stringify(parsed.value, null, 2) : line;
  });
}

type Chunks = LlmCallRecord['chunks'];

/** How many chunks a page shows by themselves; one more holds all that follow. */
const PIECES_MAX = 200;

/** Streamed text: each chunk with its time. The pace script replays it. */
export function drawChunks(chunks: Chunks): Html {
  const last = chunks.at(-1)?.offset_ms ?? 0;
  return html`<div class="pace" data-pace="${last}"><p class="note">${count(chunks.length)} ${chunks.length === 1 ? 'piece' : 'pieces'}, the last one ${duration(last)} after the question.</p>
<ol class="pieces">${toPieces(chunks).map(({ text, offset_ms }) => html`<li data-at="${offset_ms}"><span class="at">${duration(offset_ms)}</span><span class="piece">${cut(text)}</span></li>`)}</ol></div>`;
}

function toPieces(chunks: Chunks): Chunks {
  let length = 0;
  const end = chunks.findIndex(({ text }, index) => (length += text.length) > TEXT_LENGTH_MAX || index === PIECES_MAX);
  const [first] = chunks.slice(end);
  if (end === -1 || first === undefined) return chunks;
  const rest = chunks.slice(end).map(({ text }) => text);
  return [...chunks.slice(0, end), { text: rest.join(''), offset_ms: first.offset_ms }];
}
