import { parse } from '@humanwhocodes/momoa';
import type { Problem } from '../../contract/problem.js';
import { type NamedText, placeAt } from './source-tree.js';

/** Where and why a text that `JSON.parse` refuses is not JSON. */
export function findSyntaxProblem(source: NamedText): Problem {
  const offset = findFaultOffset(source.text);
  return {
    code: 'INVALID_JSON',
    pointer: '',
    location: placeAt(source, offset),
    ...describeFault(source.text, offset),
  };
}

interface Fault {
  readonly message: string;
  readonly repair?: string;
}

function findFaultOffset(text: string): number {
  if (endsTooSoon(text)) return text.trimEnd().length;
  if (complaintAbout(text).includes('control character')) return positionOf(text);
  try {
    parse(text, { mode: 'json' });
  } catch (error) {
    const { offset } = error as { readonly offset?: number };
    if (offset !== undefined) return offset;
  }
  return positionOf(text);
}

/** The position parser names the last token here, which is not where the author must look. */
function endsTooSoon(text: string): boolean {
  return (
    /end of JSON input|Unterminated string/.test(complaintAbout(text)) || positionOf(text) >= text.trimEnd().length
  );
}

function positionOf(text: string): number {
  const position = /at position (\d+)/.exec(complaintAbout(text))?.[1];
  return position === undefined ? 0 : Number(position);
}

function complaintAbout(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

function describeFault(text: string, offset: number): Fault {
  const found = text.slice(offset, offset + 1);
  if (offset >= text.trimEnd().length) {
    return {
      message: 'the text ends before its value does',
      repair: 'Close what is still open: a string, list or object.',
    };
  }
  const before = text.slice(0, offset).trimEnd().at(-1);
  if (before === ',' && (found === '}' || found === ']')) {
    return { message: `a comma stands before the closing ${found}`, repair: 'Take the comma out.' };
  }
  if (found === "'") return { message: 'text stands in single quotes', repair: 'Use double quotes.' };
  if (found === '/')
    return { message: 'comments are not JSON', repair: 'Take the comment out; documents have a description.' };
  if (found < ' ') return { message: 'a control character stands here as it is', repair: 'Escape it, as in \\n.' };
  return { message: `${JSON.stringify(found)} cannot stand here` };
}
