import type { Json } from '../../contract/json.js';
import { appendToken, isList, isObject } from '../content/json-pointer.js';

/** What a value has to be: a text, a whole number from 0 on, a list of one shape, or an object of these members alone. */
export type Shape = 'text' | 'count' | readonly [Shape] | { readonly [member: string]: Shape };

/** The pointer of the first part of a value that is of another shape; a member whose name ends in `?` may be missing. */
export function findMisshapen(value: Json | undefined, shape: Shape, pointer = ''): string | undefined {
  if (shape === 'text') return typeof value === 'string' ? undefined : pointer;
  if (shape === 'count') return Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : pointer;
  if (isListShape(shape)) {
    if (!isList(value)) return pointer;
    return first(value.map((item, index) => findMisshapen(item, shape[0], appendToken(pointer, index))));
  }
  if (!isObject(value)) return pointer;
  const members = Object.entries(shape).map(([named, inner]) => [named.replace(/\?$/, ''), named, inner] as const);
  const unknown = Object.keys(value).find((name) => !members.some(([known]) => known === name));
  if (unknown !== undefined) return appendToken(pointer, unknown);
  return first(
    members.map(([name, named, inner]) => {
      const found = Object.hasOwn(value, name) ? value[name] : undefined;
      return found === undefined && named !== name
        ? undefined
        : findMisshapen(found, inner, appendToken(pointer, name));
    }),
  );
}

function isListShape(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function first(found: readonly (string | undefined)[]): string | undefined {
  return found.find((pointer) => pointer !== undefined);
}
