import type { Json } from '../../contract/json.js';

/** The tokens of a place in a document. */
export type Place = readonly string[];

/** The texts in the places of a pattern, each with its own place: `*` is each member or item, `NAME` the name of each member. */
export function listNamed(
  value: Json,
  [token, ...rest]: readonly string[],
  place: Place = [],
): readonly { readonly name: string; readonly place: Place }[] {
  if (token === undefined) return typeof value === 'string' ? [{ name: value, place }] : [];
  if (typeof value !== 'object' || value === null) return [];
  const members: readonly (readonly [string, Json])[] = Object.entries(value);
  if (token === 'NAME') return members.map(([name]) => ({ name, place: [...place, name] }));
  const meant = members.filter(([name]) => token === '*' || token === name);
  return meant.flatMap(([name, inner]) => listNamed(inner, rest, [...place, name]));
}
