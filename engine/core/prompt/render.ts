import type { Json } from '../../contract/json.js';
import { findAt } from '../content/json-pointer.js';
import { type Message, type Segment, toMessage } from './message.js';
import { mergePieces, OF_AUTHOR, type Origins, type Piece, textOfPieces } from './origins.js';
import { fenceJson, fencePieces, lastLineAfter, quoteName, type QuotePlace, quoteText } from './quote.js';
import type { Placeholder, PlaceholderName, PromptTemplate } from './template.js';

/** The values of placeholders. Costly texts are made only when a placeholder reads them. */
export interface PromptScope {
  readonly world: { readonly slug: string; readonly attempted_turn: number; readonly simulation_time: string };
  readonly subject: { readonly id: string; readonly name: string };
  /** Canonical JSON. */
  readonly projection: () => readonly Piece[];
  readonly rendered_subject: () => readonly Piece[];
  readonly recent_events: () => readonly Piece[];
  readonly own_turns: () => readonly Piece[];
  readonly pinned_memories: () => readonly Piece[];
  readonly retrieved_memories: () => readonly Piece[];
  readonly ambient: Json;
  readonly absent: readonly Absent[];
  readonly tools: () => Json;
  /** `{"<id>": {"output": ...}}`. */
  readonly nodes: Json;
  /** What a gate judges; left out elsewhere. */
  readonly answer?: { readonly value: Json; readonly origins: Origins };
  /** The origins of a value below `ambient` or `nodes`. */
  readonly originsAt: (tokens: readonly string[]) => Origins;
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
      if (part.kind === 'text') {
        segments.push({ origin: 'author', text: part.text });
        line = lastLineAfter(line, part.text);
        continue;
      }
      const filled = fill(part.placeholder, scope, place);
      if (filled === undefined) return { ok: false, placeholder: part.placeholder.name };
      const { reads: origin } = part.placeholder;
      if (typeof filled === 'string') segments.push({ origin, text: filled });
      else
        for (const { text, origins } of mergePieces(filled))
          segments.push({ origin, text, origins: origins.length === 0 ? OF_AUTHOR : origins });
      line = lastLineAfter(line, typeof filled === 'string' ? filled : textOfPieces(filled));
    }
    messages.push(toMessage(message.role, segments));
  }
  return { ok: true, messages };
}

/** The text of a placeholder, in pieces where its origins do not follow from its kind. */
type Filled = string | readonly Piece[];

function fill(placeholder: Placeholder, scope: PromptScope, place: QuotePlace): Filled | undefined {
  if (placeholder.tokens === undefined) return FILLS[placeholder.name](scope);
  const { ambient, nodes, originsAt } = scope;
  const text = render(findAt({ ambient, nodes }, placeholder.tokens), placeholder, place);
  return text === undefined ? undefined : [{ text, origins: originsAt(placeholder.tokens) }];
}

/** The text of each placeholder but those of one value. A value that is not free text needs no quoting. */
const FILLS: Readonly<Record<PlaceholderName, (scope: PromptScope) => Filled>> = {
  'world.slug': ({ world }) => world.slug,
  'world.attempted_turn': ({ world }) => String(world.attempted_turn),
  'world.simulation_time': ({ world }) => world.simulation_time,
  'world.projection': ({ projection }) => fencePieces('world.projection', projection()),
  'world.recent_events': ({ recent_events }) => recent_events(),
  'subject.id': ({ subject }) => subject.id,
  'subject.name': ({ subject }) => quoteName(subject.name),
  'subject.rendered': ({ rendered_subject }) => rendered_subject(),
  'subject.own_turns': ({ own_turns }) => own_turns(),
  'memory.pinned': ({ pinned_memories }) => pinned_memories(),
  'memory.retrieved': ({ retrieved_memories }) => retrieved_memories(),
  'ambient.visible': ({ ambient, absent, originsAt }) => {
    const text = fenceJson('ambient.visible', ambient) + absent.map(sayAbsent).join('');
    return [{ text, origins: originsAt(['ambient']) }];
  },
  'tools.available': ({ tools }) => fenceJson('tools.available', tools()),
  'gate.answer': ({ answer = { value: null, origins: [] } }) => [
    { text: fenceJson('gate.answer', answer.value), origins: answer.origins },
  ],
};

function sayAbsent({ place, failure_class }: Absent): string {
  return `\n${quoteName(place)} is absent: its source failed (${failure_class}), and nothing is known of it now.`;
}

function render(value: Json | undefined, { name }: Placeholder, place: QuotePlace): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return quoteText(value, place);
  return typeof value === 'object' && value !== null ? fenceJson(name, value) : String(value);
}
