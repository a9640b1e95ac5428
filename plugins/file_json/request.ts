import type { Json } from 'chukwa/plugin';

/** Says what a request asks for beside the path: nothing may be left, since a file is asked nothing. */
export function findLeftOver(rest: Json): string | undefined {
  if (rest === null) return undefined;
  if (typeof rest !== 'object' || Array.isArray(rest)) return 'it is no object';
  const [name] = Object.keys(rest);
  return name === undefined ? undefined : `the path has no parameter {${name}}`;
}
