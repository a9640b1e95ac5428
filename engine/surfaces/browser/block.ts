import type { Asked } from '../../catalogue/resource.js';
import { type Block, type Link, listBlocks, type Marked, type Phrase, type Picture } from '../../catalogue/view.js';
import { capital, grouped, isQuantity, toDuration } from '../../catalogue/words.js';
import { parseJson } from '../../core/content/parse-json.js';
import { type Html, html, type HtmlValue, NOTHING } from './html.js';
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
import { drawStory } from './parts/patch.js';
import { payload } from './parts/payload.js';
import { drawPlaces } from './parts/places.js';
import { question } from './parts/question.js';
import { facts, table } from './parts/table.js';
import { cut, foldable, folded, moment, shortKey, status, verbatim, worldTime } from './parts/text.js';
import { attemptTimeline } from './pictures/attempt-timeline.js';
import { forkTree } from './pictures/fork-tree.js';
import { intervalPlots } from './pictures/interval-plot.js';
import { lifeLines } from './pictures/life-lines.js';
import { readingPlots } from './pictures/reading-plot.js';
import { workflowGraph } from './pictures/workflow-graph.js';

/** Where a block is drawn: below which title, and what was asked for. */
interface Place extends Pick<Asked, 'query'> {
  readonly title: string;
}

/** A block of a view. */
export function drawBlock(block: Block, place: Place = { title: '', query: {} }): Html {
  switch (block.block) {
    case 'facts':
      return facts(Object.entries(block.facts).map(([name, said]) => [capital(name), drawPhrase(said)]));
    case 'prose':
      return html`<div class="prose">${foldable(block.text, cut(block.text))}</div>`;
    case 'note':
      return isHeading(block.said)
        ? html`<h3>${textOf(block.said)}</h3>`
        : html`<p class="note">${drawPhrase(block.said)}</p>`;
    case 'list':
      return drawList(block, place);
    case 'table':
      return drawTable(block, place);
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
      return html`${block.tokens === undefined ? NOTHING : originBar(block.messages, block.tokens)}${conversation(block.messages, block.pointer)}`;
    case 'change':
      return html`<p class="change">${block.of === undefined ? NOTHING : html`<span class="op">${block.of}</span> `}${change(block.before, block.after)}</p>`;
    case 'links':
      return html`<p class="blame">${block.links.map((each) => html`${drawLink(each)} `)}</p>`;
    case 'folded':
      return folded(block.summary, html`${block.blocks.map((inner) => drawBlock(inner, place))}`, block.is_open);
    case 'picture':
      return drawPicture(block.picture, place);
    case 'commands':
      return NOTHING;
    case 'question':
      return question(block);
    case 'more':
      return nextPart(block.next, place);
  }
}

function drawJson({ value, pointer, known }: Extract<Block, { readonly block: 'json' }>): Html {
  const drawn = payload(value, known);
  return pointer === undefined ? drawn : copyable(pointer, drawn);
}

/** Items of one sentence each need no cards. */
function drawList({ items, ids = [] }: Extract<Block, { readonly block: 'list' }>, place: Place): Html {
  const sentences = items.flatMap(([first, ...others]) =>
    first?.block === 'note' && others.length === 0 ? [first] : [],
  );
  if (items.length === 0) return NOTHING;
  return sentences.length === items.length
    ? html`<ol class="plain">${sentences.map(({ said }, at) => html`<li${nameOf(ids[at])}>${drawPhrase(said)}</li>`)}</ol>`
    : html`<ol class="cards">${items.map((item, at) => drawCard(item, ids[at], place))}</ol>`;
}

/** A note with which an item begins is its title. */
function drawCard([first, ...blocks]: readonly Block[], id: string | undefined, place: Place): Html {
  const head = first?.block === 'note' ? html`<h3>${drawPhrase(first.said)}</h3>` : first && drawBlock(first, place);
  return html`<li class="card"${nameOf(id)}>${head}${blocks.map((block) => drawBlock(block, place))}</li>`;
}

const nameOf = (id: string | undefined): Html => (id === undefined ? NOTHING : html` id="${id}"`);

/** A control object reads better on several lines. */
function drawExact(text: string): Html {
  const parsed = parseJson(text);
  const isObject = parsed.ok && typeof parsed.value === 'object';
  return isObject ? inTwoViews(payload(parsed.value), verbatim(text)) : verbatim(text);
}

