import type { Json } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import { canonicalText } from '../content/canonical.js';
import { findAt } from '../content/json-pointer.js';
import { type Message, type Segment, toMessage } from './message.js';
import type { Placeholder, PromptTemplate } from './template.js';

/** What a prompt may be filled with. Texts that cost work to make are made only when a placeholder asks. */
export interface PromptScope {
  readonly world: { readonly slug: string; readonly attempted_turn: number; readonly simulation_time: string };
  readonly subject: { readonly id: string; readonly name: string };
  readonly projection: () => Json;
  readonly rendered_subject: () => string;
  readonly ambient: Json;
  readonly tools: () => Json;
  /** `{"<id>": {"output": ...}}`. */
  readonly nodes: Json;
}

/** The messages of a prompt, or the placeholder for which nothing stands. */
export type RenderedPrompt =
  | { readonly ok: true; readonly messages: readonly Message[] }
  | { readonly ok: false; readonly placeholder: string };

/** Fills a prompt. Objects are fenced and labelled; what they hold is data and cannot end its fence. */
export function renderPrompt(template: PromptTemplate, scope: PromptScope): RenderedPrompt {
  const messages: Message[] = [];
  for (const message of template.messages) {
    const segments: Segment[] = [];
    for (const part of message.parts) {
      const text = part.kind === 'text' ? part.text : fill(part.placeholder, scope);
      if (text === undefined) return { ok: false, placeholder: part.kind === 'text' ? '' : part.placeholder.name };
      segments.push({ origin: part.kind === 'text' ? 'author' : part.placeholder.reads, text });
    }
    messages.push(toMessage(message.role, segments));
  }
  return { ok: true, messages };
}

function fill(placeholder: Placeholder, scope: PromptScope): string | undefined {
  switch (placeholder.reads) {
    case 'world':
      return renderValue(findAt(scope.world, [placeholder.member]), placeholder.name);
    case 'subject':
      return renderValue(findAt(scope.subject, [placeholder.member]), placeholder.name);
    case 'nodes':
      return renderValue(findAt(scope.nodes, [placeholder.node_id, 'output', ...placeholder.path]), placeholder.name);
    case 'world.projection':
      return renderValue(scope.projection(), placeholder.name);
    case 'subject.rendered':
      return scope.rendered_subject();
    case 'ambient.visible':
      return renderValue(scope.ambient, placeholder.name);
    case 'tools.available':
      return renderValue(scope.tools(), placeholder.name);
    default:
      return unreachable(placeholder);
  }
}

function renderValue(value: Json | undefined, label: string): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'object' && value !== null ? fenceJson(label, value) : String(value);
}

/** JSON between fences under a label. Canonical JSON has no line break, so nothing in it can close the fence. */
export function fenceJson(label: string, value: Json): string {
  return `\`\`\`json ${label}\n${canonicalText(value)}\n\`\`\``;
}
