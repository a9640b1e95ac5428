import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Entity } from '../../../engine/core/world/world.js';
import { COMPONENT_KINDS, type ComponentKind } from '../../../engine/core/protocol/component.js';
import { matchPath } from '../../../engine/catalogue/resource.js';
import { PAGES } from '../../../engine/surfaces/browser/page.js';
import type { Page } from '../../../engine/surfaces/browser/page.js';
import type { ParameterName } from '../../../engine/catalogue/parameters.js';
import { pathOf, pathOfMember } from '../../../engine/catalogue/places.js';
import { assertDocumented } from '../../support/documented-answers.js';
import { extent } from '../../support/extent.js';
import { type LivedWorlds, serveLivedWorlds } from '../../support/lived-worlds.js';
import { TOKENS } from '../../support/served-park.js';

/** How many pages of one kind are read. */
const PATHS_OF_A_PAGE = extent(4, 12);
/** How many of them are requested with each parameter of their query as well. */
const PATHS_WITH_QUERY = extent(1, 3);

function pageOf(path: string): Page | undefined {
  return PAGES.find((page) => matchPath(page.path, path.replace(/\?.*$/, '')) !== undefined);
}

/** The paths to which a value leads: by the names of its members, by a kind of document with a hash, and by a cursor. */
function* linksIn(value: unknown, path: string, member = ''): Generator<string> {
  if (typeof value === 'string') {
    const link = pathOfMember(member, value);
    if (link !== undefined) yield link;
    if (member === 'next') yield `${path.replace(/\?.*$/, '')}?limit=2&after=${value}`;
  }
  if (value === null || typeof value !== 'object') return;
  const { kind, hash, attempt_id, timeline } = value as Readonly<Record<string, unknown>>;
  if (typeof attempt_id === 'string' && Array.isArray(timeline) && timeline.length > 0) yield `/events/${attempt_id}.1`;
  if (typeof hash === 'string' && COMPONENT_KINDS.some((known) => known === kind))
    yield pathOf(kind as ComponentKind, hash);
  for (const [name, inner] of Object.entries(value)) yield* linksIn(inner, path, Array.isArray(value) ? member : name);
}

/** The pages below one: its lists, its difference, its entities, its first and its latest turn. */
function pathsBelow({ path: url }: Page, path: string, value: unknown): readonly string[] {
  const { turn = 0, entities = [] } = value as { readonly turn?: number; readonly entities?: readonly Entity[] };
  return PAGES.filter((below) => below.path.startsWith(`${url}/`)).flatMap((below) => {
    const rest = below.path.slice(url.length);
    if (rest === '/turns/:turn') return [0, turn].map((one) => `${path}${rest.replace(':turn', String(one))}`);
    if (rest === '/entities/:entity_id') return entities.map(({ id }) => `${path}${rest.replace(':entity_id', id)}`);
    return rest.includes(':') ? [] : [`${path}${rest}`];
  });
}

/** A value for each parameter of a query; of ids and hashes, those that were met last. */
function toValue(name: ParameterName, path: string, seen: Iterable<string>): string {
  const last = (place: string): string | undefined =>
    [...seen].findLast((one) => one.startsWith(place) && !one.slice(place.length).includes('/'))?.slice(place.length);
  const said: Partial<Record<ParameterName, string | undefined>> = {
    limit: '2',
    until: '1',
    from: '1',
    to: '1',
    other: last(path.startsWith('/attempts/') ? '/attempts/' : '/worlds/'),
    attempt: last('/attempts/'),
    scenario: last('/scenarios/hash/'),
    q: 'bob',
    kind: 'narration',
    world: last('/worlds/'),
    subject: 'bob',
    failure: 'transport',
    turn: '1',
  };
  return said[name] ?? 'any';
}

