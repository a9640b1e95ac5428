import { type Problem, problem } from '../../contract/problem.js';
import type { SyntaxFault } from '../../contract/problems/files.js';
import { findJsonFault } from './json-parts.js';
import { type NamedText, toPlacer } from './source-places.js';

/** Where and why a text that `JSON.parse` refuses is not JSON. */
export function findSyntaxProblem(source: NamedText): Problem {
  const offset = Math.min(findJsonFault(source.text), source.text.trimEnd().length);
  const location = toPlacer(source)(offset);
  return problem('INVALID_JSON', describeFault(source.text, offset), { pointer: '', location });
}

/** The fault at the place where a text stops being JSON, and its repair. */
export function describeFault(text: string, offset: number): SyntaxFault {
  const found = text.slice(offset, offset + 1);
  if (text.trim() === '')
    return { message: 'the file is empty', repair: 'Write a document, {...}, or remove the file.' };
  if (offset >= text.trimEnd().length) {
    return {
      message: 'the text ends before its value does',
      repair: 'Close what is still open: a string, list or object.',
    };
  }
  const before = text.slice(0, offset).trimEnd().at(-1);
  if (before === ',' && (found === '}' || found === ']')) {
    return { message: `a comma stands before the closing ${found}`, repair: 'Remove the comma.' };
  }
  const missing = findMissingMark(text, offset);
  if (missing !== undefined) return sayMissing(missing, text, offset);
  if (found === "'") return { message: 'text stands in single quotes', repair: 'Use double quotes.' };
  if (found === '/')
    return { message: 'comments are not JSON', repair: 'Remove the comment; documents have a description.' };
  if (found < ' ') return { message: 'a control character stands here as it is', repair: 'Escape it, as in \\n.' };
  return { message: `${JSON.stringify(found)} cannot stand here`, repair: adviseOn(text.slice(offset)) };
}

function adviseOn(rest: string): string {
  if (/^[+-]?(NaN|Infinity)/.test(rest))
    return 'Write a number, null, or a text in double quotes: JSON has no such number.';
  if (rest.startsWith('\\'))
    return 'Write a backslash as \\\\; only \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits are escapes.';
  if (/^[{["]/.test(rest)) return 'Remove it: a file holds one value, and an object names its members.';
  return /^\w/.test(rest)
    ? 'Put text in double quotes; without them, only numbers, true, false and null stand.'
    : 'Remove it.';
}

const MARKS = [
  { mark: ',', name: 'comma' },
  { mark: ':', name: 'colon' },
] as const;

type Mark = (typeof MARKS)[number];

/** The missing mark, if the text here can follow it. */
function findMissingMark(text: string, offset: number): Mark | undefined {
  return MARKS.find(({ mark }) => {
    const mended = `${text.slice(0, offset)}${mark}${text.slice(offset)}`;
    return findJsonFault(mended) > offset + mark.length;
  });
}

/** An author looks for it where the last value ends. */
function sayMissing({ mark, name }: Mark, text: string, offset: number): SyntaxFault {
  const before = text.slice(0, offset).trimEnd();
  const line = before.split('\n').length;
  const isSameLine = !text.slice(before.length, offset).includes('\n');
  return isSameLine
    ? { message: `a ${name} is missing before this`, repair: `Put a ${mark} in front of it.` }
    : { message: `a ${name} is missing after line ${line}`, repair: `Put a ${mark} at the end of line ${line}.` };
}
