import type { Json } from '../../contract/json.js';
import { type Location, type Outcome, problem, type Problem, refuse } from '../../contract/problem.js';
import { unreachable } from '../../contract/unreachable.js';
import { DEPTH_MAX } from './i-json.js';
import { listProblems } from './listed-problems.js';
import { shorten } from './shorten.js';
import { listFaults, type SourceFault } from './source-faults.js';
import { type NamedText, toLocator, toPlacer } from './source-places.js';
import { findSyntaxProblem } from './source-syntax.js';

/** The most values of a document: the memory that checking takes grows with them, not with the file. */
const DOCUMENT_VALUES_MAX = 1_000_000;

/** A text that was read as a value, and knows the place of everything in it. */
export interface SourceText {
  readonly value: Json;
  /**
   * The place of a pointer: a member at its name, an item at its value. A missing value is placed at the one that would
   * hold it. `offset` counts the characters of the text at the pointer that are before the place.
   */
  readonly locate: (pointer: string, offset?: number) => Location;
}

/**
 * Parses a JSON text of a person's making, and refuses what would be kept as something else than is written: repeated
 * names, numbers that no double holds, text that cannot be stored, nesting beyond `DEPTH_MAX`.
 * @returns the value, or every problem with its place
 */
export function parseSource(file: string, written: string): Outcome<SourceText> {
  const source = { file, text: withoutMark(written) };
  const parsed = parseText(source);
  if (!parsed.ok) return parsed;
  return { ok: true, value: { value: parsed.value, locate: toLocator(source) } };
}

/**
 * Reads a prompt's file as the document that is stored. Lines end in `\n` whatever the file has, and the end of the last
 * line is left out: equal prompts have equal hashes on every system, and as a text within a workflow.
 * @returns the document, or every problem with its place
 */
export function parsePrompt(file: string, written: string): Outcome<SourceText> {
  const text = withoutMark(written).replaceAll('\r\n', '\n').replace(/\n$/, '');
  const placeAt = toPlacer({ file, text });
  const nul = text.indexOf('\u0000');
  const reason = 'text with the character U+0000';
  if (nul !== -1) return refuse(problem('TEXT_NOT_STORABLE', { reason }, { pointer: '', location: placeAt(nul) }));
  return { ok: true, value: { value: { text }, locate: (_, offset = 0) => placeAt(offset) } };
}

function parseText(source: NamedText): Outcome<Json> {
  const faults = listFaults(source.text, DOCUMENT_VALUES_MAX);
  if (faults.length === 0) return { ok: true, value: JSON.parse(source.text) as Json };
  const placeAt = toPlacer(source);
  return refuse(...listProblems(faults.map((fault) => toProblem(source, fault, placeAt))));
}

function toProblem(source: NamedText, fault: SourceFault, placeAt: (offset: number) => Location): Problem {
  const place = { pointer: 'pointer' in fault ? fault.pointer : '', location: placeAt(fault.at) };
  switch (fault.kind) {
    case 'no_json':
      return findSyntaxProblem(source);
    case 'too_deep':
      return problem('TOO_DEEP', { levels_max: DEPTH_MAX }, place);
    case 'too_many_values':
      return problem('FILE_TOO_LARGE', { values_max: DOCUMENT_VALUES_MAX }, place);
    case 'repeated_name':
      return problem('REPEATED_NAME', { name: fault.name, line: placeAt(fault.first_at).line }, place);
    case 'number_changes':
      return problem('NUMBER_CHANGES', { written: shorten(fault.written, 40), kept: fault.kept }, place);
    case 'text_not_storable':
      return problem('TEXT_NOT_STORABLE', fault, place);
    default:
      return unreachable(fault);
  }
}

/** Editors of some systems begin a file with a byte-order mark; it says nothing. */
function withoutMark(written: string): string {
  return written.startsWith('\uFEFF') ? written.slice(1) : written;
}
