/** A part of a JSON text, or the place at which the text stops being JSON. */
type JsonPart =
  | {
      readonly kind: 'name' | 'value';
      /** How many characters precede it. */
      readonly at: number;
      /** As it is written; of an object or list its bracket alone. */
      readonly written: string;
      /** The tokens of its JSON Pointer: to be read at once, since the reader continues with the same list. */
      readonly path: readonly (string | number)[];
    }
  | { readonly kind: 'fault'; readonly at: number };

/** The next token; `mark` is a comma, or the bracket that closes the innermost open one. */
type Expected = 'value' | 'name' | 'colon' | 'mark' | 'nothing';

const SPACE = /[ \t\r\n]*/y;

/** How each begins; a text is read to its end by itself. */
const TOKENS: Readonly<Record<Expected, RegExp>> = {
  value: /["{[]|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y,
  name: /"/y,
  colon: /:/y,
  mark: /,/y,
  nothing: /(?!)/y,
};

const CLOSING = { '{': '}', '[': ']' } as const;

/**
 * Reads a JSON text part by part, in linear time and constant stack, and builds nothing. A fault is the last part: it is at
 * the first character that is not allowed there, or at the end of a text that ends too soon.
 */
export function* readParts(text: string): Generator<JsonPart> {
  const path: (string | number)[] = [];
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let isOpened = false;
  for (let at = endOf(SPACE, text, 0); ; at = endOf(SPACE, text, at)) {
    const holder = open.at(-1);
    if (expected === 'nothing' && at === text.length) return;
    if (holder !== undefined && text[at] === CLOSING[holder] && (isOpened || expected === 'mark')) {
      path.pop();
      open.pop();
      [at, expected, isOpened] = [at + 1, afterValue(open), false];
      continue;
    }
    const { end, fault } = readToken(TOKENS[expected], text, at);
    if (fault !== undefined) return yield { kind: 'fault', at: fault };
    const written = text.slice(at, end);
    isOpened = false;
    if (expected === 'name') path[path.length - 1] = textOf(written);
    if (expected === 'name' || expected === 'value') yield { kind: expected, at, written, path };
    if (written === '{' || written === '[') {
      open.push(written);
      path.push(written === '{' ? '' : 0);
      isOpened = true;
    }
    if (written === ',' && holder === '[') path[path.length - 1] = Number(path.at(-1)) + 1;
    expected = afterToken(expected, written, open);
    at = end;
  }
}

function afterToken(expected: Expected, written: string, open: readonly ('{' | '[')[]): Expected {
  if (expected === 'name') return 'colon';
  if (expected === 'colon') return 'value';
  if (written !== ',' && written !== '{' && written !== '[') return afterValue(open);
  return open.at(-1) === '{' ? 'name' : 'value';
}

function afterValue(open: readonly unknown[]): Expected {
  return open.length === 0 ? 'nothing' : 'mark';
}

function readToken(pattern: RegExp, text: string, at: number): { readonly end: number; readonly fault?: number } {
  const end = endOf(pattern, text, at);
  if (end === at) return { end, fault: at };
  return text[at] === '"' ? readText(text, end) : { end };
}

const PLAIN = /[^"\\\0-\x1f]*/y;
/** Several at a time, and a bounded number: matching an unbounded one takes memory that grows with it. */
const ESCAPES = /(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,64}/y;
/** A backslash nearer to the end than this may be the beginning of an escape that was cut. */
const LONGEST_ESCAPE = 6;

function readText(text: string, start: number): { readonly end: number; readonly fault?: number } {
  for (let at = endOf(PLAIN, text, start); ; at = endOf(PLAIN, text, at)) {
    if (text[at] === '"') return { end: at + 1 };
    const end = endOf(ESCAPES, text, at);
    const isCut = text[at] === '\\' && text.length - at < LONGEST_ESCAPE;
    if (end === at) return { end, fault: isCut ? text.length : at };
    at = end;
  }
}

/** Where a pattern ends that begins here; here, where none does. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The text that a string of JSON writes. */
export function textOf(written: string): string {
  return written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1);
}

/** The place of the first character that is not allowed there; the text's length where there is none before its end. */
export function findJsonFault(text: string): number {
  for (const part of readParts(text)) if (part.kind === 'fault') return part.at;
  return text.length;
}