function drawPicture(picture: Picture, place: Place): Html {
  switch (picture.of) {
    case 'chunks':
      return drawChunks(picture.shown);
    case 'output_tokens':
      return outputBar(picture.shown);
    case 'places':
      return drawPlaces(picture.shown);
    case 'timeline':
      return attemptTimeline(picture.shown);
    case 'story':
      return drawStory(picture.shown, picture.names);
    case 'lives':
      return lifeLines(picture.shown, picture.story);
    case 'readings':
      return readingPlots(picture.shown) ?? NOTHING;
    case 'intervals':
      return intervalPlots(picture.shown);
    case 'forks':
      return forkTree(picture.shown, picture.here);
    case 'workflow':
      return workflowGraph(picture.shown);
    case 'counts':
      return html`<ul class="tiles">${picture.shown.map(
        ([number, { path, text }]) =>
          html`<li><a href="${path}"><span class="tile-number">${grouped(number)}</span> <span>${text}</span></a></li>`,
      )}</ul>`;
    case 'blocks':
      return html`${listBlocks(picture.shown).map((block) => drawBlock(block, place))}`;
  }
}

const SENTENCE_LENGTH_MIN = 40;

/** Numbers and lengths of time are set to the right; sentences get room and may wrap. */
function drawTable({ title, columns, rows, empty }: Extract<Block, { readonly block: 'table' }>, place: Place): Html {
  if (rows.length === 0) return empty === null ? NOTHING : html`<p class="empty">${drawPhrase(empty)}</p>`;
  const drawn = columns.map((name, at) => {
    const own = rows.map((row) => row[at] ?? null);
    const texts = own.map(textOf).filter((text) => text !== '');
    const isSentence = texts.some((text) => text.length > SENTENCE_LENGTH_MIN && text.includes(' '));
    const set_as = texts.length > 0 && texts.every(isQuantity) ? 'number' : isSentence ? 'sentence' : undefined;
    return { title: capital(name), cells: own.map(drawPhrase), set_as } as const;
  });
  return table(title ?? place.title, drawn);
}

/** A note that is one strong word, or some, is the heading of the blocks after it. */
function isHeading(said: Phrase): boolean {
  const [only, ...others] = Array.isArray(said) ? (said as readonly Phrase[]) : [said];
  return others.length === 0 && typeof only === 'object' && only !== null && 'as' in only && only.as === 'strong';
}

function textOf(said: Phrase): string {
  if (said === null || typeof said !== 'object') return String(said ?? '');
  return Array.isArray(said) ? (said as readonly Phrase[]).map(textOf).join('') : (said as Link | Marked).text;
}

export function drawPhrase(said: Phrase): HtmlValue {
  if (typeof said === 'number') return grouped(said);
  if (said === null || typeof said !== 'object') return said;
  if (Array.isArray(said)) return (said as readonly Phrase[]).map(drawPhrase);
  return 'path' in said ? drawLink(said) : drawMarked(said as Marked);
}

function drawLink({ path, key, text, label }: Link): Html {
  if (label !== undefined) return html`<a class="why" href="${path}" aria-label="${label}">${text}</a>`;
  return html`<a href="${path}"${key === undefined ? NOTHING : html` title="${key}"`}>${shortKey(text)}</a>`;
}

function drawMarked({ as, text, of }: Marked): Html {
  switch (as) {
    case 'moment':
      return moment(text);
    case 'world_time':
      return worldTime(text);
    case 'state':
      return status(text, of);
    case 'code':
      return html`<code>${text}</code>`;
    case 'strong':
      return html`<strong>${text}</strong>`;
    case 'match':
      return html`<mark>${text}</mark>`;
    case 'faint':
      return html`<span class="dim">${text}</span>`;
    case 'why':
      return html`<span class="why">${text}</span>`;
    case 'so_far':
      return html`<span class="so-far" data-so-far="${text}">${toDuration(Number(text))}</span>`;
    case 'failure':
      return html`<span class="reason failure">${text}</span>`;
  }
}

/** A link to the next part of a list, with the same query otherwise. */
function nextPart(next: string | null, { query }: Pick<Asked, 'query'>): Html {
  if (next === null) return NOTHING;
  const kept = new URLSearchParams({ ...query, after: next });
  kept.delete('format');
  return html`<p class="more"><a href="?${kept.toString()}">More</a></p>`;
}
