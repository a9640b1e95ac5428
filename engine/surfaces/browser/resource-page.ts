import type { Cost } from '../../core/cost/cost.js';
import type { Answers } from '../../catalogue/answers.js';
import type { Asked, Viewed } from '../../catalogue/resource.js';
import {
  type Block,
  type Columns,
  facts as factsBlock,
  type Link,
  type Marked,
  type Phrase,
  type Picture,
  type RecordView,
  table as tableOf,
  type ViewSection,
} from '../../catalogue/view.js';
import { capital, costFacts, grouped, isQuantity } from '../../catalogue/words.js';
import { parseJson } from '../../core/content/parse-json.js';
import { type Html, html, type HtmlValue, NOTHING } from './html.js';
import { itemPage, nextPart, type Page, type Section, type View } from './page.js';
import { change } from './parts/change.js';
import {
  authoredPrompt,
  conversation,
  copyable,
  drawChunks,
  inTwoViews,
  originBar,
  outputBar,
} from './parts/conversation.js';
import { decisionsOn } from './parts/decision.js';
import { payload } from './parts/payload.js';
import { drawPlaces } from './parts/places.js';
import { attemptTimeline } from './pictures/attempt-timeline.js';
import { facts, table } from './parts/table.js';
import { cut, foldable, folded, moment, shortKey, status, verbatim, worldTime } from './parts/text.js';

/** What a page has beside the view of its resource: and what it shows of a refused request. */
export interface PageParts<Kind extends keyof Answers> extends Pick<Page, 'refused'> {
  parts?(value: Answers[Kind], asked: Asked): Partial<View>;
  /** Sections that only a page can draw, before the declared ones. */
  sections?(value: Answers[Kind], asked: Asked): readonly Section[];
  /** Those after the declared ones. */
  sectionsAfter?(value: Answers[Kind]): readonly Section[];
}

/** The page of a resource that declares its view. */
export function toPage<Kind extends keyof Answers>(
  declared: Viewed<Kind>,
  { parts = () => ({}), sections = () => [], sectionsAfter = () => [], ...others }: PageParts<Kind> = {},
): Page {
  const view = (value: Answers[Kind], asked: Asked): View => {
    const drawn = draw(declared.view(value, asked), asked);
    const all = [...sections(value, asked), ...drawn.sections, ...sectionsAfter(value)];
    return { ...drawn, sections: all, ...decisionsOn(declared.gives, value), ...parts(value, asked) };
  };
  return itemPage(declared, { view, ...others });
}

function draw({ eyebrow, title, trail, lede, sections, events }: RecordView, asked: Asked): View {
  return {
    eyebrow,
    title,
    trail: trail.map(({ path, text }) => ({ path, text })),
    ...(lede === undefined ? {} : { lede: html`${drawPhrase(lede)}` }),
    sections: sections.map((section) => drawSection(section, asked)),
    ...(events === undefined ? {} : { events }),
  };
}

function drawSection({ id, title, blocks, is_about_others }: ViewSection, asked: Asked): Section {
  const body = html`${blocks.map((block) => drawBlock(block, asked))}`;
  return { id, title, ...(is_about_others && { is_about_others }), body: String(body) !== '' && body };
}

/** A block of a view. @param asked where it may have more parts */
function drawBlock(block: Block, asked: Pick<Asked, 'query'> = { query: {} }): Html {
  switch (block.block) {
    case 'facts':
      return facts(Object.entries(block.facts).map(([name, said]) => [capital(name), drawPhrase(said)]));
    case 'prose':
      return html`<div class="prose">${foldable(block.text, cut(block.text))}</div>`;
    case 'note':
      return html`<p class="note">${drawPhrase(block.said)}</p>`;
    case 'list':
      return drawList(block, asked);
    case 'table':
      return drawTable(block);
    case 'code':
      return block.pointer === undefined ? verbatim(block.text) : copyable(block.pointer, drawExact(block.text));
    case 'json':
      return drawJson(block);
    case 'prompt':
      return authoredPrompt(block.text);
    case 'value':
      return typeof block.value === 'string'
        ? html`<p><strong>${block.of}</strong>: ${cut(block.value)}</p>`
        : html`<p><strong>${block.of}</strong></p>${payload(block.value)}`;
    case 'quote':
      return folded(capital(block.of), verbatim(block.text));
    case 'conversation':
      return html`${originBar(block.call.messages, block.call.tokens)}${conversation(block.call.messages, '/messages')}`;
    case 'change':
      return html`<p class="change">${block.of === undefined ? NOTHING : html`<span class="op">${block.of}</span> `}${change(block.before, block.after)}</p>`;
    case 'links':
      return html`<p class="blame">${block.links.map((each) => html`${drawLink(each)} `)}</p>`;
    case 'folded':
      return folded(block.summary, html`${block.blocks.map((inner) => drawBlock(inner, asked))}`);
    case 'picture':
      return drawPicture(block.picture);
    case 'commands':
      return NOTHING;
    case 'more':
      return nextPart(block.next, asked);
  }
}

