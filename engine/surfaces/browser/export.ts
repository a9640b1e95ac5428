import type { ExportedPages, PagesToExport } from '../../operations/composition.js';
import type { Archive, Done } from '../../operations/engine.js';
import { CATALOGUE } from './catalogue/index.js';
import { renderLeaf, renderLeaves } from './layout.js';
import type { Page, View } from './page.js';
import { pathOf } from './places.js';

/** How many pages one file holds. */
const PAGES_MAX = 2_000;

/** A page of the file. */
interface Leaf {
  /** With its query, as links name it. */
  readonly path: string;
  /** Names it in links of the file. */
  readonly id: string;
  readonly match: Match;
}

interface Match {
  readonly page: Page;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/**
 * Makes one page that needs no server and no script, of the pages that lead on from a world or an attempt. A link to a page
 * that is not in the file becomes plain text. What a page tells of other worlds, and of operators, is left out.
 * @returns a refusal where there is no such world or attempt
 */
export async function exportPages(archive: Archive, wanted: PagesToExport): Promise<Done<ExportedPages>> {
  const { world_slug, attempt_id } = wanted;
  const leaves = new Map<string, Leaf>();
  const left_out = new Set<string>();
  const find = (path: string): Leaf | undefined => {
    const known = leaves.get(path);
    const match = known === undefined ? matchPage(path) : undefined;
    if (match === undefined || !isWanted(match, wanted)) return known;
    if (leaves.size >= PAGES_MAX) return void left_out.add(path);
    const leaf = { path, id: `page-${leaves.size + 1}`, match };
    leaves.set(path, leaf);
    return leaf;
  };
  find(attempt_id === undefined ? pathOf('world', world_slug) : pathOf('attempt', attempt_id));
  const drawn: string[] = [];
  const contents: { readonly id: string; readonly view: View }[] = [];
  // What a page links to comes after it: the map grows while it is gone through.
  for (const leaf of leaves.values()) {
    const { page, parameters } = leaf.match;
    const shown = await page.read(archive, {
      parameters,
      query: ofAttempt(leaf.match, leaves),
      reader: 'operator',
    });
    if (!shown.ok && drawn.length === 0) return shown;
    if (!shown.ok) continue;
    const whole = shown.value.view();
    const view = { ...whole, sections: whole.sections.filter(({ tells_of_others }) => tells_of_others !== true) };
    drawn.push(bindLinks(renderLeaf(view, leaf.id), leaf, find));
    contents.push({ id: leaf.id, view });
  }
  const text = renderLeaves(drawn, contents, left_out.size);
  return { ok: true, value: { text, pages: drawn.length, left_out: left_out.size } };
}

const PATTERNS = CATALOGUE.map((page) => ({
  page,
  pattern: new RegExp(`^${page.url.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
}));

function matchPage(path: string): Match | undefined {
  const [place = '', query = ''] = path.split('?');
  for (const { page, pattern } of PATTERNS) {
    const found = pattern.exec(place);
    if (found === null) continue;
    const parameters = Object.entries(found.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { page, parameters: Object.fromEntries(parameters), query: Object.fromEntries(new URLSearchParams(query)) };
  }
  return undefined;
}

/** Pages of this world or this attempt, of what was done there, and of the documents that it was done by. */
function isWanted({ page, parameters }: Match, { world_slug, attempt_id }: PagesToExport): boolean {
  const { url } = page;
  if (url.startsWith('/worlds/')) return attempt_id === undefined && parameters['world_slug'] === world_slug;
  if (url.startsWith('/attempts/')) return attempt_id === undefined || parameters['attempt_id'] === attempt_id;
  return OF_ONE_THING.test(url);
}

const OF_ONE_THING = /^\/(agent-turns|source-invocations|llm-calls)\/:\w+$|\/hash\/:hash$/;

/** A workflow shows its prompts as the latest attempt of the file resolved them: those of others are not shown. */
function ofAttempt({ page, query }: Match, leaves: ReadonlyMap<string, Leaf>): Match['query'] {
  if (!page.url.endsWith('/hash/:hash')) return query;
  const attempt = [...leaves.values()].find(({ match }) => match.page.url === '/attempts/:attempt_id');
  return attempt === undefined ? query : { ...query, attempt: attempt.match.parameters['attempt_id'] ?? '' };
}

/** In markup every quotation mark of a text is escaped: what looks like an attribute here is one. */
const ATTRIBUTE = /\s(href|id|for|aria-labelledby)="([^"]*)"|url\(#([\w-]+)\)/g;

/** Names of places get the name of their page before them; links to pages become links to places. */
function bindLinks(markup: string, { path, id }: Leaf, find: (path: string) => Leaf | undefined): string {
  return markup.replace(ATTRIBUTE, (whole, name: string | undefined, value: string, place?: string) => {
    if (name === undefined) return `url(#${id}-${place})`;
    if (name !== 'href') return value === id ? whole : ` ${name}="${id}-${value}"`;
    const [target = '', anchor] = value.replaceAll('&amp;', '&').split('#');
    const own = path.replace(/\?.*/, '');
    const leaf = target === '' ? id : find(target.startsWith('?') ? `${own}${target}` : target)?.id;
    if (leaf === undefined) return '';
    return ` href="#${leaf}${anchor === undefined ? '' : `-${anchor}`}"`;
  });
}
