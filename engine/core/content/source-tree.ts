import type { DocumentNode, MemberNode, ValueNode } from '@humanwhocodes/momoa';
import { parse } from '@humanwhocodes/momoa';
import type { Location } from '../../contract/problem.js';
import { pointerTokens } from './json-pointer.js';

/** A text with the name of its file. */
export interface NamedText {
  readonly file: string;
  readonly text: string;
}

/**
 * Finds places in a text that is valid JSON. The text is parsed once, when the first place is asked for.
 * @returns the place of what a pointer leads to or, given an offset into the string there, of that character
 */
export function toLocator(source: NamedText): (pointer: string, offset?: number) => Location {
  let tree: DocumentNode | undefined;
  return (pointer, offset) => {
    tree ??= toTree(source);
    const node = findNode(tree.body, pointerTokens(pointer));
    const value = node.type === 'Member' ? node.value : node;
    if (offset === undefined || value.type !== 'String') return toLocation(source, node);
    return placeAt(source, offsetInString(source.text, value.loc.start.offset, offset));
  };
}

/** Where in the text a character of a string is written: one escape may write it. */
function offsetInString(text: string, start: number, offset: number): number {
  const written = /\\u[0-9A-Fa-f]{4}|\\.|[^]/y;
  written.lastIndex = start + 1;
  for (let left = offset; left > 0; left -= 1) written.exec(text);
  return written.lastIndex;
}

/** A place from an offset into the text. */
export function placeAt(source: NamedText, offset: number): Location {
  const before = source.text.slice(0, offset).split(/\r\n|\n|\r/);
  return { file: source.file, line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** The syntax tree of a text that is valid JSON. */
export function toTree({ text }: Pick<NamedText, 'text'>): DocumentNode {
  return parse(text, { mode: 'json' });
}

function toLocation(source: NamedText, node: ValueNode | MemberNode): Location {
  const { line, column } = node.loc.start;
  return { file: source.file, line, column };
}

function findNode(root: ValueNode, tokens: readonly string[]): ValueNode | MemberNode {
  let holder = root;
  let found: ValueNode | MemberNode = root;
  for (const token of tokens) {
    const next = findChild(holder, token);
    if (!next) return found;
    found = next;
    holder = next.type === 'Member' ? next.value : next;
  }
  return found;
}

function findChild(holder: ValueNode, token: string): ValueNode | MemberNode | undefined {
  if (holder.type === 'Object') return holder.members.findLast((member) => nameOf(member) === token);
  return holder.type === 'Array' ? holder.elements[Number(token)]?.value : undefined;
}

/** The name of a member, as it is parsed. */
export function nameOf(member: MemberNode): string {
  return member.name.type === 'String' ? member.name.value : member.name.name;
}
