import type { LlmCallRecord } from '../../../ports/records.js';
import { parsePromptText } from '../../../core/prompt/template.js';
import { type Html, html, type HtmlValue } from '../html.js';
import { count, cut, toClass } from './text.js';

/** A shorter part of one line is told apart by its colour; its name is there for screen readers. */
const NAMED_LENGTH_MIN = 40;

type Message = LlmCallRecord['messages'][number];

/** What each origin of a segment means to a reader. */
const ORIGIN_WORDS: Readonly<Record<string, string>> = {
  author: 'author',
  'world.projection': 'what is perceived',
  'world.recent_events': 'recent events',
  world: 'world',
  'subject.rendered': 'subject',
  subject: 'subject’s name',
  'ambient.visible': 'readings',
  'tools.available': 'tools',
  nodes: 'earlier node',
  schema: 'schema',
  model: 'model',
  tool_result: 'tool result',
  correction: 'correction',
  last_lap: 'last lap',
};

/** The messages of a call by role; each part of a prompt says where it came from. */
export function conversation(messages: readonly Message[]): Html {
  return html`<ol class="conversation">${messages.map(
    (message, index) =>
      html`<li class="message role-${toClass(message.role)}"><h3><span class="number">${index + 1}</span> ${message.role}</h3><div class="said">${segmentsOf(message).map(drawSegment)}</div></li>`,
  )}</ol>`;
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

/** What filled a prompt: how many characters came from where. */
export function originBar(messages: readonly Message[]): Html {
  const parts = new Map<string, number>();
  for (const { segments } of messages)
    for (const { origin, characters } of segments) parts.set(origin, (parts.get(origin) ?? 0) + characters);
  const total = Math.max(
    1,
    [...parts.values()].reduce((sum, characters) => sum + characters, 0),
  );
  let left = 0;
  const bars = [...parts].map(([origin, characters]) => {
    const width = (characters / total) * 100;
    left += width;
    return html`<rect class="from-${toClass(origin)}" x="${(left - width).toFixed(2)}" y="0" width="${width.toFixed(2)}" height="10"><title>${origin}: ${count(characters)} characters</title></rect>`;
  });
  return html`<svg class="origins" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>
<ul class="legend">${[...parts].map(
    ([origin, characters]) =>
      html`<li><span class="key from-${toClass(origin)}"></span>${ORIGIN_WORDS[origin] ?? origin} <span class="dim">${count(characters)} characters, ${Math.round((characters / total) * 100)} %</span></li>`,
  )}</ul>`;
}

/** A prompt as its author wrote it, with its placeholders marked. */
export function authoredPrompt(text: string): Html {
  return html`<pre class="text">${parsePromptText(text).parts.map((part) =>
    part.kind === 'text' ? part.text : html`<span class="placeholder">{{${part.placeholder.name}}}</span>`,
  )}</pre>`;
}
