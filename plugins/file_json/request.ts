import type { Json } from 'chukwa/plugin';

/** Refuses request members beside the path's parameters: a file takes none. */
export function findLeftOver(rest: Json): string | undefined {
  if (rest === null) return undefined;
  if (typeof rest !== 'object' || Array.isArray(rest)) return 'it is not an object';
  const [name] = Object.keys(rest);
  return name === undefined ? undefined : `the path has no parameter {${name}}`;
}
