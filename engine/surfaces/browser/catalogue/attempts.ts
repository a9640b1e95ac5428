import type {
  AttemptRecord,
  AuditRecord,
  InvocationSummary,
  PatchRecord,
  TimelineRecord,
} from '../../../ports/records.js';
import { toTraceId } from '../../../core/content/trace-id.js';
import { showAgentTurn, type ToldAgentTurn, type ToldCard } from '../../../operations/agents.js';
import { type AgentTurnSummary, stateOfTurn } from '../../../core/agents/agent-turn.js';
import { type AttemptPage, browseAttempt } from '../../../operations/browse/attempts.js';
import { type Html, html } from '../html.js';
import { isInDoubt } from '../../../operations/settle-call.js';
import { type Column, emptyState, itemPage, type Page, type Section, sectionUnless, type View } from '../page.js';
import { verbOf } from '../parts/changes.js';
import { operatorActions } from '../parts/operator-actions.js';
import { payload } from '../parts/payload.js';
import { facts, table } from '../parts/table.js';
import { callWord, change, cut, duration, linkTo, moment, runWord, shortKey, status, words } from '../parts/text.js';
import { labelOf } from '../pictures/attempt-bars.js';
import { attemptTimeline } from '../pictures/attempt-timeline.js';
import { eventsOf, pathOf, pathOfTurn } from '../places.js';
import { decideAttempt } from './decisions.js';
import { took, worldCrumb } from './overview.js';

/** How many events the table of an attempt's page has. */
const EVENTS_MAX = 500;

/** An attempt as a timeline, with its patches and calls. */
export const attempt: Page = itemPage({
  url: '/attempts/:attempt_id',
  access: 'consumer',
  summary: 'An attempt: its calls, patches, agent turns, audit and events.',
  answer: 'Attempt',
  read: (archive, { parameters: { attempt_id = '' } }) => browseAttempt(archive, attempt_id),
  view: viewAttempt,
});

function viewAttempt(shown: AttemptPage): View {
  const { attempt_id, ended_at, world_slug, attempted_turn, patches, invocations, agent_turns, audit, timeline } =
    shown;
  const { more_calls_after } = shown;
  return {
    title: `Attempt at turn ${attempted_turn} of ${world_slug}`,
    eyebrow: 'Attempt',
    trail: [{ path: '/worlds', text: 'Worlds' }, worldCrumb(world_slug)],
    ...(ended_at === null ? { events: eventsOf('attempt', attempt_id) } : {}),
    lede: html`${status(shown.status)} ${shown.failure_message === null ? undefined : html`<span class="failure">${shown.failure_message}</span>`}`,
    sections: [
      ...waits(shown),
      { id: 'timeline', title: 'Timeline', body: attemptTimeline(shown) },
      { id: 'facts', title: 'In short', body: attemptFacts(shown) },
      ...sectionUnless(patches.length === 0, () => ({
        id: 'patches',
        title: 'Patches',
        body: html`${patches.map((patch) => drawPatch(shown, patch))}`,
      })),
      {
        id: 'calls',
        title: 'Calls',
        body: html`${table('Calls', callColumns, invocations, emptyState('No call has been made yet.'))}${more_calls_after === null ? undefined : html`<p class="more"><a href="${pathOf('attempt', shown.attempt_id)}/source-invocations?after=${more_calls_after}">The calls after these, of ${shown.source_invocation_count}</a></p>`}`,
      },
      { id: 'agent-turns', title: 'Agent turns', body: table('Agent turns', agentTurnColumns, agent_turns) },
      ...sectionUnless(audit.length === 0, () => ({
        id: 'audit',
        title: 'Audit',
        body: table('Audit', auditColumns, audit),
      })),
      {
        id: 'events',
        title: 'Events',
        body: html`<details><summary>${timeline.length} events</summary>${table('Events', eventColumns, timeline.slice(0, EVENTS_MAX))}</details>`,
      },
      ...operatorActions(shown.operator_actions),
    ],
    decisions: decideAttempt(shown),
  };
}

