import type { PromptMessage } from '../../generated/workflow.js';

/** A prompt as authored, cut at its placeholders. */
export interface PromptTemplate {
  readonly messages: readonly { readonly role: PromptMessage['role']; readonly parts: readonly PromptPart[] }[];
}

type PromptPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'placeholder'; readonly placeholder: Placeholder; readonly offset: number };

/** The text between double braces, and its meaning. */
export type Placeholder =
  | { readonly reads: (typeof PLACEHOLDERS)[PlaceholderName]; readonly name: PlaceholderName; readonly tokens?: never }
  | PathPlaceholder;

/** Reads one value: an output of a node, or a reading that `inject_as` has placed. */
interface PathPlaceholder {
  readonly reads: 'nodes' | 'ambient.visible';
  readonly name: string;
  /** The path of the value in what templates read, such as `ambient`, `tide`, `height`. */
  readonly tokens: readonly string[];
}

/** A placeholder that means nothing: its place in the text, and how it was written. */
interface UnknownPlaceholder {
  readonly offset: number;
  readonly text: string;
}

/** What each name reads that a prompt may use, beside paths below `ambient` and `nodes.<id>.output`. */
const PLACEHOLDERS = {
  'world.slug': 'world',
  'world.attempted_turn': 'world',
  'world.simulation_time': 'world',
  'world.projection': 'world.projection',
  'world.recent_events': 'world.recent_events',
  'subject.id': 'subject',
  'subject.name': 'subject',
  'subject.rendered': 'subject.rendered',
  'subject.own_turns': 'subject.own_turns',
  'memory.pinned': 'memory.pinned',
  'memory.retrieved': 'memory.retrieved',
  'ambient.visible': 'ambient.visible',
  'tools.available': 'tools.available',
  'gate.answer': 'model',
} as const;

export type PlaceholderName = keyof typeof PLACEHOLDERS;

export const PLACEHOLDER_NAMES = Object.keys(PLACEHOLDERS) as readonly PlaceholderName[];

/** One authored text, cut at its placeholders. */
interface ParsedPromptText {
  readonly parts: readonly PromptPart[];
  readonly unknown: readonly UnknownPlaceholder[];
  /** Where double braces first open and do not close before the next ones open, if ever; they are taken for text. */
  readonly unclosed: { readonly offset: number } | undefined;
}

/** Cuts one authored text at its placeholders, looking at each character once. */
export function parsePromptText(text: string): ParsedPromptText {
  const parts: PromptPart[] = [];
  const unknown: UnknownPlaceholder[] = [];
  let unclosed: ParsedPromptText['unclosed'];
  const endAt = (end: number): ParsedPromptText => ({
    parts: end < text.length ? [...parts, { kind: 'text', text: text.slice(end) }] : parts,
    unknown,
    unclosed,
  });
  let end = 0;
  for (;;) {
    const open = text.indexOf('{{', end);
    if (open === -1) return endAt(end);
    const close = text.indexOf('}}', open + 2);
    const offset = close === -1 ? undefined : innermost(text, open, close);
    if (offset !== open) unclosed ??= { offset: open };
    if (offset === undefined) return endAt(end);
    if (offset > end) parts.push({ kind: 'text', text: text.slice(end, offset) });
    const placeholder = toPlaceholder(text.slice(offset + 2, close).trim());
    end = close + 2;
    if (placeholder) parts.push({ kind: 'placeholder', placeholder, offset });
    else unknown.push({ offset, text: text.slice(offset, end) });
  }
}

/** Where the last double braces open before some close: those before them were forgotten. */
function innermost(text: string, open: number, close: number): number {
  const next = text.indexOf('{{', open + 2);
  return next === -1 || next > close - 2 ? open : text.lastIndexOf('{{', close - 2);
}

function toPlaceholder(name: string): Placeholder | undefined {
  const known = PLACEHOLDER_NAMES.find((one) => one === name);
  if (known !== undefined) return { reads: PLACEHOLDERS[known], name: known };
  const tokens = name.split('.');
  const [root, id = '', output] = tokens;
  if (id === '') return undefined;
  if (root === 'nodes' && output === 'output') return { reads: 'nodes', name, tokens };
  return root === 'ambient' ? { reads: 'ambient.visible', name, tokens } : undefined;
}
