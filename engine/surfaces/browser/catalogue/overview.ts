import * as declared from '../../../catalogue/resources/worlds.js';
import type { Asked } from '../../../catalogue/resource.js';
import type { LatestTurn, Overview, StirringWorld } from '../../../operations/browse/overview.js';
import type { ListedWorld } from '../../../operations/browse/worlds.js';
import type { ListedAttempt, ListedMessage, WaitingAttempt } from '../../../ports/browse.js';
import { type Html, html } from '../html.js';
import { listPage, nextPart, emptyState, itemPage, type Page, type View } from '../page.js';
import { drawTurn } from '../parts/patch.js';
import { type Columns, numbers, sentences, table } from '../parts/table.js';
import { count, duration, linkTo, moment, status, words, worldTime } from '../parts/text.js';
import { pathOf, pathOfList, pathOfTurn, PLACES } from '../../../catalogue/places.js';

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
        body: stirring.length > 0 && table('Worlds that run, wait or have failed', stirringColumns, stirring),
      },
      {
        id: 'worlds',
        title: 'All worlds',
        body: html`${table('Worlds', worldColumns, worlds.rows, NO_WORLDS)}${worlds.next === null ? undefined : html`<p class="more"><a href="/worlds">All worlds</a></p>`}`,
      },
      { id: 'inbox', title: 'What is to be done', body: inbox.length > 0 && messageTable(inbox) },
      { id: 'documents', title: 'Documents', body: documentCounts(documents) },
    ],
  }),
});

function drawLatest({ world_slug, story }: LatestTurn): Html {
  return html`${drawTurn(world_slug, story, story.patches.length)}<p class="more">${linkTo('world', world_slug, `The whole story of ${world_slug}`)}</p>`;
}

/** What the newest attempt of a world waits for, or why it failed. */
function why({ state, newest }: Pick<ListedWorld, 'state' | 'newest'>): Html | string {
  if (newest === null || ['at rest', 'new', 'queued'].includes(state)) return '';
  const { attempt_id, attempted_turn, failure_class } = newest;
  const what = failure_class === null ? `turn ${attempted_turn}` : `${words(failure_class)}, turn ${attempted_turn}`;
  return html`<a href="${pathOf('attempt', attempt_id)}">${what}</a>`;
}

const stirringColumns: Columns<StirringWorld> = {
  World: ({ world_slug }) => html`<strong>${linkTo('world', world_slug)}</strong>`,
  State: ({ state }) => status(state),
  Attempt: ({ state, ...newest }) => why({ state, newest }),
  'Since (UTC)': ({ last_at }) => moment(last_at),
};

const worldColumns: Columns<ListedWorld> = {
  World: ({ world_slug }) => html`<strong>${linkTo('world', world_slug)}</strong>`,
  State: ({ is_readable, ...world }) =>
    is_readable
      ? html`${status(world.state)} <span class="dim">${why(world)}</span>`
      : html`<span class="status is-failed">cannot be read</span>`,
  Turn: numbers(({ world_slug, turn }) => html`<a href="${pathOfTurn(world_slug, turn)}">${turn}</a>`),
  'Time in it (UTC)': ({ simulation_time }) => worldTime(simulation_time),
  Scenario: ({ scenario_hash, scenario_label }) => linkTo('scenario', scenario_hash, scenario_label),
  'Forked from': ({ forked_from }) =>
    forked_from === undefined
      ? ''
      : html`<a href="${pathOfTurn(forked_from.world_slug, forked_from.turn)}">${forked_from.world_slug} at ${forked_from.turn}</a>`,
  Queued: numbers(({ queued_turns }) => (queued_turns === 0 ? '' : queued_turns)),
  'Last active (UTC)': ({ newest, created_at }) => moment(newest?.last_at ?? created_at),
};

const NO_WORLDS = emptyState('There is no world yet. Make one, and play three turns in it:', 'npx chukwa park');

export const worldList: Page = listPage(declared.worldList, {
  about: () => ({ title: 'Worlds' }),
  order: 'By name',
  columns: worldColumns,
  empty: NO_WORLDS,
});

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

/** The trail to what is in a world. */
export function trailToWorld(world_slug: string): View['trail'] {
  return [
    { path: '/worlds', text: 'Worlds' },
    { path: pathOf('world', world_slug), text: world_slug },
  ];
}

/** The trail to what is in an attempt. */
export function trailToAttempt(of: Pick<ListedAttempt, 'world_slug' | 'attempt_id' | 'attempted_turn'>): View['trail'] {
  const { world_slug, attempt_id, attempted_turn } = of;
  return [
    ...trailToWorld(world_slug),
    { path: pathOf('attempt', attempt_id), text: `attempt at turn ${attempted_turn}` },
  ];
}

/** The trail to a list of an attempt. */
export function trailToList({ parameters: { attempt_id } }: Asked): View['trail'] {
  return [{ path: pathOf('attempt', attempt_id), text: 'the attempt' }];
}

/** How long an attempt took. */
export function took({
  started_at,
  ended_at,
}: {
  readonly started_at: string;
  readonly ended_at: string | null;
}): string {
  return ended_at === null ? '' : duration(Date.parse(ended_at) - Date.parse(started_at));
}
