import type { Json, JsonObject } from '../../contract/json.js';

/** The tokens of a JSON Pointer (RFC 6901), decoded. `''` has none. */
export function pointerTokens(pointer: string): readonly string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function appendToken(pointer: string, token: string | number): string {
  return `${pointer}/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export function toPointer(tokens: readonly (string | number)[]): string {
  return tokens.reduce<string>(appendToken, '');
}

/**
 * The value at a pointer. A present null is found; inherited members never are.
 * @returns undefined where there is none
 */
export function findAt(value: Json, tokens: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const token of tokens) {
    found = findMember(found, token);
    if (found === undefined) return undefined;
  }
  return found;
}

function findMember(value: Json | undefined, token: string): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isList(value)) return /^(0|[1-9][0-9]*)$/.test(token) ? value[Number(token)] : undefined;
  return Object.hasOwn(value, token) ? value[token] : undefined;
}

/** Whether one of two paths leads to what the other leads to, or to something that holds it. */
export function overlaps(left: readonly string[], right: readonly string[]): boolean {
  return left.slice(0, right.length).every((token, index) => token === right[index]);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** `Array.isArray` that keeps read-only lists. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
