import type { Json } from '../../contract/json.js';
import { findAt } from '../content/json-pointer.js';
import { type Message, type Segment, toMessage } from './message.js';
import { fenceJson, lastLineAfter, quoteName, type QuotePlace, quoteText } from './quote.js';
import type { Placeholder, PlaceholderName, PromptTemplate } from './template.js';

/** The values of placeholders. Costly texts are made only when a placeholder reads them. */
export interface PromptScope {
  readonly world: { readonly slug: string; readonly attempted_turn: number; readonly simulation_time: string };
  readonly subject: { readonly id: string; readonly name: string };
  readonly projection: () => Json;
  readonly rendered_subject: () => string;
  readonly recent_events: () => string;
  readonly own_turns: () => string;
  readonly pinned_memories: () => string;
  readonly retrieved_memories: () => string;
  readonly ambient: Json;
  readonly absent: readonly Absent[];
  readonly tools: () => Json;
  /** `{"<id>": {"output": ...}}`. */
  readonly nodes: Json;
  /** What a gate judges; left out elsewhere. */
  readonly answer?: Json;
}

/** A reading that is not there, because its source failed. */
export interface Absent {
  /** Its names below `ambient`, joined by dots. */
  readonly place: string;
  readonly failure_class: string;
}

/** The messages of a prompt, or the placeholder that has no value. */
type RenderedPrompt =
  | { readonly ok: true; readonly messages: readonly Message[] }
  | { readonly ok: false; readonly placeholder: string };

/** Fills a prompt. Texts of the world and its sources are quoted: they can neither end a fence nor begin a line. */
export function renderPrompt(template: PromptTemplate, scope: PromptScope): RenderedPrompt {
  const messages: Message[] = [];
  for (const message of template.messages) {
    const segments: Segment[] = [];
    let line = '';
    for (const part of message.parts) {
      const place = line.trim() === '' ? 'line_start' : 'in_line';
      const text = part.kind === 'text' ? part.text : fill(part.placeholder, scope, place);
      if (text === undefined) return { ok: false, placeholder: part.kind === 'text' ? '' : part.placeholder.name };
      segments.push({ origin: part.kind === 'text' ? 'author' : part.placeholder.reads, text });
      line = lastLineAfter(line, text);
    }
    messages.push(toMessage(message.role, segments));
  }
  return { ok: true, messages };
}

function fill(placeholder: Placeholder, scope: PromptScope, place: QuotePlace): string | undefined {
  if (placeholder.tokens === undefined) return FILLS[placeholder.name](scope);
  const { ambient, nodes } = scope;
  return render(findAt({ ambient, nodes }, placeholder.tokens), placeholder, place);
}

/** The text of each placeholder but those of one value. A value that is not free text needs no quoting. */
const FILLS: Readonly<Record<PlaceholderName, (scope: PromptScope) => string>> = {
  'world.slug': ({ world }) => world.slug,
  'world.attempted_turn': ({ world }) => String(world.attempted_turn),
  'world.simulation_time': ({ world }) => world.simulation_time,
  'world.projection': ({ projection }) => fenceJson('world.projection', projection()),
  'world.recent_events': ({ recent_events }) => recent_events(),
  'subject.id': ({ subject }) => subject.id,
  'subject.name': ({ subject }) => quoteName(subject.name),
  'subject.rendered': ({ rendered_subject }) => rendered_subject(),
  'subject.own_turns': ({ own_turns }) => own_turns(),
  'memory.pinned': ({ pinned_memories }) => pinned_memories(),
  'memory.retrieved': ({ retrieved_memories }) => retrieved_memories(),
  'ambient.visible': ({ ambient, absent }) => fenceJson('ambient.visible', ambient) + absent.map(sayAbsent).join(''),
  'tools.available': ({ tools }) => fenceJson('tools.available', tools()),
  'gate.answer': ({ answer = null }) => fenceJson('gate.answer', answer),
};

function sayAbsent({ place, failure_class }: Absent): string {
  return `\n${quoteName(place)} is absent: its source failed (${failure_class}), and nothing is known of it now.`;
}

function render(value: Json | undefined, { name }: Placeholder, place: QuotePlace): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return quoteText(value, place);
  return typeof value === 'object' && value !== null ? fenceJson(name, value) : String(value);
}
