/**
 * Where a text stops being JSON. What the parser says of it quotes the text, which may hold the half of a secret, and names
 * no place. Reads the text once and builds nothing.
 */

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end' | 'nothing';

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** @returns the place of the first character that is not allowed there; the text's length where the text ends too soon */
export function findJsonFault(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    at = endOf(SPACE, text, at) ?? at;
    const found = text[at];
    if (found === undefined || expected === 'nothing') return at;
    const read = readToken(text, at, found, expected);
    if (read === undefined) return at;
    if (read.fault !== undefined) return read.fault;
    at = read.end;
    if (read.opens) open.push(read.opens);
    if (read.closes && (found === '}') !== (open.pop() === '{')) return at - 1;
    expected =
      read.next === 'after value' ? afterValue(open.at(-1)) : read.next === 'item' ? itemOf(open.at(-1)) : read.next;
  }
}

interface Token {
  readonly end: number;
  readonly next: Expected | 'after value' | 'item';
  readonly opens?: '{' | '[';
  readonly closes?: true;
  readonly fault?: number;
}

function readToken(text: string, at: number, found: string, expected: Expected): Token | undefined {
  switch (expected) {
    case 'colon':
      return found === ':' ? { end: at + 1, next: 'value' } : undefined;
    case 'comma or end':
      if (found === ',') return { end: at + 1, next: 'item' };
      return found === '}' || found === ']' ? { end: at + 1, next: 'after value', closes: true } : undefined;
    case 'name or end':
      if (found === '}') return { end: at + 1, next: 'after value', closes: true };
      return found === '"' ? readString(text, at, 'colon') : undefined;
    case 'name':
      return found === '"' ? readString(text, at, 'colon') : undefined;
    case 'value or end':
      if (found === ']') return { end: at + 1, next: 'after value', closes: true };
      return readValue(text, at, found);
    case 'value':
      return readValue(text, at, found);
    case 'nothing':
      return undefined;
  }
}

function readValue(text: string, at: number, found: string): Token | undefined {
  if (found === '{') return { end: at + 1, next: 'name or end', opens: '{' };
  if (found === '[') return { end: at + 1, next: 'value or end', opens: '[' };
  if (found === '"') return readString(text, at, 'after value');
  const end = endOf(SCALAR, text, at);
  return end === undefined ? undefined : { end, next: 'after value' };
}

function readString(text: string, start: number, next: Token['next']): Token {
  let at = start + 1;
  for (;;) {
    const found = text[at];
    if (found === undefined || found < ' ') return { end: at, next, fault: at };
    if (found === '"') return { end: at + 1, next };
    if (found !== '\\') at += 1;
    else {
      const end = endOf(ESCAPE, text, at);
      if (end === undefined) return { end: at, next, fault: text.length - at < LONGEST_ESCAPE ? text.length : at };
      at = end;
    }
  }
}

/** A backslash nearer to the end than this may be the beginning of an escape that was cut. */
const LONGEST_ESCAPE = 6;

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function afterValue(holder: '{' | '[' | undefined): Expected {
  return holder === undefined ? 'nothing' : 'comma or end';
}

function itemOf(holder: '{' | '[' | undefined): Expected {
  return holder === '{' ? 'name' : 'value';
}
