import type { Json } from '../contract/json.js';
import { findAt, isList, isObject, pointerTokens } from '../core/content/json-pointer.js';

/**
 * Whether a place in an answer is named by its schema alone: then the author chose its name, and it tells nothing of the
 * answer. A member that only `additionalProperties` or a pattern allows has its name from the service.
 */
export function isAuthoredPlace(pointer: string, answer: Json, schema: Json): boolean {
  const names = listNames(schema);
  const tokens = pointerTokens(pointer);
  return tokens.every((token, depth) => names.has(token) || isListAt(answer, tokens.slice(0, depth)));
}

function isListAt(answer: Json, tokens: readonly string[]): boolean {
  const value = findAt(answer, tokens);
  return value !== undefined && isList(value);
}

/** All names of members that a schema writes, at whatever depth. */
function listNames(schema: Json, names = new Set<string>()): ReadonlySet<string> {
  if (typeof schema !== 'object' || schema === null) return names;
  const { properties, required } = schema as { readonly properties?: Json; readonly required?: Json };
  if (isObject(properties)) for (const name of Object.keys(properties)) names.add(name);
  if (required !== undefined && isList(required))
    for (const name of required) if (typeof name === 'string') names.add(name);
  for (const part of Object.values(schema)) listNames(part, names);
  return names;
}
