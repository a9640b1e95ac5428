import * as declared from '../../../catalogue/resources/attempts.js';
import { type ResolvedAgentTurn, type ResolvedCard } from '../../../operations/agents.js';
import { type Html, html, NOTHING } from '../html.js';
import { emptyState, itemPage, type Page, type View } from '../page.js';
import { payload } from '../parts/payload.js';
import { table } from '../parts/table.js';
import { cut, linkTo, moment, shortKey, status, words } from '../parts/text.js';
import { pathOf } from '../../../catalogue/places.js';
import { trailToAttempt } from './overview.js';

export const agentTurn: Page = itemPage(declared.agentTurn, {
  view: viewAgentTurn,
});

function viewAgentTurn(shown: ResolvedAgentTurn): View {
  const { agent_id, world_slug, attempted_turn, context_box, output_box, events, execution_edges } = shown;
  return {
    title: `${agent_id} in turn ${attempted_turn} of ${world_slug}`,
    eyebrow: 'Agent turn',
    trail: trailToAttempt(shown),
    lede: sayState(shown),
    sections: [
      { id: 'context', title: 'What it was given', body: drawCards(shown, context_box?.cards ?? []) },
      { id: 'output', title: 'What it did, and what it left', body: drawCards(shown, output_box.cards) },
      {
        id: 'edges',
        title: 'What caused what',
        body: table(
          'Execution edges',
          {
            Edge: ({ primitive }) => words(primitive),
            Phase: ({ edge_phase }) => edge_phase,
            'At (UTC)': ({ occurred_at }) => moment(occurred_at),
          },
          execution_edges,
        ),
      },
      {
        id: 'events',
        title: 'Events',
        body: html`<details><summary>${events.length} events</summary>${payload(events)}</details>`,
      },
    ],
  };
}

/** The state of the turn; of one that had answered when its attempt failed, that too. */
function sayState({ deliverable_card_id, output_box, state }: ResolvedAgentTurn): Html {
  const left = output_box.cards.find(({ card_id }) => card_id === deliverable_card_id)?.content;
  const hadAnswered =
    left !== null && typeof left === 'object' && 'failure_class' in left && left.failure_class === 'attempt_failed';
  return html`${status(state)}${hadAnswered ? '. It had answered; then its attempt failed.' : undefined}`;
}

/** The kinds of cards, in a reader's words. */
const CARD_WORDS: Readonly<Record<string, string>> = {
  'task.instruction': 'the workflow that it ran',
  'task.result_fields': 'the schema of its answer',
  'task.deliverable': 'what it left',
  'ambient.reading': 'a reading',
  'tool.call': 'called a tool',
  'tool.result': 'what the tool answered',
  'node.output': 'what a node gave',
};

function drawCards({ attempt_id }: ResolvedAgentTurn, cards: readonly ResolvedCard[]): Html {
  if (cards.length === 0) return emptyState('Nothing.');
  return html`<ol class="cards">${cards.map((card) => drawCard(attempt_id, card))}</ol>`;
}

function drawCard(attempt_id: string, card: ResolvedCard): Html {
  const { kind, component_hash, source_invocation_id, llm_call_id, patch_seq, content, tells } = card;
  const patch = html`<a href="${pathOf('attempt', attempt_id)}#patch-${patch_seq}">patch ${patch_seq}</a>`;
  return html`<li class="card"><h3>${CARD_WORDS[kind] ?? words(kind)}</h3>${tells === null ? undefined : drawCardValue(tells)}<p class="blame">${componentLink(kind, component_hash)} ${patch_seq === null ? undefined : patch} ${linkTo('source_invocation', source_invocation_id, 'the call')} ${linkTo('llm_call', llm_call_id, 'the prompt')}</p>${content === null ? undefined : payload(content)}</li>`;
}

function componentLink(kind: string, hash: string | null): Html {
  if (hash === null) return NOTHING;
  return kind === 'task.instruction' ? linkTo('cognition_workflow', hash) : shortKey(hash);
}

function drawCardValue({ of, value, failure }: NonNullable<ResolvedCard['tells']>): Html {
  if (failure !== null) {
    const why = [failure.failure_class, failure.failure_detail].flatMap((name) => words(name) || []).join(', ');
    return html`<p><strong>${of}</strong>: ${why}: <span class="reason failure">${failure.failure_message}</span></p>`;
  }
  return typeof value === 'string'
    ? html`<p><strong>${of}</strong>: ${cut(value)}</p>`
    : html`<p><strong>${of}</strong></p>${payload(value)}`;
}