describe('the answers of a server', { timeout: 300_000 }, () => {
  let worlds: LivedWorlds;
  before(async () => {
    worlds = await serveLivedWorlds();
  });
  after(() => worlds?.close());

  const read = async (path: string, token: string): Promise<{ readonly status: number; readonly value: unknown }> => {
    const asked = `${path}${path.includes('?') ? '&' : '?'}format=json`;
    const response = await fetch(`${worlds.server.url}${asked}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    const { status, headers } = response;
    assertDocumented('GET', asked, { status, type: headers.get('content-type') ?? '', text });
    return { status, value: JSON.parse(text) };
  };

  test('the answers of a server conforms to the OpenAPI document, on every page to which links lead', async () => {
    const seen = new Set<string>(PAGES.map((page) => page.path).filter((url) => !url.includes(':')));
    // A person names the tool, and the text: no value leads there.
    seen.add(`/worlds/${worlds.park}/policy/bob/buy_candy`);
    seen.add(`/worlds/${worlds.park}/knows/bob/hungry`);
    const counts = new Map<string, number>();
    for (const path of seen) {
      const page = pageOf(path);
      const count = counts.get(page?.path ?? '') ?? 0;
      if (page === undefined || count >= PATHS_OF_A_PAGE) continue;
      counts.set(page.path, count + 1);
      const { status, value } = await read(path, TOKENS.operator_token);
      assert.equal(status, 200, path);
      for (const link of [...linksIn(value, path), ...pathsBelow(page, path, value)]) seen.add(link);
      if (path.includes('?')) continue;
      const { status: own, value: seen_by_consumer } = await read(path, TOKENS.token);
      assert.equal(own, page.reader === 'operator' ? 403 : 200, `${path} for a consumer`);
      assert.doesNotMatch(JSON.stringify(seen_by_consumer), /"(host|pid|address)":/, `${path} for a consumer`);
      if (count >= PATHS_WITH_QUERY) continue;
      // A thing that a query names need not exist: a problem is an answer of the document as well.
      for (const name of page.takes) await read(`${path}?${name}=${toValue(name, path, seen)}`, TOKENS.operator_token);
    }
    assert.deepEqual([...counts.keys()].toSorted(), PAGES.map((page) => page.path).toSorted(), 'a page was not met');
  });

  test('the answers of a server tells a consumer in a difference only what it is told on other pages as well', async () => {
    const textsAt = async (paths: readonly string[]): Promise<ReadonlySet<string>> => {
      const texts = new Set<string>();
      for (const path of paths) {
        const { status, value } = await read(path, TOKENS.token);
        assert.equal(status, 200, path);
        for (const text of textsIn(value)) texts.add(text);
      }
      return texts;
    };
    const { value } = await read(`/worlds/${worlds.park}`, TOKENS.token);
    const { attempts, turn } = value as { readonly attempts: readonly { attempt_id: string }[]; readonly turn: number };
    const of = (slug: string, last: number) =>
      Array.from({ length: last + 1 }, (_, at) => `/worlds/${slug}/turns/${at}`);
    const ids = attempts.map(({ attempt_id }) => attempt_id);
    const elsewhere = await textsAt([
      ...ids.map((id) => `/attempts/${id}`),
      ...of(worlds.park, turn),
      ...of(worlds.fork, 2),
    ]);
    const differences = await textsAt([
      ...ids.flatMap((id) => ids.map((other) => `/attempts/${id}/diff?other=${other}`)),
      `/worlds/${worlds.park}/diff?other=${worlds.fork}`,
      `/worlds/${worlds.park}/diff?from=0&to=${turn}`,
    ]);
    assert.ok(differences.size > 100, `${differences.size} texts`);
    assert.deepEqual(
      [...differences].filter((text) => !elsewhere.has(text) && !WORDS_OF_DIFFERENCES.has(text)),
      [],
    );
  });
});

/** The words that are a difference by themselves: how two things compare, and the kind of a change. */
const WORDS_OF_DIFFERENCES: ReadonlySet<string> = new Set([
  'adopted',
  'answered_otherwise',
  'asked_otherwise',
  'only_after',
  'only_before',
  'same',
  'entity_memory',
  'entity_state',
  'environment_content',
]);

/** All texts of a value. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  if (value !== null && typeof value === 'object') for (const inner of Object.values(value)) yield* textsIn(inner);
}
