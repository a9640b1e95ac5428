import * as declared from '../../../catalogue/resources/attempts.js';
import { present } from '../../../contract/present.js';
import type { AttemptRecord, AuditRecord, InvocationSummary, TimelineRecord } from '../../../ports/records.js';
import { toTraceId } from '../../../core/content/trace-id.js';
import { isUndriven } from '../../../core/protocol/work-state.js';
import type { AttemptPage } from '../../../operations/browse/attempts.js';
import { type Html, html, type HtmlValue, NOTHING } from '../html.js';
import { toEventId } from '../../../operations/event.js';
import { isInDoubt } from '../../../operations/settle-call.js';
import { itemPage, type Page, type Section, type View } from '../page.js';
import { operatorActions, decideAttempt, decideCall } from './decisions.js';
import { drawPatch } from '../parts/patch.js';
import { question } from '../parts/question.js';
import { type Columns, facts, numbers, sentences, table } from '../parts/table.js';
import {
  callWord,
  count,
  linkTo,
  moment,
  moreInJson,
  outcome,
  runWord,
  type Settlement,
  timeSoFar,
  words,
} from '../parts/text.js';
import { agentTurnColumns, callColumns, unfinishedColumns } from '../../../catalogue/tables.js';
import { rowsOf } from '../resource-page.js';
import { capital, costFacts, labelOf } from '../../../catalogue/words.js';
import { attemptTimeline, BANDS_MAX } from '../pictures/attempt-timeline.js';
import { eventsOf, pathOf, pathOfTurn } from '../../../catalogue/places.js';
import { trailToWorld } from '../../../catalogue/view.js';
import { tookFrom } from '../../../catalogue/words.js';

/** How many rows each table of an attempt's page has. */
const ROWS_SHOWN = 30;
const PATCHES_SHOWN = 20;

export const attempt: Page = itemPage(declared.attempt, {
  view: viewAttempt,
});

function viewAttempt(shown: AttemptPage): View {
  const { attempt_id, ended_at, world_slug, attempted_turn, patches, audit, timeline } = shown;
  return {
    title: `Attempt at turn ${attempted_turn} of ${world_slug}`,
    eyebrow: 'Attempt',
    trail: trailToWorld(world_slug),
    ...present({ events: ended_at === null ? eventsOf('attempt', attempt_id) : undefined }),
    lede: outcome(shown, '', settlementsOf(shown)),
    sections: [
      waits(shown),
      runsNow(shown),
      { id: 'facts', title: 'In short', body: attemptFacts(shown) },
      { id: 'unfinished', title: 'What failed, or is open', body: drawUnfinished(shown) },
      { id: 'timeline', title: 'Timeline', body: html`${attemptTimeline(shown)}${parts(shown)}` },
      {
        id: 'patches',
        title: 'Patches',
        body:
          patches.length > 0 &&
          html`${patches.slice(0, PATCHES_SHOWN).map((patch) => drawPatch(patch))}${more(patches.length > PATCHES_SHOWN, `${pathOfTurn(world_slug, attempted_turn)}/patches?after=${PATCHES_SHOWN}`, `The patches after these, of ${count(patches.length)}`)}`,
      },
      { id: 'calls', title: 'Calls', body: drawCalls(shown) },
      { id: 'agent-turns', title: 'Agent turns', body: drawAgentTurns(shown) },
      {
        id: 'audit',
        title: 'Audit',
        body:
          audit.length > 0 &&
          html`${table('Audit', auditColumns, audit.slice(0, ROWS_SHOWN))}${shown.has_more_audit ? html`<p class="note">These are its first ${count(ROWS_SHOWN)} entries; the JSON has the first ${count(audit.length)}. The page of each call has what was rejected in it.</p>` : moreInJson(audit.length - ROWS_SHOWN)}`,
      },
      {
        id: 'events',
        title: 'Events',
        body: html`<details><summary>${count(timeline.length)} events</summary><p class="note">In the order of the record. A time is when the event happened, so that of calls side by side an earlier one may come later.</p>${table('Events', eventColumns(attempt_id), timeline.slice(0, ROWS_SHOWN))}${moreInJson(timeline.length - ROWS_SHOWN)}</details>`,
      },
      {
        id: 'questions',
        title: 'Compare it',
        is_about_others: true,
        body: question(
          `${pathOf('attempt', attempt_id)}/diff`,
          'A difference',
          [{ name: 'other', label: 'With the attempt (empty: the one before it)' }],
          'Compare',
        ),
      },
      operatorActions(shown.operator_actions),
    ],
    decisions: decideAttempt(shown),
  };
}

