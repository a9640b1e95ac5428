import { type Outcome, succeed } from '../../contract/problem.js';
import type { ExportedPages, PagesToExport } from '../../operations/composition.js';
import { readOnce } from '../../operations/browse/read-once.js';
import type { Archive } from '../../operations/engine.js';
import { entity } from '../../catalogue/resources/entity.js';
import { PAGES } from './page.js';
import { turnPatches } from '../../catalogue/resources/turn.js';
import { type Html, html } from './html.js';
import { renderLeaf, renderLeaves } from './layout.js';
import { type Asked, matchPath } from '../../catalogue/resource.js';
import type { Page, View } from './page.js';
import { pathOf } from '../../catalogue/places.js';

const PAGES_MAX = 2_000;

interface Leaf {
  /** Names it in links of the file. */
  readonly id: string;
  readonly view: View;
  /** As a server shows it, with links to other pages. */
  readonly markup: string;
}

interface Match {
  readonly page: Page;
  readonly parameters: Asked['parameters'];
  readonly query: Readonly<Record<string, string>>;
}

/**
 * Makes one page that needs no server and no script, of the pages that a world or an attempt links to. A link to a page
 * that is not in the file becomes plain text. Sections about other worlds and about operators are left out.
 * @returns a refusal where there is no such world or attempt
 */
export async function exportPages(
  source: Archive,
  wanted: PagesToExport,
  pages_max = PAGES_MAX,
): Promise<Outcome<ExportedPages>> {
  const { world_slug, attempt_id } = wanted;
  const archive = readOnce(source);
  const isOwn = await findOwn(archive, wanted);
  const leaves = new Map<string, Leaf>();
  const kept = new Map<string, Html>();
  let left_out = 0;
  // The pages that a page links to are added after it: the set grows during the iteration.
  const paths = new Set([attempt_id === undefined ? pathOf('world', world_slug) : pathOf('attempt', attempt_id)]);
  for (const path of paths) {
    const match = matchWanted(path, wanted);
    if (match === undefined) continue;
    if (leaves.size >= pages_max) {
      left_out += 1;
      continue;
    }
    const shown = await match.page.read(archive, toAsked(match, leaves));
    if (!shown.ok && leaves.size === 0) return shown;
    if (!shown.ok || !isOwn(shown.value.value)) continue;
    const leaf = toLeaf(shown.value.view(), `page-${leaves.size + 1}`, wanted);
    leaves.set(path, { ...leaf, markup: withoutRepeated(leaf, path, kept) });
    for (const target of targetsOf(leaf, path)) paths.add(target);
  }
  const drawn = [...leaves].map(([path, leaf]) => slim(bindLinks(leaf, path, leaves)));
  const text = renderLeaves(drawn, [...leaves.values()], left_out);
  return succeed({ text, pages: drawn.length, left_out });
}

function toLeaf(whole: View, id: string, wanted: PagesToExport): Leaf {
  const view = {
    ...whole,
    trail: whole.trail.filter(({ path }) => matchWanted(path, wanted) !== undefined),
    sections: whole.sections.filter(({ is_about_others }) => is_about_others !== true),
  };
  return { id, view, markup: renderLeaf(view, id) };
}

