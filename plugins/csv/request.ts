import type { Json } from 'chukwa/plugin';

/** What the request asks for, or why it cannot be sent. */
export type Wanted = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly reason: string };

/** Takes the value of the key from a request that has nothing else. */
export function findWanted(rest: Json, key: string): Wanted {
  if (typeof rest !== 'object' || rest === null || Array.isArray(rest))
    return { ok: false, reason: 'it is not an object' };
  const other = Object.keys(rest).find((name) => name !== key);
  if (other !== undefined) return { ok: false, reason: `it has ${other} beside ${key}` };
  const value = (rest as Readonly<Record<string, Json>>)[key];
  if (typeof value === 'string' || typeof value === 'number') return { ok: true, value: String(value) };
  return { ok: false, reason: `its ${key} is no text and no number` };
}
