import type { Json } from '../../contract/json.js';
import { isList } from './json-pointer.js';
import { sha256 } from './sha256.js';

/**
 * The RFC 8785 form of a value, which is hashed, stored and compared: members by the UTF-16 units of their names.
 * A turn makes it of each request, answer and entry of a ledger: text is put together by hand, which takes half the time.
 * @throws Error on a value that is not I-JSON (lone surrogates, infinities): check with `findIJsonProblems` first
 */
export function canonicalText(value: Json): string {
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object') {
    if (Number.isFinite(value)) return String(value);
    throw new Error('not a JSON value');
  }
  if (isList(value)) return `[${value.map(canonicalText).join(',')}]`;
  let members = '';
  const names = Object.keys(value);
  for (const name of isSorted(names) ? names : names.sort()) {
    const member = value[name];
    // An optional member may be there without a value.
    if (member !== undefined) members += `${members === '' ? '' : ','}${quote(name)}:${canonicalText(member)}`;
  }
  return `{${members}}`;
}

/** Most values are read from a canonical text, and have their members in order. */
function isSorted(names: readonly string[]): boolean {
  for (let at = 1; at < names.length; at += 1) if ((names[at - 1] as string) > (names[at] as string)) return false;
  return true;
}

/** What a JSON text writes otherwise than as it is, and halves of characters. */
const IS_ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

function quote(text: string): string {
  if (!IS_ESCAPED.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new Error('not a JSON value: half a character');
  return JSON.stringify(text);
}

/** The content address of a stored value; empty where somebody has altered it to what has none. */
export function hashOfStored(value: Json): string {
  try {
    return contentHash(value);
  } catch {
    return '';
  }
}

/** SHA-256 of the canonical form, 64 hex digits: the value's content address. */
export function contentHash(value: Json): string {
  return sha256(canonicalText(value));
}