function drawJson({ value, pointer, known }: Extract<Block, { readonly block: 'json' }>): Html {
  const drawn = payload(value, known);
  return pointer === undefined ? drawn : copyable(pointer, drawn);
}

/** A table of rows that the catalogue declares the columns of. */
export function rowsOf<Row>(
  title: string,
  columns: Columns<Row>,
  rows: readonly Row[],
  empty: Phrase = 'Nothing yet.',
): Html {
  return drawBlock(tableOf(title, rows, columns, empty));
}

/** What was used and what it cost, as facts. */
export function costOf(cost: Cost): Html {
  return drawBlock(factsBlock(costFacts(cost)));
}

/** Items of one sentence each need no cards. */
function drawList({ items, ids = [] }: Extract<Block, { readonly block: 'list' }>, asked: Pick<Asked, 'query'>): Html {
  const sentences = items.flatMap(([first, ...others]) =>
    first?.block === 'note' && others.length === 0 ? [first] : [],
  );
  return sentences.length === items.length
    ? html`<ol class="plain">${sentences.map(({ said }) => html`<li>${drawPhrase(said)}</li>`)}</ol>`
    : html`<ol class="cards">${items.map((item, at) => drawCard(item, ids[at], asked))}</ol>`;
}

/** A note with which an item begins is its title. */
function drawCard([first, ...blocks]: readonly Block[], id: string | undefined, asked: Pick<Asked, 'query'>): Html {
  const head = first?.block === 'note' ? html`<h3>${drawPhrase(first.said)}</h3>` : first && drawBlock(first, asked);
  return html`<li class="card"${id === undefined ? NOTHING : html` id="${id}"`}>${head}${blocks.map((block) => drawBlock(block, asked))}</li>`;
}

/** A control object reads better on several lines. */
function drawExact(text: string): Html {
  const parsed = parseJson(text);
  const isObject = parsed.ok && typeof parsed.value === 'object';
  return isObject ? inTwoViews(payload(parsed.value), verbatim(text)) : verbatim(text);
}

function drawPicture(picture: Picture): Html {
  switch (picture.of) {
    case 'chunks':
      return drawChunks(picture.shown);
    case 'output_tokens':
      return outputBar(picture.shown);
    case 'places':
      return drawPlaces(picture.shown);
    case 'timeline':
      return attemptTimeline(picture.shown);
    case 'blocks':
      return html`${picture.shown.map((block) => drawBlock(block))}`;
  }
}

const SENTENCE_LENGTH_MIN = 40;

/** Numbers and lengths of time are set to the right; sentences get room and may wrap. */
function drawTable({ title, columns, rows, empty }: Extract<Block, { readonly block: 'table' }>): Html {
  if (rows.length === 0) return html`<p class="empty">${drawPhrase(empty)}</p>`;
  const drawn = columns.map((name, at) => {
    const own = rows.map((row) => row[at] ?? null);
    const texts = own.map(textOf).filter((text) => text !== '');
    const isSentence = texts.some((text) => text.length > SENTENCE_LENGTH_MIN && text.includes(' '));
    const set_as = texts.length > 0 && texts.every(isQuantity) ? 'number' : isSentence ? 'sentence' : undefined;
    return { title: capital(name), cells: own.map(drawPhrase), set_as } as const;
  });
  return table(title, drawn);
}

function textOf(said: Phrase): string {
  if (said === null || typeof said !== 'object') return String(said ?? '');
  return Array.isArray(said) ? (said as readonly Phrase[]).map(textOf).join('') : (said as Link | Marked).text;
}

function drawPhrase(said: Phrase): HtmlValue {
  if (typeof said === 'number') return grouped(said);
  if (said === null || typeof said !== 'object') return said;
  if (Array.isArray(said)) return (said as readonly Phrase[]).map(drawPhrase);
  return 'path' in said ? drawLink(said) : drawMarked(said as Marked);
}

function drawLink({ path, key, text, label }: Link): Html {
  if (label !== undefined) return html`<a class="why" href="${path}" aria-label="${label}">${text}</a>`;
  return html`<a href="${path}"${key === undefined ? NOTHING : html` title="${key}"`}>${shortKey(text)}</a>`;
}

function drawMarked({ as, text }: Marked): Html {
  switch (as) {
    case 'moment':
      return moment(text);
    case 'world_time':
      return worldTime(text);
    case 'state':
      return status(text);
    case 'code':
      return html`<code>${text}</code>`;
    case 'strong':
      return html`<strong>${text}</strong>`;
    case 'match':
      return html`<mark>${text}</mark>`;
    case 'faint':
      return html`<span class="dim">${text}</span>`;
    case 'failure':
      return html`<span class="reason failure">${text}</span>`;
  }
}
