import type { MemberNode, ValueNode } from '@humanwhocodes/momoa';
import { findIJsonProblem } from './i-json.js';
import { appendToken } from './json-pointer.js';
import { isExactNumber } from './source-scan.js';
import { nameOf, toTree } from './source-tree.js';

/** A part of a JSON text that would be kept as something else than is written. */
export type SourceFault = FaultPlace &
  (
    | { readonly kind: 'repeated_name'; readonly name: string; readonly first_line: number }
    | { readonly kind: 'number_changes'; readonly written: string; readonly kept: number }
    /** `reason` is a noun, such as `text with a lone surrogate`. */
    | { readonly kind: 'text_not_storable'; readonly reason: string }
  );

interface FaultPlace {
  readonly pointer: string;
  /** The characters before it. */
  readonly offset: number;
}

/**
 * The parts of a JSON text that parsing would change: repeated names, numbers that no double holds, text that cannot be
 * stored. Slow: only for a text that is known to have one.
 * @param text valid JSON
 */
export function findSourceFaults(text: string): readonly SourceFault[] {
  return findFaults(text, toTree({ text }).body, '');
}

function findFaults(text: string, node: ValueNode, pointer: string): readonly SourceFault[] {
  const { offset } = node.loc.start;
  switch (node.type) {
    case 'Object':
      return [...findRepeatedNames(node.members, pointer), ...findInMembers(text, node.members, pointer)];
    case 'Array':
      return node.elements.flatMap(({ value }, index) => findFaults(text, value, appendToken(pointer, index)));
    case 'Number': {
      const written = text.slice(offset, node.loc.end.offset);
      return isExactNumber(written) ? [] : [{ kind: 'number_changes', written, kept: node.value, pointer, offset }];
    }
    case 'String':
      return findInText(node.value, { pointer, offset });
    default:
      return [];
  }
}

function findInMembers(text: string, members: readonly MemberNode[], pointer: string): readonly SourceFault[] {
  return members.flatMap((member) => {
    const place = appendToken(pointer, nameOf(member));
    const inName = findInText(nameOf(member), { pointer: place, offset: member.loc.start.offset });
    return [...inName, ...findFaults(text, member.value, place)];
  });
}

function findRepeatedNames(members: readonly MemberNode[], pointer: string): readonly SourceFault[] {
  const lines = new Map<string, number>();
  return members.flatMap((member): readonly SourceFault[] => {
    const name = nameOf(member);
    const { line, offset } = member.loc.start;
    const first_line = lines.get(name);
    if (first_line !== undefined)
      return [{ kind: 'repeated_name', name, first_line, pointer: appendToken(pointer, name), offset }];
    lines.set(name, line);
    return [];
  });
}

function findInText(text: string, place: FaultPlace): readonly SourceFault[] {
  const problem = findIJsonProblem(text);
  return problem === undefined ? [] : [{ kind: 'text_not_storable', reason: problem.reason, ...place }];
}
