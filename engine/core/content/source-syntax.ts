import { type Problem, problem } from '../../contract/problem.js';
import type { SyntaxFault } from '../../contract/problems/files.js';
import { findJsonFault } from './json-parts.js';
import { nameInvisible } from './variable-value.js';
import { type NamedText, toPlacer } from './source-places.js';

/** Where and why a text that `JSON.parse` refuses is not JSON. */
export function findSyntaxProblem(source: NamedText): Problem {
  const offset = Math.min(findJsonFault(source.text), source.text.trimEnd().length);
  const location = toPlacer(source)(offset);
  return problem('INVALID_JSON', findSyntaxFault(source.text, offset), { pointer: '', location });
}

/** The fault at the place where a text stops being JSON. */
export function findSyntaxFault(text: string, offset: number): SyntaxFault {
  const rest = text.slice(offset);
  const found = rest.slice(0, 1);
  if (text.trim() === '') return { kind: 'empty' };
  if (text.slice(0, 2).includes('\0')) return { kind: 'utf_16' };
  if (rest.trim() === '') return { kind: 'cut' };
  const before = text.slice(0, offset).trimEnd().at(-1);
  if (before === ',' && (found === '}' || found === ']')) return { kind: 'comma_before', closing: found };
  const mark = findMissingMark(text, offset);
  if (mark !== undefined) return { kind: 'missing', mark, ...lineBefore(text, offset) };
  if (found === "'") return { kind: 'quotes' };
  if (found === '/') return { kind: 'comment' };
  if (CURLY_QUOTE.test(found)) return { kind: 'curly_quotes' };
  if (found < ' ') return { kind: 'control' };
  const what = nameInvisible(found);
  return what === undefined ? { kind: 'character', rest } : { kind: 'invisible', what };
}

const CURLY_QUOTE = /[\u2018-\u201F\u00AB\u00BB]/;

/** The missing mark, if the text here can follow it. */
function findMissingMark(text: string, offset: number): ',' | ':' | undefined {
  return ([',', ':'] as const).find((mark) => {
    const mended = `${text.slice(0, offset)}${mark}${text.slice(offset)}`;
    return findJsonFault(mended) > offset + mark.length;
  });
}

/** An author looks for a mark where the last value ends: the line of that, where it is another one. */
function lineBefore(text: string, offset: number): { readonly after_line?: number } {
  const before = text.slice(0, offset).trimEnd();
  return text.slice(before.length, offset).includes('\n') ? { after_line: before.split('\n').length } : {};
}
