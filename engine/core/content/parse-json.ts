import type { Json } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import { DEPTH_MAX } from './i-json.js';
import { listFaults, type SourceFault } from './source-faults.js';

/** A value as it is written, or why the text is refused. */
export type ParsedJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly fault: JsonTextFault };

/** The fault of a text that should be JSON. It quotes no part of the text, which may hold secrets. */
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
  const [fault] = listFaults(text);
  if (fault === undefined) return { ok: true, value: JSON.parse(text) as Json };
  const { at } = fault;
  const place = 'pointer' in fault ? { pointer: fault.pointer } : {};
  return { ok: false, fault: { reason: toReason(fault, text), at, ...place } };
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

function toReason(fault: SourceFault, text: string): string {
  switch (fault.kind) {
    case 'no_json':
      return fault.at === text.length ? 'ends too soon' : `stops being JSON at character ${fault.at + 1}`;
    case 'too_deep':
      return `is nested deeper than ${DEPTH_MAX} levels`;
    case 'too_many_values':
      return 'holds too many values';
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
