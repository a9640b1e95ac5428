import type { Json } from '../../contract/json.js';
import type { Location, Outcome, Problem } from '../../contract/problem.js';
import { unreachable } from '../../contract/unreachable.js';
import { DEPTH_MAX } from './i-json.js';
import { isAsWritten } from './parse-json.js';
import { findSyntaxProblem } from './source-syntax.js';
import { scanSource } from './source-scan.js';
import { findSourceFaults, type SourceFault } from './source-faults.js';
import { type NamedText, placeAt, toLocator } from './source-tree.js';

/** The most values of a document: the memory that checking takes grows with them, not with the file. */
export const DOCUMENT_VALUES_MAX = 1_000_000;

/** A text that was read as a value, and knows the place of everything in it. */
export interface SourceText {
  readonly value: Json;
  /**
   * Where a pointer leads: a member at its name, an item at its value. What is not there is found at what would hold it.
   * `offset` counts the characters of the text at the pointer that are before the place.
   */
  readonly locate: (pointer: string, offset?: number) => Location;
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

/**
 * Reads a prompt's file as the document that is stored. Lines end in `\n` whatever the file has, and the end of the last
 * line is left out: the same words have the same hash on every system, and as a text within a workflow.
 * @returns the document, or every problem with its place
 */
export function parsePrompt(file: string, written: string): Outcome<SourceText> {
  const text = written.replaceAll('\r\n', '\n').replace(/\n$/, '');
  const nul = text.indexOf('\u0000');
  const problems = [
    ...(text.startsWith('\uFEFF') ? [byteOrderMark(file)] : []),
    ...(nul === -1 ? [] : [notStorable(placeAt({ file, text }, nul))]),
  ];
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, value: { value: { text }, locate: (_, offset = 0) => placeAt({ file, text }, offset) } };
}

function notStorable(location: Location): Problem {
  const message = 'this is text with the character U+0000';
  return { code: 'TEXT_NOT_STORABLE', message, pointer: '', location, repair: 'Take the character out.' };
}

function parseText(source: NamedText): Outcome<Json> {
  const scan = scanSource(source.text);
  if (scan.too_deep_at !== undefined) return { ok: false, problems: [tooDeep(placeAt(source, scan.too_deep_at))] };
  if (scan.value_count > DOCUMENT_VALUES_MAX) return { ok: false, problems: [tooMany(source.file, scan.value_count)] };
  const parsed = parseValue(source);
  if (!parsed.ok) return parsed;
  const faults = isAsWritten(scan, parsed.value) ? [] : findSourceFaults(source.text);
  const problems = faults.map((fault) => toProblem(fault, placeAt(source, fault.offset)));
  return problems.length > 0 ? { ok: false, problems } : parsed;
}

function parseValue(source: NamedText): Outcome<Json> {
  try {
    return { ok: true, value: JSON.parse(source.text) as Json };
  } catch {
    return { ok: false, problems: [findSyntaxProblem(source)] };
  }
}

function toProblem(fault: SourceFault, location: Location): Problem {
  const { pointer } = fault;
  switch (fault.kind) {
    case 'repeated_name':
      return {
        code: 'REPEATED_NAME',
        message: `${JSON.stringify(fault.name)} is in this object twice; it was first written on line ${fault.first_line}`,
        repair: 'Keep one of the two.',
        pointer,
        location,
      };
    case 'number_changes':
      return {
        code: 'NUMBER_CHANGES',
        message: `the number ${shorten(fault.written)} would be kept as ${fault.kept}`,
        repair: 'Write a number that a double holds exactly, or write it as a string.',
        pointer,
        location,
      };
    case 'text_not_storable':
      return { ...notStorable(location), message: `this is ${fault.reason}`, pointer };
    default:
      return unreachable(fault);
  }
}

function shorten(written: string): string {
  return written.length > 40 ? `${written.slice(0, 40)}...` : written;
}

function byteOrderMark(file: string): Problem {
  return {
    code: 'BYTE_ORDER_MARK',
    message: 'the file begins with a byte-order mark, which no document has',
    repair: 'Save the file as UTF-8 without a byte-order mark.',
    pointer: '',
    location: { file, line: 1, column: 1 },
  };
}

function tooMany(file: string, count: number): Problem {
  const message = `this document holds ${count} values, and ${DOCUMENT_VALUES_MAX} are read at most`;
  return { code: 'FILE_TOO_LARGE', message, pointer: '', location: { file, line: 1, column: 1 }, repair: 'Split it.' };
}

function tooDeep(location: Location): Problem {
  const message = `this is nested deeper than ${DEPTH_MAX} levels`;
  return { code: 'TOO_DEEP', message, pointer: '', location, repair: 'Flatten it.' };
}
