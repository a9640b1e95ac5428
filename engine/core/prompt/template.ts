/** A prompt as authored, cut at its placeholders. */
export interface PromptTemplate {
  readonly messages: readonly PromptTemplateMessage[];
}

export interface PromptTemplateMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly PromptPart[];
}

export type PromptPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'placeholder'; readonly placeholder: Placeholder };

/** What stands between double braces, and what it means. */
export type Placeholder =
  | {
      readonly reads: 'world.projection' | 'subject.rendered' | 'ambient.visible' | 'tools.available';
      readonly name: string;
    }
  | { readonly reads: 'world' | 'subject'; readonly name: string; readonly member: string }
  | { readonly reads: 'nodes'; readonly name: string; readonly node_id: string; readonly path: readonly string[] };

/** A placeholder that means nothing: where in the text it stands, and as it was written. */
export interface UnknownPlaceholder {
  readonly offset: number;
  readonly text: string;
}

/** The names that a prompt may use, beside paths below `nodes.<id>.output`. */
export const PLACEHOLDER_NAMES = [
  'world.slug',
  'world.attempted_turn',
  'world.simulation_time',
  'world.projection',
  'subject.id',
  'subject.name',
  'subject.rendered',
  'ambient.visible',
  'tools.available',
] as const;

/** One authored text, cut at its placeholders. */
export interface ParsedPromptText {
  readonly parts: readonly PromptPart[];
  readonly unknown: readonly UnknownPlaceholder[];
  /** Where double braces open and never close; what follows is taken for text. */
  readonly unclosed?: { readonly offset: number };
}

/** Cuts one authored text at its placeholders, looking at each character once. */
export function parsePromptText(text: string): ParsedPromptText {
  const parts: PromptPart[] = [];
  const unknown: UnknownPlaceholder[] = [];
  const rest = (end: number): readonly PromptPart[] =>
    end < text.length ? [...parts, { kind: 'text', text: text.slice(end) }] : parts;
  let end = 0;
  for (;;) {
    const offset = text.indexOf('{{', end);
    if (offset === -1) return { parts: rest(end), unknown };
    const close = text.indexOf('}}', offset + 2);
    if (close === -1) return { parts: rest(end), unknown, unclosed: { offset } };
    if (offset > end) parts.push({ kind: 'text', text: text.slice(end, offset) });
    const placeholder = toPlaceholder(text.slice(offset + 2, close).trim());
    end = close + 2;
    if (placeholder) parts.push({ kind: 'placeholder', placeholder });
    else unknown.push({ offset, text: text.slice(offset, end) });
  }
}

function toPlaceholder(name: string): Placeholder | undefined {
  const [root, member, ...rest] = name.split('.');
  if (root === 'nodes' && member !== undefined && rest[0] === 'output') {
    return { reads: 'nodes', name, node_id: member, path: rest.slice(1) };
  }
  if (!PLACEHOLDER_NAMES.some((known) => known === name)) return undefined;
  switch (name) {
    case 'world.projection':
    case 'subject.rendered':
    case 'ambient.visible':
    case 'tools.available':
      return { reads: name, name };
    default:
      return { reads: root === 'world' ? 'world' : 'subject', name, member: member ?? '' };
  }
}

/** The nodes whose outputs a prompt reads. */
export function nodesReadBy(template: PromptTemplate): readonly string[] {
  const parts = template.messages.flatMap((message) => message.parts);
  return parts.flatMap((part) =>
    part.kind === 'placeholder' && part.placeholder.reads === 'nodes' ? [part.placeholder.node_id] : [],
  );
}
