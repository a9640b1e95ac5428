import type { Json } from '../../contract/json.js';
import type { Location, Outcome, Problem } from '../../contract/problem.js';
import { DEPTH_MAX } from './i-json.js';
import { isAsWritten } from './parse-json.js';
import { findSyntaxProblem } from './source-syntax.js';
import { scanSource } from './source-scan.js';
import { findTreeProblems, type NamedText, placeAt, toLocator } from './source-tree.js';

/** A parsed JSON text that knows where everything in it stands. */
export interface SourceText {
  readonly value: Json;
  /** Where a pointer leads: a member at its name, an item at its value. What is not there is found at what would hold it. */
  readonly locate: (pointer: string) => Location;
}

/**
 * Parses a JSON text of a person's making, and refuses what would be kept as something else than is written: repeated
 * names, numbers that no double holds, text that cannot be stored, nesting beyond `DEPTH_MAX`.
 * @returns the value, or every problem with its place
 */
export function parseSource(file: string, written: string): Outcome<SourceText> {
  const source = { file, text: written.startsWith('\uFEFF') ? written.slice(1) : written };
  const mark = source.text === written ? [] : [byteOrderMark(file)];
  const parsed = parseText(source);
  if (!parsed.ok) return { ok: false, problems: [...mark, ...parsed.problems] };
  if (mark.length > 0) return { ok: false, problems: mark };
  return { ok: true, value: { value: parsed.value, locate: toLocator(source) } };
}

function parseText(source: NamedText): Outcome<Json> {
  const scan = scanSource(source.text);
  if (scan.too_deep_at !== undefined) return { ok: false, problems: [tooDeep(placeAt(source, scan.too_deep_at))] };
  const parsed = parseValue(source);
  if (!parsed.ok) return parsed;
  const problems = isAsWritten(scan, parsed.value) ? [] : findTreeProblems(source);
  return problems.length > 0 ? { ok: false, problems } : parsed;
}

function parseValue(source: NamedText): Outcome<Json> {
  try {
    return { ok: true, value: JSON.parse(source.text) as Json };
  } catch {
    return { ok: false, problems: [findSyntaxProblem(source)] };
  }
}

function byteOrderMark(file: string): Problem {
  return {
    code: 'BYTE_ORDER_MARK',
    message: 'the file begins with a byte-order mark, which JSON does not have',
    repair: 'Save the file as UTF-8 without a byte-order mark.',
    pointer: '',
    location: { file, line: 1, column: 1 },
  };
}

function tooDeep(location: Location): Problem {
  const message = `this is nested deeper than ${DEPTH_MAX} levels`;
  return { code: 'TOO_DEEP', message, pointer: '', location, repair: 'Flatten it.' };
}
