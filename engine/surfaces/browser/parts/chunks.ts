import type { LlmCallRecord } from '../../../ports/records.js';
import { type Html, html } from '../html.js';
import { count, cut, duration, TEXT_LENGTH_MAX } from './text.js';

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
