import type { Json } from 'chukwa/plugin';

/** A query with its question mark, or nothing; or why a request cannot be one. */
export type Query = { readonly ok: true; readonly query: string } | { readonly ok: false; readonly reason: string };

/**
 * The members of a request as a query, in their order. A list repeats its name, null leaves it out.
 * @param request an object, or null for no query
 */
export function toQuery(request: Json): Query {
  if (request === null) return { ok: true, query: '' };
  if (typeof request !== 'object' || isList(request))
    return bad('it is not an object, whose members would be the query');
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(request)) {
    for (const item of isList(value) ? value : [value].filter((one) => one !== null)) {
      if (item === null || typeof item === 'object')
        return bad(`/${name} holds what a query cannot: write texts, numbers, booleans, or a list of them`);
      pairs.push(`${percentEncode(name)}=${percentEncode(String(item))}`);
    }
  }
  return { ok: true, query: pairs.length === 0 ? '' : `?${pairs.join('&')}` };
}

/** Leaves nothing unencoded but letters, digits and `-._~`. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function bad(reason: string): Query {
  return { ok: false, reason };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
