/**
 * Patterns of ECMAScript, matched in time that grows with the text and not beyond. Lookaround and backreferences cannot
 * be matched so, and have no translation. The engine behind differs from ECMAScript in what `.` and `\s` mean and in
 * how some properties are spelled: those are written out for it.
 */
import { RE2JS } from 're2js';

/** A compiled pattern. */
export interface LinearPattern {
  readonly test: (text: string) => boolean;
  /** Instructions of the program that matches it. */
  readonly size: number;
}

type Outcome = { readonly ok: true; readonly pattern: LinearPattern } | { readonly ok: false; readonly reason: string };

type Range = readonly [from: number, to: number];

const LAST_CHARACTER = 0x10ffff;
const SPACES: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const LINE_ENDS: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/**
 * Compiles a pattern of which it is known that ECMAScript takes it with the flag `u`.
 * @returns the pattern, or what in it takes more than linear time or room
 */
export function compileLinearPattern(pattern: string): Outcome {
  const known = compiled.get(pattern);
  if (known) return known;
  if (compiled.size >= COMPILED_MAX) compiled.clear();
  const outcome = compile(pattern);
  compiled.set(pattern, outcome);
  return outcome;
}

/** A schema's patterns are compiled to be checked, and again for each validator. */
const compiled = new Map<string, Outcome>();
const COMPILED_MAX = 1000;

function compile(pattern: string): Outcome {
  if (REFERS_BACK.test(pattern)) return { ok: false, reason: 'it refers back to a group' };
  try {
    const program = RE2JS.compile(RE2JS.translateRegExp(translate(pattern)));
    return { ok: true, pattern: { test: (text) => program.test(text), size: program.programSize() } };
  } catch (error) {
    if (!(error instanceof Error) || !error.name.startsWith('RE2JS')) throw error;
    return { ok: false, reason: reasonOf(pattern, error.message) };
  }
}

function reasonOf(pattern: string, said: string): string {
  if (/\(\?<?[=!]/.test(pattern)) return 'it looks ahead or behind';
  if (/repeat count/.test(said)) return 'it repeats something more than 1000 times';
  return said.replace(/^error parsing regexp: /, '');
}

/** After any number of whole escapes. */
const REFERS_BACK = /^(?:[^\\]|\\[^1-9k])*\\[1-9k]/;

/** An escape (a property with its name, both halves of a character), a bracket, a dot; everything else means the same in both. */
const TOKEN = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\[pP]\{[^}]*\}|\\[^]|[[\].]/g;

function translate(pattern: string): string {
  let isInClass = false;
  return pattern.replace(TOKEN, (token) => {
    if (token === '[' || token === ']') {
      isInClass = token === '[';
      return token;
    }
    if (token === '.') return isInClass ? token : `[${write(complementOf(LINE_ENDS))}]`;
    if (token === '\\s' || token === '\\S') {
      const written = write(token === '\\s' ? SPACES : complementOf(SPACES));
      return isInClass ? written : `[${written}]`;
    }
    if (SURROGATES.test(token)) return `\\x{${(JSON.parse(`"${token}"`) as string).codePointAt(0)?.toString(16)}}`;
    return token.replace(/\{(Script|sc|General_Category|gc)=/, '{');
  });
}

const SURROGATES = /^\\u[dD][89abAB]/;

function write(ranges: readonly Range[]): string {
  return ranges.map(([from, to]) => `\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`).join('');
}

function complementOf(ranges: readonly Range[]): readonly Range[] {
  const starts = [0, ...ranges.map(([, to]) => to + 1)];
  const ends = [...ranges.map(([from]) => from - 1), LAST_CHARACTER];
  return starts.map((start, index) => [start, ends[index] ?? LAST_CHARACTER]);
}
