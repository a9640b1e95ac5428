import type { Json } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import { DEPTH_MAX, findIJsonProblem } from './i-json.js';
import { findJsonFault } from './json-fault.js';
import { findSourceFaults, type SourceFault } from './source-faults.js';
import { type SourceScan, scanSource } from './source-scan.js';

/** A value as it is written, or why the text is refused. */
export type ParsedJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly fault: JsonTextFault };

/** What is wrong with a text that should be JSON. Nothing of it is quoted: it may hold what must not be shown. */
export interface JsonTextFault {
  /** Completes the sentence "it ...". */
  readonly reason: string;
  /** The first character at fault, counted from 0. */
  readonly at: number;
  /** Where in the value; left out where the text is no JSON at all. */
  readonly pointer?: string;
}

/**
 * Parses I-JSON (RFC 7493). A text is refused where the value would be another than is written: a repeated name, a number
 * that no double holds, U+0000, a lone surrogate; and where it is nested deeper than `DEPTH_MAX`.
 */
export function parseJson(text: string): ParsedJson {
  const scan = scanSource(text);
  if (scan.too_deep_at !== undefined) return refuse(`is nested deeper than ${DEPTH_MAX} levels`, scan.too_deep_at);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    const at = findJsonFault(text);
    return refuse(at === text.length ? 'ends too soon' : `stops being JSON at character ${at + 1}`, at);
  }
  if (isAsWritten(scan, value)) return { ok: true, value };
  const fault = locateFault(text);
  return fault ? { ok: false, fault } : { ok: true, value };
}

/** Whether parsing has kept every member and number, and all text can be stored. */
export function isAsWritten(scan: SourceScan, value: Json): boolean {
  return scan.numbers_are_exact && countMembers(value) === scan.member_count && findIJsonProblem(value) === undefined;
}

/** A sentence on the fault, with its place as a character and, of JSON, as a pointer. */
export function describeTextFault({ reason, at, pointer }: JsonTextFault): string {
  if (pointer === undefined) return `it ${reason}`;
  return `it ${reason} (at ${pointer === '' ? 'its root' : pointer}, character ${at + 1})`;
}

/** Without the names of members, which redaction may hide. */
export function describeFaultPlace({ reason, at, pointer }: JsonTextFault): string {
  return pointer === undefined ? `it ${reason}` : `it ${reason} (at character ${at + 1})`;
}

function refuse(reason: string, at: number): ParsedJson {
  return { ok: false, fault: { reason, at } };
}

/** A repeated name is counted once here and twice in the text. */
function countMembers(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    let count = 0;
    for (const item of value as readonly Json[]) if (typeof item === 'object') count += countMembers(item);
    return count;
  }
  const inner: readonly Json[] = Object.values(value);
  let count = inner.length;
  for (const item of inner) if (typeof item === 'object') count += countMembers(item);
  return count;
}

/** The first fault in a text that `JSON.parse` takes. */
function locateFault(text: string): JsonTextFault | undefined {
  const [first] = findSourceFaults(text).toSorted((one, other) => one.offset - other.offset);
  return first && { reason: toReason(first), at: first.offset, pointer: first.pointer };
}

function toReason(fault: SourceFault): string {
  switch (fault.kind) {
    case 'repeated_name':
      return 'names a member of one object twice';
    case 'number_changes':
      return 'holds a number that no double holds';
    case 'text_not_storable':
      return `holds ${fault.reason}`;
    default:
      return unreachable(fault);
  }
}