const COPY_BUTTON = /<button type="button" class="copy"[^>]*>Copy<\/button>/g;
/** A message below its heading, a text or JSON, and a part of a prompt: the beginning of each, its content and its end. */
const BLOCKS = [
  /(<li class="message[^>]*>(?:<details><summary>)?<h3>[^]*?<\/h3>(?:<\/summary>)?)([^]*?)((?:<\/details>)?<\/li>)/g,
  /(<pre[^>]*>)([^]*?)(<\/pre>)/g,
  /(<span class="origin">[^<]*<\/span>)([^<]*)(<\/span>)/g,
];
const REPEATED_LENGTH_MIN = 300;

/** Shows a long text where it comes first; every later place of it leads there. The buttons that copy need a script. */
function withoutRepeated({ view, markup }: Leaf, path: string, kept: Map<string, Html>): string {
  let section = '';
  return markup
    .replace(COPY_BUTTON, '')
    .split(/(?=<section class="section" id=")/)
    .map((part) => {
      section = /^<section class="section" id="([^"]+)"/.exec(part)?.[1] ?? section;
      const fold = (block: string, beginning: string, content: string, end: string): string => {
        const first = kept.get(content);
        if (first !== undefined) return `${beginning}${first.toString()}${end}`;
        if (content.length >= REPEATED_LENGTH_MIN)
          kept.set(content, html`<a href="${path}#${section}">The same text as in “${view.title}”</a>`);
        return block;
      };
      return BLOCKS.reduce((text, block) => text.replace(block, fold), part);
    })
    .join('');
}

function matchPage(path: string): Match | undefined {
  const [place = '', query = ''] = path.split('?');
  for (const page of PAGES) {
    const parameters = matchPath(page.path, place);
    if (parameters !== undefined) return { page, parameters, query: Object.fromEntries(new URLSearchParams(query)) };
  }
  return undefined;
}

/** A page without its links to pages that only operators may read: their texts stay, but not a bare question. */
export function withoutClosedLinks(page: string): string {
  const isClosed = (link: string): boolean => matchPage(readLink(link, '').target)?.page.reader === 'operator';
  return page
    .replace(ATTRIBUTE, (whole, name: string, link: string) => (name === 'href' && isClosed(link) ? '' : whole))
    .replace(/<a class="why"(?![^>]*\shref=)[^>]*>[^<]*<\/a>/g, '');
}

function matchWanted(path: string, wanted: PagesToExport): Match | undefined {
  const match = matchPage(path);
  return match !== undefined && isWanted(match, wanted) ? match : undefined;
}

/** Whether a page belongs to this world or attempt, to its calls and patches, or to the documents that they used. */
function isWanted({ page, parameters }: Match, { world_slug, attempt_id }: PagesToExport): boolean {
  const { path } = page;
  // Turns and patches hold all that an entity's page says.
  if (path === entity.path) return false;
  if (path.startsWith('/worlds/'))
    return parameters['world_slug'] === world_slug && (attempt_id === undefined || path === turnPatches.path);
  if (path.endsWith('/diff') && attempt_id !== undefined) return false;
  if (path.startsWith('/attempts/')) return attempt_id === undefined || parameters['attempt_id'] === attempt_id;
  return OF_ONE_THING.test(path);
}

const OF_ONE_THING = /^\/(agent-turns|source-invocations|llm-calls)\/:\w+$|\/hash\/:hash$/;

/** The world and attempt that a page is about; pages of documents have none, those of lists have some in their rows. */
interface Whereabouts {
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly source_invocation_id: string;
  readonly rows: readonly { readonly attempt_id?: string }[];
}

/**
 * Decides whether a page belongs to the exported world or attempt. Texts of models and services may name any resource,
 * and pages link to it. A fork owns the turns that it shares; an attempt owns the calls that it has adopted.
 */
async function findOwn(
  { store }: Archive,
  { world_slug, attempt_id }: PagesToExport,
): Promise<(value: unknown) => boolean> {
  const turns = await findTurns(store, world_slug);
  const attempt = attempt_id === undefined ? undefined : await store.records.ranAttempt(attempt_id);
  const calls = new Set(attempt?.invocations.map((call) => call.source_invocation_id));
  return (value) => {
    const { world_slug: place, attempted_turn = 0, ...shown } = value as Partial<Whereabouts>;
    if (place === undefined)
      return (
        attempt_id === undefined || (shown.rows ?? []).every((row) => (row.attempt_id ?? attempt_id) === attempt_id)
      );
    if (attempted_turn > (turns.get(place) ?? -1)) return false;
    return attempt_id === undefined || shown.attempt_id === attempt_id || calls.has(shown.source_invocation_id ?? '');
  };
}

/** The last turn that a world owns, and the last that it shares with each of its ancestors. */
async function findTurns({ worlds }: Archive['store'], world_slug: string): Promise<ReadonlyMap<string, number>> {
  const turns = new Map([[world_slug, Number.POSITIVE_INFINITY]]);
  let left = (await worlds.find(world_slug))?.forked_from;
  let until = Number.POSITIVE_INFINITY;
  while (left !== undefined) {
    until = Math.min(until, left.turn);
    turns.set(left.world_slug, until);
    left = (await worlds.find(left.world_slug))?.forked_from;
  }
  return turns;
}

/**
 * Shows a workflow's prompts as the latest exported attempt resolved them, and as they were written where there is
 * none; prompts of attempts outside the file are not shown.
 */
function toAsked({ page, parameters, query }: Match, leaves: ReadonlyMap<string, Leaf>): Asked {
  if (!page.path.endsWith('/hash/:hash')) return { parameters, query, reader: 'operator' };
  const attempt = [...leaves.keys()].map(matchPage).find((match) => match?.page.path === '/attempts/:attempt_id');
  if (attempt === undefined) return { parameters, query, reader: 'consumer' };
  return { parameters, query: { ...query, attempt: attempt.parameters['attempt_id'] ?? '' }, reader: 'operator' };
}

/** Markup escapes every quotation mark of a text, so a match here is an attribute. */
const ATTRIBUTE = /\s(href|id|for|aria-labelledby|fill|marker-end)="([^"]*)"/g;

/** Only attributes need their quotation marks escaped, and JSON is full of them. The page of a linked id says it whole. */
function slim(markup: string): string {
  const untitled = markup.replace(/( href="#page-[^"]*") title="[0-9a-f-]{36,}"/g, '$1');
  return untitled.replace(/<[^>]*>|&quot;/g, (found) => (found === '&quot;' ? '"' : found));
}

function targetsOf({ markup }: Leaf, path: string): readonly string[] {
  return [...markup.matchAll(ATTRIBUTE)].flatMap(([, name, link = '']) =>
    name === 'href' ? [readLink(link, path).target] : [],
  );
}

function readLink(link: string, path: string): { readonly target: string; readonly anchor: string | undefined } {
  const [target = '', anchor] = link.replaceAll('&amp;', '&').split('#');
  if (target === '') return { target: path, anchor };
  return { target: target.startsWith('?') ? `${path.replace(/\?.*/, '')}${target}` : target, anchor };
}

/** Prefixes fragment names with the name of their page, and turns links to pages into links to fragments. */
function bindLinks({ markup, id }: Leaf, path: string, leaves: ReadonlyMap<string, Leaf>): string {
  return markup.replace(ATTRIBUTE, (whole, name: string, value: string) => {
    if (name === 'fill' || name === 'marker-end') return whole.replace('url(#', `url(#${id}-`);
    if (name !== 'href') return value === id ? whole : ` ${name}="${id}-${value}"`;
    const { target, anchor } = readLink(value, path);
    const leaf = leaves.get(target);
    if (leaf === undefined) return '';
    return ` href="#${leaf.id}${anchor === undefined ? '' : `-${anchor}`}"`;
  });
}
