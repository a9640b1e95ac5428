import * as declared from '../../../catalogue/resources/worlds.js';
import type { LatestTurn, Overview } from '../../../operations/browse/overview.js';
import type { ListedMessage, WaitingAttempt } from '../../../ports/browse.js';
import { type Html, html } from '../html.js';
import { nextPart, emptyState, itemPage, type Page, type View } from '../page.js';
import { NO_WORLDS, stirringColumns, worldColumns } from '../../../catalogue/tables.js';
import { rowsOf } from '../resource-page.js';
import { drawTurn } from '../parts/patch.js';
import { type Columns, numbers, sentences, table } from '../parts/table.js';
import { count, linkTo, moment, status, words } from '../parts/text.js';
import { pathOf, pathOfList, PLACES } from '../../../catalogue/places.js';

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
      { id: 'inbox', title: 'What is to be done', body: inbox.length > 0 && messageTable(inbox) },
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

export const inbox: Page = itemPage(declared.inbox, {
  view: ({ rows, next, attempts }, asked): View => ({
    title: 'Inbox',
    eyebrow: 'What waits',
    trail: [],
    sections: [
      {
        id: 'attempts',
        title: 'Attempts that wait for somebody',
        body: table(
          'Attempts that wait',
          waitingColumns,
          attempts,
          emptyState('No attempt waits for an answer, and no call is in doubt.'),
        ),
      },
      {
        id: 'messages',
        title: 'Messages',
        body:
          rows.length === 0
            ? html`<p class="empty">Nothing is queued. <a href="/worlds">A world’s page</a> queues turns, and so does <code>npx chukwa run SLUG --queue --turns 10</code></p>`
            : html`${messageTable(rows)}${nextPart(next, asked)}`,
      },
    ],
  }),
});

const waitingColumns: Columns<WaitingAttempt> = {
  World: ({ world_slug }) => linkTo('world', world_slug),
  'What to do': (row) =>
    row.status === 'suspended'
      ? html`<a href="${pathOf('attempt', row.attempt_id)}#waits">report its calls</a>`
      : html`<a href="${pathOf('attempt', row.attempt_id)}#waits">settle its calls in doubt</a>`,
  Call: ({ waits_for: [first, ...more] }) =>
    first &&
    html`${linkTo('source_invocation', first.source_invocation_id, first.source_label)}${more.length > 0 && ` and ${more.length} more`}`,
  'Until (UTC)': ({ waits_for: [first] }) => moment(first?.deadline ?? null),
  Turn: numbers(({ attempted_turn }) => attempted_turn),
  Attempt: ({ attempt_id }) => linkTo('attempt', attempt_id),
  'Began (UTC)': ({ started_at }) => moment(started_at),
};

/** Messages of one kind and state of one world, as one row. */
interface MessageGroup extends ListedMessage {
  readonly size: number;
}

/** Queued turns of a world are alike; every other message is a row of its own. */
function groupMessages(messages: readonly ListedMessage[]): readonly MessageGroup[] {
  const keyOf = ({ world_slug, message_type, status, attempt_id, defer_reason, inbox_id }: ListedMessage): string =>
    attempt_id === null ? JSON.stringify([world_slug, message_type, status, defer_reason]) : inbox_id;
  const groups = new Map<string, MessageGroup>();
  for (const message of messages) {
    const key = keyOf(message);
    const group = groups.get(key);
    groups.set(key, { ...(group ?? message), size: (group?.size ?? 0) + 1 });
  }
  return [...groups.values()];
}

function messageTable(messages: readonly ListedMessage[]) {
  const columns: Columns<MessageGroup> = {
    Message: ({ message_type, size }) => (size === 1 ? words(message_type) : `${size} × ${words(message_type)}`),
    World: ({ world_slug }) => linkTo('world', world_slug),
    State: (row) => status(row.status),
    Attempt: ({ attempt_id }) => linkTo('attempt', attempt_id),
    Tries: numbers(({ retry_count }) => retry_count + 1),
    'Due (UTC)': ({ next_retry_at }) => moment(next_retry_at),
    'Why it waits': sentences(({ defer_reason }) => defer_reason ?? ''),
    'Since (UTC)': ({ created_at }) => moment(created_at),
  };
  return table('Messages', columns, groupMessages(messages));
}
