import type { DocumentNode, MemberNode, ValueNode } from '@humanwhocodes/momoa';
import { parse } from '@humanwhocodes/momoa';
import type { Location, Problem } from '../../contract/problem.js';
import { findIJsonProblem } from './i-json.js';
import { appendToken, pointerTokens } from './json-pointer.js';
import { isExactNumber } from './source-scan.js';

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

/** What a text that is valid JSON says that would be kept as something else. */
export function findTreeProblems(source: NamedText): readonly Problem[] {
  return findProblems(source, toTree(source).body, '');
}

/** A place from an offset into the text. */
export function placeAt(source: NamedText, offset: number): Location {
  const before = source.text.slice(0, offset).split(/\r\n|\n|\r/);
  return { file: source.file, line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

function toTree(source: NamedText): DocumentNode {
  return parse(source.text, { mode: 'json' });
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

function nameOf(member: MemberNode): string {
  return member.name.type === 'String' ? member.name.value : member.name.name;
}

function findProblems(source: NamedText, node: ValueNode, pointer: string): readonly Problem[] {
  switch (node.type) {
    case 'Object':
      return [
        ...findRepeatedNames(source, node.members, pointer),
        ...findMemberProblems(source, node.members, pointer),
      ];
    case 'Array':
      return node.elements.flatMap((element, index) =>
        findProblems(source, element.value, appendToken(pointer, index)),
      );
    case 'Number':
      return findNumberProblems(source, node, pointer);
    case 'String':
      return findTextProblems(toLocation(source, node), node.value, pointer);
    default:
      return [];
  }
}

function findMemberProblems(source: NamedText, members: readonly MemberNode[], pointer: string): readonly Problem[] {
  return members.flatMap((member) => {
    const place = appendToken(pointer, nameOf(member));
    const inName = findTextProblems(toLocation(source, member), nameOf(member), place);
    return [...inName, ...findProblems(source, member.value, place)];
  });
}

function findRepeatedNames(source: NamedText, members: readonly MemberNode[], pointer: string): readonly Problem[] {
  const seen = new Map<string, Location>();
  const problems: Problem[] = [];
  for (const member of members) {
    const name = nameOf(member);
    const location = toLocation(source, member);
    const first = seen.get(name);
    if (first) problems.push(repeatedName(name, first, { pointer: appendToken(pointer, name), location }));
    else seen.set(name, location);
  }
  return problems;
}

function repeatedName(
  name: string,
  first: Location,
  place: { readonly pointer: string; readonly location: Location },
): Problem {
  return {
    code: 'REPEATED_NAME',
    message: `${JSON.stringify(name)} stands twice in this object; it was first written on line ${first.line}`,
    repair: 'Keep one of the two.',
    ...place,
  };
}

function findNumberProblems(
  source: NamedText,
  node: ValueNode & { readonly type: 'Number' },
  pointer: string,
): readonly Problem[] {
  const written = source.text.slice(node.loc.start.offset, node.loc.end.offset);
  if (isExactNumber(written)) return [];
  const message = `the number ${shorten(written)} would be kept as ${node.value}`;
  const repair = 'Write a number that a double holds exactly, or write it as a string.';
  return [{ code: 'NUMBER_CHANGES', message, repair, pointer, location: toLocation(source, node) }];
}

function findTextProblems(location: Location, text: string, pointer: string): readonly Problem[] {
  const problem = findIJsonProblem(text);
  if (!problem) return [];
  return [
    {
      code: 'TEXT_NOT_STORABLE',
      message: `this is ${problem.reason}`,
      repair: 'Take the character out.',
      pointer,
      location,
    },
  ];
}

function shorten(written: string): string {
  return written.length > 40 ? `${written.slice(0, 40)}...` : written;
}
