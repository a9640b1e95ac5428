import { parseSync } from '@swc/core';

/** A node of a syntax tree, as far as the rules look at it. */
export interface SyntaxNode {
  readonly type: string;
  readonly span?: { readonly start: number; readonly end: number };
  readonly [member: string]: unknown;
}

/** A module's nodes, each before those within it, and where each begins and ends. */
export interface Syntax {
  readonly nodes: readonly SyntaxNode[];
  readonly lineOf: (offset: number) => number;
  /** In bytes of the text, of an offset of the parser. */
  readonly offsetOf: (offset: number) => number;
}

/** The parser counts bytes from where its last parse ended: a first statement of our own shows where this one begins. */
const LANDMARK = '0;\n';

/** Parses TypeScript. @throws Error where the text is none */
export function parseTypeScript(text: string): Syntax {
  const marked = Buffer.from(LANDMARK + text.replace(/^#!.*/, ''));
  const module = parseSync(marked.toString(), { syntax: 'typescript', target: 'es2022' });
  const begin = module.span.start;
  const nodes: SyntaxNode[] = [];
  collect(module, nodes);
  return {
    nodes,
    offsetOf: (offset) => offset - begin - Buffer.byteLength(LANDMARK),
    lineOf: (offset) =>
      marked
        .subarray(0, offset - begin)
        .toString()
        .split('\n').length - 1,
  };
}

/** Narrows what a member of a node holds. */
export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';
}

function collect(value: unknown, nodes: SyntaxNode[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) nodes.push(value);
  for (const inner of Object.values(value)) collect(inner, nodes);
}