/** The calls over which an attempt, or the next one, waits for somebody. */
function waits({ awaited, is_adoptable, invocations }: AttemptRecord): readonly Section[] {
  const doubted = is_adoptable ? invocations.filter(isInDoubt) : [];
  return sectionUnless(awaited.length + doubted.length === 0, () => ({
    id: 'waits',
    title: 'What waits for somebody',
    body: html`<ul class="plain">${awaited.map(({ source_invocation_id: id, source_label, command_key, deadline }) => html`<li><strong>${linkTo('source_invocation', id, source_label)}</strong> is to answer <code>${command_key}</code> until ${moment(deadline)}. Its page takes the answer.</li>`)}${doubted.map(({ source_invocation_id: id, command_key }) => html`<li><strong>${linkTo('source_invocation', id, command_key)}</strong> is in doubt: nobody saw whether it took place. Its page settles it.</li>`)}</ul>`,
  }));
}

function attemptFacts(shown: AttemptRecord): Html {
  return facts([
    ['World', linkTo('world', shown.world_slug)],
    ['Turn', html`<a href="${pathOfTurn(shown.world_slug, shown.attempted_turn)}">${shown.attempted_turn}</a>`],
    ['Began', moment(shown.started_at)],
    ['Ended', moment(shown.ended_at)],
    ['Took', took(shown)],
    ['Calls', shown.source_invocation_count],
    ['Superseded', shown.superseded_call_count === 0 ? undefined : shown.superseded_call_count],
    ['In doubt', shown.calls_in_doubt === 0 ? undefined : shown.calls_in_doubt],
    ['Scenario', linkTo('scenario', shown.scenario_hash)],
    ['Adopts', shown.adopts === null ? undefined : linkTo('attempt', shown.adopts)],
    ['Failed with', shown.failure_class],
    ['Failed for', shown.failed_subject_entity_id],
    ['Failed at', shown.failed_node_id],
    [
      'Failing call',
      shown.failed_source_invocation_id === null
        ? undefined
        : linkTo('source_invocation', shown.failed_source_invocation_id),
    ],
    ['Taken over', shown.take_overs === 0 ? undefined : `${shown.take_overs} times`],
    ['Id', html`<code>${shown.attempt_id}</code>`],
    ['Trace', html`<code>${toTraceId(shown.attempt_id)}</code>`],
  ]);
}

function drawPatch({ invocations }: AttemptRecord, patch: PatchRecord): Html {
  const { patch_seq, workflow_subject_entity_id: subject, narration, effects } = patch;
  const call = invocations.findLast(
    ({ workflow_subject_entity_id, model_output_kind, status: state }) =>
      workflow_subject_entity_id === subject && model_output_kind === 'final_patch' && state === 'succeeded',
  );
  return html`<section class="patch" id="patch-${patch_seq}" aria-label="Patch ${patch_seq}"><h3>Patch ${patch_seq} <span class="dim">by ${subject}</span></h3><p class="narration">${narration}</p>
<ul class="effects">${effects.map(({ op, entity_id, environment_label, state_before, state_after }) => html`<li class="effect"><span class="who">${entity_id ?? environment_label}</span> <span class="op">${verbOf(op)}</span> <span class="change">${change(state_before, state_after)}</span></li>`)}</ul>
${call === undefined ? undefined : html`<p class="blame"><a class="why" href="${pathOf('llm_call', call.llm_call_id ?? '')}" aria-label="Why? The prompt behind patch ${patch_seq}">Why?</a> ${linkTo('source_invocation', call.source_invocation_id, 'call')}</p>`}</section>`;
}

export const callColumns: readonly Column<InvocationSummary>[] = [
  { title: '#', is_number: true, cell: ({ invocation_seq }) => invocation_seq },
  {
    title: 'Call',
    cell: (call) => html`${linkTo('source_invocation', call.source_invocation_id, labelOf(call))}${runWord(call)}`,
  },
  { title: 'Kind', cell: callWord },
  {
    title: 'Subject',
    cell: ({ workflow_subject_entity_id }) => workflow_subject_entity_id ?? html`<span class="dim">whole turn</span>`,
  },
  { title: 'Node', cell: ({ workflow_node_id }) => workflow_node_id ?? '' },
  { title: 'State', cell: ({ status: state, is_superseded }) => status(is_superseded ? 'superseded' : state) },
  { title: 'Took', is_number: true, cell: ({ duration_ms }) => duration(duration_ms) },
  { title: 'Prompt', cell: ({ llm_call_id }) => linkTo('llm_call', llm_call_id, 'prompt') },
  { title: 'Adopted from', cell: ({ adopted_from }) => linkTo('attempt', adopted_from) },
];