/** The calls behind the turn. Superseded ones were made again, and are counted. */
function drawCalls(shown: AttemptPage): Html {
  const { attempt_id, invocations, more_calls_after, superseded_call_count: superseded } = shown;
  const kept = invocations.filter(({ is_superseded }) => !is_superseded);
  const rows = kept.slice(0, ROWS_SHOWN);
  const last = rows.length < kept.length ? rows.at(-1)?.invocation_seq : more_calls_after;
  const list = `${pathOf('attempt', attempt_id)}/source-invocations`;
  const note =
    superseded === 0
      ? NOTHING
      : html`<p class="note">${count(superseded)} more ${superseded === 1 ? 'was' : 'were'} superseded: an earlier subject changed what they had read, and they were asked again. <a href="${list}">All calls</a></p>`;
  return html`${rowsOf('Calls', callColumns, rows, 'No call has been made yet.')}${more((last ?? null) !== null, `${list}?after=${last}`, `The calls after these, of ${countCalls(shown)}`)}${note}`;
}

/** The calls that its list has. */
const countCalls = ({ source_invocation_count: made, adopts }: AttemptPage): string =>
  `${count(made)}${adopts === null ? '' : ' made here and the adopted ones'}`;

function drawAgentTurns({ attempt_id, agent_turns }: AttemptPage): Html {
  const rows = agent_turns.slice(0, ROWS_SHOWN);
  const path = `${pathOf('attempt', attempt_id)}/agent-turns?after=${rows.at(-1)?.agent_turn_id}`;
  return html`${rowsOf('Agent turns', agentTurnColumns, rows)}${more(rows.length < agent_turns.length, path, `The agent turns after these, of ${count(agent_turns.length)}`)}`;
}

/** A link to the rest of a list, where there is a rest. */
function more(isMore: boolean, path: string, text: string): Html {
  return isMore ? html`<p class="more"><a href="${path}">${text}</a></p>` : NOTHING;
}

/** How its calls in doubt were settled, once all of them are. */
function settlementsOf({ calls_in_doubt, timeline, unfinished }: AttemptPage): readonly Settlement[] {
  if (calls_in_doubt > 0) return [];
  return unfinished
    .filter(({ settled_as }) => settled_as !== null)
    .flatMap((call) => {
      const { source_invocation_id: id, settled_as } = call;
      const event = timeline.findLast((one) => one.event_kind === 'call_settled' && one.source_invocation_id === id);
      const { settled_by = null, reason = null } = (event?.details ?? {}) as Partial<Settlement>;
      const performed = settled_as === 'performed';
      const named = linkTo('source_invocation', id, labelOf(call));
      return event === undefined ? [] : [{ performed, settled_at: event.occurred_at, settled_by, reason, call: named }];
    });
}

/** Which part of a long attempt is drawn, and the ways to the others. */
function parts(shown: AttemptPage): Html {
  const { attempt_id, invocations, calls_after, more_calls_after } = shown;
  if (calls_after === null && more_calls_after === null) return NOTHING;
  const [first, last] = [invocations[0]?.invocation_seq, invocations.at(-1)?.invocation_seq];
  const subjects = new Set(invocations.map((call) => call.workflow_subject_entity_id)).size;
  const path = pathOf('attempt', attempt_id);
  return html`<p class="note">Calls ${count(first)} to ${count(last)} of ${countCalls(shown)} are ${subjects > BANDS_MAX ? 'in this part' : 'drawn'}, and listed below with their events. ${calls_after === null ? undefined : html`<a href="${path}#timeline">← The first ones</a> `}${more_calls_after === null ? undefined : html`<a href="${path}?after=${more_calls_after}#timeline">The calls after these →</a>`}</p>`;
}

/** Calls that somebody has to know of, wherever they are in the attempt; those that wait or run are above. */
function drawUnfinished({ attempt_id, unfinished, has_more_unfinished }: AttemptPage): Html | false {
  const rows = unfinished.slice(0, ROWS_SHOWN);
  const isCut = has_more_unfinished || rows.length < unfinished.length;
  const list = `${pathOf('attempt', attempt_id)}/source-invocations?only=unfinished`;
  return (
    rows.length > 0 &&
    html`${rowsOf('Calls that failed or are open', unfinishedColumns, rows)}${more(isCut, list, 'All that failed or are open')}`
  );
}

/** The running calls, each with its time so far; none where the driver is gone. */
function runsNow(shown: AttemptPage): Section {
  const { attempt_id, read_at, unfinished, has_more_unfinished, timeline } = shown;
  const running = unfinished.filter(({ status: state }) => state === 'running');
  const isShown = read_at !== null && running.length > 0 && !isUndriven(shown);
  return {
    id: 'running',
    title: 'What runs now',
    body:
      isShown &&
      html`<ul class="plain">${running.slice(0, ROWS_SHOWN).map((call) => {
        const { source_invocation_id: id, llm_call_id, workflow_subject_entity_id: subject } = call;
        const began = timeline.find((event) => event.source_invocation_id === id)?.occurred_at ?? null;
        const name = llm_call_id === null ? labelOf(call) : 'what the model says';
        const link =
          llm_call_id === null ? linkTo('source_invocation', id, name) : linkTo('llm_call', llm_call_id, name);
        return html`<li><span class="status is-running"><span class="who">${subject ?? 'whole turn'}</span></span> ${callWord(call)}${runWord(call)}, ${link}, for ${timeSoFar(began, read_at)}</li>`;
      })}</ul>${more(has_more_unfinished || running.length > ROWS_SHOWN, `${pathOf('attempt', attempt_id)}/source-invocations?only=unfinished`, 'All that is open')}`,
  };
}

