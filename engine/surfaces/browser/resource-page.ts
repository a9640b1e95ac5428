import type { Asked, Viewed } from '../../catalogue/resource.js';
import type { Block, Link, Marked, Phrase, RecordView } from '../../catalogue/view.js';
import { type Html, html, type HtmlValue } from './html.js';
import { itemPage, nextPart, type Page, type View } from './page.js';
import { change } from './parts/change.js';
import { payload } from './parts/payload.js';
import { facts, table } from './parts/table.js';
import { foldable, moment, shortKey, status, verbatim, worldTime } from './parts/text.js';

/** The page of a resource that declares its view. */
export function toPage(declared: Viewed): Page {
  return itemPage(declared, { view: (value, asked) => draw(declared.view(value, asked), asked) });
}

function draw({ eyebrow, title, trail, lede, sections }: RecordView, asked: Asked): View {
  return {
    eyebrow,
    title,
    trail: trail.map(({ path, text }) => ({ path, text })),
    ...(lede === undefined ? {} : { lede: html`${drawPhrase(lede)}` }),
    sections: sections.map(({ id, title: heading, blocks }) => ({
      id,
      title: heading,
      body: blocks.length > 0 && html`${blocks.map((block) => drawBlock(block, asked))}`,
    })),
  };
}

function drawBlock(block: Block, asked: Asked): Html {
  switch (block.block) {
    case 'facts':
      return facts(Object.entries(block.facts).map(([name, said]) => [capital(name), drawPhrase(said)]));
    case 'prose':
      return html`<div class="prose">${foldable(block.text)}</div>`;
    case 'note':
      return html`<p class="blame">${drawPhrase(block.said)}</p>`;
    case 'list':
      return html`<ol class="cards">${block.items.map((item) => html`<li class="card">${item.map((inner) => drawBlock(inner, asked))}</li>`)}</ol>`;
    case 'table':
      return table(
        block.title,
        Object.fromEntries(
          block.columns.map((name, at) => [name, (row: readonly Phrase[]) => drawPhrase(row[at] ?? null)]),
        ),
        block.rows,
        html`<p class="empty">${block.empty}</p>`,
      );
    case 'code':
      return verbatim(block.text);
    case 'json':
      return payload(block.value);
    case 'change':
      return html`<p class="change">${change(block.before, block.after)}</p>`;
    case 'links':
      return html`<p class="blame">${block.links.map((each) => html`${drawLink(each)} `)}</p>`;
    case 'more':
      return nextPart(block.next, asked);
  }
}

function drawPhrase(said: Phrase): HtmlValue {
  if (said === null || typeof said !== 'object') return said;
  if (Array.isArray(said)) return (said as readonly Phrase[]).map(drawPhrase);
  return 'path' in said ? drawLink(said) : drawMarked(said as Marked);
}

function drawLink({ path, text }: Link): Html {
  return html`<a href="${path}">${shortKey(text)}</a>`;
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
    case 'faint':
      return html`<span class="dim">${text}</span>`;
  }
}

function capital(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
