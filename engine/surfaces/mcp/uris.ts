import type {
  ReadResourceResult,
  Resource as StaticResource,
  ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { type Asked, fillPath, keysOf, matchPath, type Resource } from '../../catalogue/resource.js';
import type { HttpDesk } from '../../operations/composition.js';
import { mayUse, readAsked } from './asked.js';
import type { Caller } from './offer.js';

const SCHEME = 'chukwa:/';
/** The first page has no name of its own in its path. */
const HOME = '/overview';
const JSON_TYPE = 'application/json';
/** How many characters of a resource one read gives. */
const RANGE_LENGTH = 60_000;

const placeOf = (path: string): string => (path === '/' ? HOME : path);

/** The URI of a resource, with the keys and parameters that were asked for. */
export function uriOf(path: string, { parameters, query }: Pick<Asked, 'parameters' | 'query'>): string {
  const place = fillPath(placeOf(path), parameters);
  const search = String(new URLSearchParams(query as Record<string, string>));
  return `${SCHEME}${place}${search === '' ? '' : `?${search}`}`;
}

/** The lists, which have no key. */
export function toStatic(declared: readonly Resource[], reader: Caller['reader']): readonly StaticResource[] {
  return declared
    .filter((one) => mayUse(reader, one.reader) && keysOf(one.path).length === 0 && !one.takes.includes('q'))
    .map(({ path, says }) => {
      const place = placeOf(path);
      return { uri: `${SCHEME}${place}`, name: place.slice(1), description: says, mimeType: JSON_TYPE };
    });
}

/** The templates of everything that has a key, or takes a parameter. */
export function toTemplates(declared: readonly Resource[], reader: Caller['reader']): readonly ResourceTemplateType[] {
  return declared
    .filter((one) => mayUse(reader, one.reader) && (keysOf(one.path).length > 0 || one.takes.length > 0))
    .map(({ path, takes, says }) => {
      const place = placeOf(path).replaceAll(/:(\w+)/g, '{$1}');
      return {
        uriTemplate: `${SCHEME}${place}{?${[...takes, 'offset'].join(',')}}`,
        name: place.slice(1),
        description: says,
        mimeType: JSON_TYPE,
      };
    });
}

/**
 * Reads a resource as JSON text, in ranges where it is long: each names the next.
 * @returns undefined where there is no such resource, or the reader may not read it
 */
export async function readUri(
  declared: readonly Resource[],
  desk: Pick<HttpDesk, 'look'>,
  reader: Caller['reader'],
  uri: string,
): Promise<ReadResourceResult | undefined> {
  if (!uri.startsWith(`${SCHEME}/`) || !URL.canParse(uri)) return undefined;
  const { searchParams, hostname, pathname } = new URL(uri);
  for (const resource of declared) {
    const keys = matchPath(placeOf(resource.path), `/${hostname}${pathname}`);
    if (keys === undefined || !mayUse(reader, resource.reader)) continue;
    const { offset = '0', ...query } = Object.fromEntries(searchParams);
    const asked = readAsked(resource, { ...query, ...keys }, reader);
    const found = asked.ok ? await desk.look((archive) => resource.read(archive, asked.value)) : asked;
    if (!found.ok || !/^\d{1,12}$/.test(offset)) return undefined;
    const text = JSON.stringify(found.value);
    const until = Number(offset) + RANGE_LENGTH;
    searchParams.set('offset', String(until));
    const next = `${uri.replace(/\?.*$/s, '')}?${String(searchParams)}`;
    const range = { uri, mimeType: JSON_TYPE, text: text.slice(Number(offset), until) };
    return { contents: [until < text.length ? { ...range, _meta: { next, length: text.length } } : range] };
  }
  return undefined;
}
