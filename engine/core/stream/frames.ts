import type { StreamReader } from './seen-details.js';
import { isLastOfAttempt, type Told } from './told.js';
import { AG_UI_BEGINNING, type AgUiState, toAgUi } from './to-ag-ui.js';
import { toUiMessage, UI_MESSAGE_BEGINNING, type UiMessagePart, type UiMessageState } from './to-ui-message.js';

/** The format of a stream's events. */
export const STREAM_FORMATS = ['ag-ui', 'ai-sdk'] as const;
export type StreamFormat = (typeof STREAM_FORMATS)[number];

export interface StreamView {
  readonly format: StreamFormat;
  readonly reader: StreamReader;
}

/** The state of a stream: its open parts, and the place of the event that it sent last. */
export interface StreamState {
  readonly ag_ui: AgUiState;
  readonly ui_message: UiMessageState;
  readonly attempt_id: string;
  readonly event_id: number;
  /** How many frames have been sent for the fact of that number, and for others that bear it. */
  readonly frames: number;
}

/** Before any event. */
export const STREAM_BEGINNING: StreamState = {
  ag_ui: AG_UI_BEGINNING,
  ui_message: UI_MESSAGE_BEGINNING,
  attempt_id: '',
  event_id: 0,
  frames: 0,
};

/** One server-sent event, with the id by which a reader comes back after it. */
export interface Frame {
  readonly id: string;
  readonly text: string;
}

/**
 * Writes facts as server-sent events. The id of each is its attempt, the number of its fact in the record, and its place
 * among the events of the fact: so any server finds it again, as long as the record is there.
 */
export function toFrames(
  state: StreamState,
  facts: readonly Told[],
  view: StreamView,
): { readonly state: StreamState; readonly frames: readonly Frame[] } {
  const frames: Frame[] = [];
  let now = state;
  for (const fact of facts) {
    const { ag_ui, ui_message, events } = translateFact(now, fact, view);
    const attempt_id = fact.kind === 'attempt_began' ? fact.attempt_id : now.attempt_id;
    const first = now.event_id === fact.event_id ? now.frames : 0;
    for (const [index, event] of events.entries()) {
      const id = `${attempt_id}:${fact.event_id}.${first + index}`;
      const isLast = isLastOfAttempt(fact) && index === events.length - 1;
      frames.push({ id, text: `id: ${id}\ndata: ${JSON.stringify(event)}\n\n${isLast ? ENDINGS[view.format] : ''}` });
    }
    now = { ag_ui, ui_message, attempt_id, event_id: fact.event_id, frames: first + events.length };
  }
  return { state: now, frames };
}

/** The text of a format behind its last event. */
const ENDINGS: Readonly<Record<StreamFormat, string>> = { 'ag-ui': '', 'ai-sdk': 'data: [DONE]\n\n' };

function translateFact({ ag_ui, ui_message }: StreamState, fact: Told, { format, reader }: StreamView) {
  const translated = toAgUi(ag_ui, fact, reader);
  if (format === 'ag-ui') return { ag_ui: translated.state, ui_message, events: translated.events };
  const parts: UiMessagePart[] = [];
  let tools = ui_message;
  for (const event of translated.events) {
    const { state, events } = toUiMessage(tools, event);
    tools = state;
    parts.push(...events);
  }
  return { ag_ui: translated.state, ui_message: tools, events: parts };
}

/** Reads the id of an event. @returns undefined for what is none */
export function placeOfEvent(id: string): { readonly attempt_id: string; readonly event_id: number } | undefined {
  const [, attempt_id, event_id] =
    /^([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}):(\d{1,15})\.\d{1,9}$/.exec(id) ?? [];
  return attempt_id === undefined ? undefined : { attempt_id, event_id: Number(event_id) };
}
