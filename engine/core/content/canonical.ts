import canonicalize from 'canonicalize';
import type { Json } from '../../contract/json.js';
import { sha256 } from './sha256.js';

/**
 * The RFC 8785 form of a value, which is hashed, stored and compared.
 * @throws Error on a value that is not I-JSON (lone surrogates, infinities): check with `findIJsonProblems` first
 */
export function canonicalText(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('not a JSON value');
  return text;
}

/** SHA-256 of the canonical form, 64 hex digits: the value's content address. */
export function contentHash(value: Json): string {
  return sha256(canonicalText(value));
}
