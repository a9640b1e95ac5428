import type { Json } from '../../contract/json.js';
import { DEPTH_MAX, findIJsonProblem } from './i-json.js';
import { findJsonFault } from './json-fault.js';
import { appendToken } from './json-pointer.js';
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

/** An object or list that is still open in the text. */
interface Open {
  readonly pointer: string;
  /** Of an object; a list counts its items. */
  readonly names?: Set<string>;
  next: string;
  count: number;
}

const TOKEN = /"(?:[^"\\]+|\\.)*"|[{}[\],]|-?\d[\d.eE+-]*/gs;

/** Looks for the first fault in a text that `JSON.parse` takes. Slow: only a text that has one comes here. */
function locateFault(text: string): JsonTextFault | undefined {
  const open: Open[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const token = match[0];
    const holder = open.at(-1);
    const found = readToken(text, { token, at: match.index }, holder);
    if (found !== undefined) return { at: match.index, ...found };
    if (token === '{' || token === '[')
      open.push({
        pointer: placeIn(holder),
        ...(token === '{' ? { names: new Set<string>() } : {}),
        next: '',
        count: 0,
      });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && holder) holder.count += 1;
  }
  return undefined;
}

function readToken(
  text: string,
  { token, at }: { readonly token: string; readonly at: number },
  holder: Open | undefined,
): Omit<JsonTextFault, 'at'> | undefined {
  const first = token.charAt(0);
  if (first === '"') {
    const said = JSON.parse(token) as string;
    const isName = holder?.names !== undefined && isFollowedByColon(text, at + token.length);
    if (isName) {
      holder.next = said;
      if (holder.names.has(said)) return { reason: 'names a member of one object twice', pointer: placeIn(holder) };
      holder.names.add(said);
    }
    const problem = findIJsonProblem(said);
    return problem ? { reason: `holds ${problem.reason}`, pointer: placeIn(holder) } : undefined;
  }
  const isNumber = first === '-' || (first >= '0' && first <= '9');
  if (!isNumber || scanSource(token).numbers_are_exact) return undefined;
  return { reason: 'holds a number that no double holds', pointer: placeIn(holder) };
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from;
  while (' \t\r\n'.includes(text.charAt(at)) && at < text.length) at += 1;
  return text.charAt(at) === ':';
}

function placeIn(holder: Open | undefined): string {
  if (holder === undefined) return '';
  return appendToken(holder.pointer, holder.names ? holder.next : holder.count);
}