const agentTurnColumns: readonly Column<AgentTurnSummary>[] = [
  { title: 'Agent', cell: ({ agent_id }) => agent_id },
  { title: 'Agent turn', cell: ({ agent_turn_id }) => linkTo('agent_turn', agent_turn_id) },
  { title: 'State', cell: (turn) => status(stateOfTurn(turn)) },
  { title: 'Began', cell: ({ began_at }) => moment(began_at) },
  {
    title: 'Took',
    is_number: true,
    cell: ({ began_at, worked_until }) => took({ started_at: began_at, ended_at: worked_until }),
  },
];

const auditColumns: readonly Column<AuditRecord>[] = [
  { title: 'Entry', cell: ({ audit_kind }) => words(audit_kind) },
  { title: 'Subject', cell: ({ workflow_subject_entity_id }) => workflow_subject_entity_id ?? '' },
  { title: 'Call', cell: ({ source_invocation_id }) => linkTo('source_invocation', source_invocation_id) },
  {
    title: 'Why it was rejected',
    is_text: true,
    cell: ({ rejection }) => (rejection === null ? '' : html`<span class="lines">${rejection}</span>`),
  },
];

const eventColumns: readonly Column<TimelineRecord>[] = [
  { title: '#', is_number: true, cell: ({ event_seq }) => event_seq },
  { title: 'Event', cell: ({ event_kind }) => words(event_kind) },
  { title: 'At', cell: ({ occurred_at }) => html`<time datetime="${occurred_at}">${occurred_at.slice(11, 23)}</time>` },
  { title: 'Subject', cell: ({ workflow_subject_entity_id }) => workflow_subject_entity_id ?? '' },
  { title: 'Call', cell: ({ source_invocation_id }) => linkTo('source_invocation', source_invocation_id) },
];

/** One agent's part of an attempt. */
export const agentTurn: Page = itemPage({
  url: '/agent-turns/:agent_turn_id',
  access: 'consumer',
  summary: 'What an agent was given, did and left in one turn.',
  answer: 'AgentTurn',
  read: (archive, { parameters: { agent_turn_id = '' } }) => showAgentTurn(archive, agent_turn_id),
  view: viewAgentTurn,
});

function viewAgentTurn(shown: ToldAgentTurn): View {
  const { agent_id, world_slug, attempt_id, attempted_turn, context_box, output_box, events, execution_edges } = shown;
  return {
    title: `${agent_id} in turn ${attempted_turn} of ${world_slug}`,
    eyebrow: 'Agent turn',
    trail: [
      { path: '/worlds', text: 'Worlds' },
      worldCrumb(world_slug),
      { path: pathOf('attempt', attempt_id), text: `attempt at turn ${attempted_turn}` },
    ],
    lede: status(stateOfTurn(shown)),
    sections: [
      { id: 'context', title: 'What it was given', body: drawCards(context_box?.cards ?? []) },
      { id: 'output', title: 'What it did, and what it left', body: drawCards(output_box.cards) },
      {
        id: 'edges',
        title: 'What caused what',
        body: table(
          'Execution edges',
          [
            { title: 'Edge', cell: ({ primitive }) => words(primitive) },
            { title: 'Phase', cell: ({ edge_phase }) => edge_phase },
            { title: 'At', cell: ({ occurred_at }) => moment(occurred_at) },
          ],
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

function drawCards(cards: readonly ToldCard[]): Html {
  if (cards.length === 0) return emptyState('Nothing.');
  return html`<ol class="cards">${cards.map(
    ({ kind, component_hash, source_invocation_id, llm_call_id, patch_seq, content, tells }) =>
      html`<li class="card"><h3>${words(kind)}</h3>${tells === null ? undefined : drawTelling(tells)}<p class="blame">${component_hash === null ? undefined : shortKey(component_hash)} ${patch_seq === null ? undefined : `patch ${patch_seq}`} ${linkTo('source_invocation', source_invocation_id, 'call')} ${linkTo('llm_call', llm_call_id, 'prompt')}</p>${content === null ? undefined : payload(content)}</li>`,
  )}</ol>`;
}

function drawTelling({ of, value }: NonNullable<ToldCard['tells']>): Html {
  return typeof value === 'string'
    ? html`<p><strong>${of}</strong>: ${cut(value)}</p>`
    : html`<p><strong>${of}</strong></p>${payload(value)}`;
}