/** The calls for which an attempt, or the next one, waits, and the consequence of each decision. */
function waits({ attempt_id, awaited, is_adoptable, unfinished, calls_in_doubt }: AttemptPage): Section {
  const doubted = is_adoptable ? unfinished.filter(isInDoubt) : [];
  const left_out = Math.max(0, awaited.length - ROWS_SHOWN) + Math.max(0, calls_in_doubt - ROWS_SHOWN);
  const findCall = (id: string): InvocationSummary | undefined =>
    unfinished.find(({ source_invocation_id }) => source_invocation_id === id);
  return {
    id: 'waits',
    title: 'What waits for somebody',
    body:
      awaited.length + doubted.length > 0 &&
      html`${awaited.slice(0, ROWS_SHOWN).map(({ source_invocation_id: id, source_label, command_key, deadline }) => html`<p><strong>${linkTo('source_invocation', id, source_label)}</strong> is to answer <code>${command_key}</code> until ${moment(deadline)}. Then the call fails.</p>${drawChoices(findCall(id))}`)}${doubted.slice(0, ROWS_SHOWN).map((call) => html`<p><strong>${linkTo('source_invocation', call.source_invocation_id, labelOf(call))}</strong>, <code>${call.command_key}</code>, is in doubt: nobody saw whether it took place. Until somebody decides, no turn of this world is begun.</p>${drawChoices(call)}`)}${more(left_out > 0, `${pathOf('attempt', attempt_id)}/source-invocations?only=unfinished`, `${count(left_out)} more`)}`,
  };
}

/** The decisions about a call, with the effect of each; they are taken on the call's own page. */
function drawChoices(call: InvocationSummary | undefined): Html {
  if (call === undefined) return NOTHING;
  const path = pathOf('source_invocation', call.source_invocation_id);
  return html`<dl class="choices">${decideCall(call).map(({ id, title, consequence }) => html`<div><dt><a href="${path}#${id}">${title}</a></dt><dd>${consequence}</dd></div>`)}</dl>`;
}

function attemptFacts(shown: AttemptPage): Html {
  return facts([
    ['World', linkTo('world', shown.world_slug)],
    ['Turn', turnOf(shown)],
    ['Began (UTC)', moment(shown.started_at)],
    ['Ended (UTC)', moment(shown.ended_at)],
    ['Took', tookFrom(shown.started_at, shown.ended_at)],
    ['Calls', shown.source_invocation_count],
    ...Object.entries(costFacts(shown.cost)).map(([name, said]) => [capital(name), said] as const),
    ['In doubt', shown.calls_in_doubt || undefined],
    ['Scenario', linkTo('scenario', shown.scenario_hash)],
    ['Adopts', linkTo('attempt', shown.adopts)],
    [
      'Compared',
      shown.attempt_before === null
        ? undefined
        : html`<a href="${pathOf('attempt', shown.attempt_id)}/diff">what is different from the attempt before</a>`,
    ],
    ['Failed with', words(shown.failure_class)],
    ['Failed for', shown.failed_subject_entity_id],
    ['Failed at', shown.failed_node_id],
    ['Failing call', linkTo('source_invocation', shown.failed_source_invocation_id)],
    ['Taken over', shown.take_overs === 0 ? undefined : `${shown.take_overs} times`],
    ['Id', html`<code>${shown.attempt_id}</code>`],
    ['Trace', html`<code>${toTraceId(shown.attempt_id)}</code>`],
  ]);
}

/** A turn that has not been committed has no page. */
function turnOf({ status: state, world_slug, attempted_turn }: AttemptRecord): HtmlValue {
  if (state !== 'committed') return attempted_turn;
  return html`<a href="${pathOfTurn(world_slug, attempted_turn)}">${attempted_turn}</a>`;
}

const auditColumns: Columns<AuditRecord> = {
  Entry: ({ audit_kind }) => words(audit_kind),
  Subject: ({ workflow_subject_entity_id }) => workflow_subject_entity_id ?? '',
  Call: ({ source_invocation_id }) => linkTo('source_invocation', source_invocation_id),
  'Why it was rejected': sentences(({ rejection }) =>
    rejection === null ? '' : html`<span class="lines">${rejection}</span>`,
  ),
};

const eventColumns = (attempt_id: string): Columns<TimelineRecord> => ({
  '#': numbers(({ event_seq }) => linkTo('event', toEventId(attempt_id, event_seq), String(event_seq))),
  Event: ({ event_kind }) => words(event_kind),
  'At (UTC)': ({ occurred_at }) => html`<time datetime="${occurred_at}">${occurred_at.slice(11, 23)}</time>`,
  Subject: ({ workflow_subject_entity_id }) => workflow_subject_entity_id ?? '',
  Call: ({ source_invocation_id }) => linkTo('source_invocation', source_invocation_id),
});
