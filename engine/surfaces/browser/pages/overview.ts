import * as declared from '../../../catalogue/resources/worlds.js';
import type { LatestTurn, Overview } from '../../../operations/browse/overview.js';
import { type Html, html } from '../html.js';
import { itemPage, type Page, type View } from '../page.js';
import { groupMessages, messageColumns } from '../../../catalogue/resources/inbox.js';
import { NO_WORLDS, stirringColumns, worldColumns } from '../../../catalogue/tables.js';
import { rowsOf } from '../resource-page.js';
import { drawTurn } from '../parts/patch.js';
import { count, linkTo } from '../parts/text.js';
import { pathOfList, PLACES } from '../../../catalogue/places.js';

export const overview: Page = itemPage(declared.overview, {
  view: ({ stirring, worlds, latest, documents, inbox }): View => ({
    title: 'Worlds',
    eyebrow: 'Chukwa',
    trail: [],
    lede: html`In each of these written worlds, agents think with a language model, turn by turn. Their prompts, requests and answers are all on record. Choose a world; beside each action, <span class="why">Why?</span> leads to the exact prompt behind it.`,
    sections: [
      {
        id: 'latest',
        title: `What happened last, in ${latest?.world_slug}`,
        body: latest !== null && drawLatest(latest),
      },
      {
        id: 'stirring',
        title: 'What runs, waits or has failed',
        body: stirring.length > 0 && rowsOf('Worlds that run, wait or have failed', stirringColumns, stirring),
      },
      {
        id: 'worlds',
        title: 'All worlds',
        body: html`${rowsOf('Worlds', worldColumns, worlds.rows, NO_WORLDS)}${worlds.next === null ? undefined : html`<p class="more"><a href="/worlds">All worlds</a></p>`}`,
      },
      {
        id: 'inbox',
        title: 'What is to be done',
        body: inbox.length > 0 && rowsOf('Messages', messageColumns, groupMessages(inbox)),
      },
      { id: 'documents', title: 'Documents', body: documentCounts(documents) },
    ],
  }),
});

function drawLatest({ world_slug, story }: LatestTurn): Html {
  return html`${drawTurn(world_slug, story, story.patches.length)}<p class="more">${linkTo('world', world_slug, `The whole story of ${world_slug}`)}</p>`;
}

function documentCounts(documents: Overview['documents']) {
  return html`<ul class="tiles">${documents.map(
    ({ kind, count: number }) =>
      html`<li><a href="${pathOfList(kind)}"><span class="tile-number">${count(number)}</span> <span>${number === 1 ? PLACES[kind].noun : PLACES[kind].nouns}</span></a></li>`,
  )}</ul>`;
}
