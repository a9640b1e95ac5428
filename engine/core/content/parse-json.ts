import type { Json } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import { DEPTH_MAX, toStorableText } from './i-json.js';
import { isExactNumber } from './exact-number.js';
import { readParts, textOf } from './json-parts.js';
import { listFaults, type SourceFault } from './source-faults.js';

/** A value as it is written, or why the text is refused. */
type ParsedJson =
  | { readonly ok: true; readonly value: Json; readonly replaced?: JsonTextFault }
  | { readonly ok: false; readonly fault: JsonTextFault };

/** `lenient` takes valid JSON that is no I-JSON, with what replaces the parts that cannot be kept. */
export type Reading = 'strict' | 'lenient';

/** The fault of a text that should be JSON. It quotes no part of the text, which may hold secrets. */
interface JsonTextFault {
  /** Completes the sentence "it ...". */
  readonly reason: string;
  /** The first character at fault, counted from 0. */
  readonly at: number;
  /** Where in the value; left out where the text is no JSON at all. */
  readonly pointer?: string;
}

/**
 * Parses I-JSON (RFC 7493). A text is refused where the value would be another than is written: a repeated name, a number
 * that no double holds, U+0000, a lone surrogate; and where it is nested deeper than `DEPTH_MAX`. Read leniently, the last
 * of equal names counts, each such character is U+FFFD, a fraction is rounded, and any other such number is a text, as it
 * is written; `replaced` says what is the first of these.
 */
export function parseJson(text: string, reading: Reading = 'strict'): ParsedJson {
  const [found] = listFaults(text);
  if (found === undefined) return { ok: true, value: JSON.parse(text) as Json };
  const { at } = found;
  const place = 'pointer' in found ? { pointer: found.pointer } : {};
  const fault = { reason: toReason(found, text), at, ...place };
  if (reading === 'strict' || !('pointer' in found)) return { ok: false, fault };
  return { ok: true, value: JSON.parse(replaceParts(text)) as Json, replaced: fault };
}

function replaceParts(text: string): string {
  const pieces: string[] = [];
  let end = 0;
  for (const part of readParts(text)) {
    if (part.kind === 'fault') continue;
    const { at, written } = part;
    pieces.push(text.slice(end, at), toKept(written));
    end = at + written.length;
  }
  return pieces.join('') + text.slice(end);
}

function toKept(written: string): string {
  if (written.startsWith('"')) return JSON.stringify(toStorableText(textOf(written)));
  const isRounded = Math.abs(Number(written)) <= Number.MAX_SAFE_INTEGER;
  return !/^[-\d]/.test(written) || isRounded || isExactNumber(written) ? written : `"${written}"`;
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
