import { present } from '../../contract/present.js';
import { toTraceId } from '../../core/content/trace-id.js';
import { isUndriven, stateOf } from '../../core/protocol/work-state.js';
import { type AttemptPage, browseAttempt } from '../../operations/browse/attempts.js';
import { toEventId } from '../../operations/browse/event.js';
import type { ShownAttempt } from '../../operations/browse/records.js';
import { isInDoubt } from '../../operations/settling/settle-call.js';
import type { AuditRecord, InvocationSummary, TimelineRecord } from '../../ports/records.js';
import type { Action } from '../action.js';
import { reportCall, settleCall } from '../actions/calls.js';
import { patchList } from '../patches.js';
import { eventsOf, pathOf, pathOfTurn } from '../places.js';
import { toPhrase, toReason } from '../phrase.js';
import { columnsOf, members } from '../members.js';
import { resource } from '../resource.js';
import { actionColumns, agentTurnColumns, callColumns, unfinishedColumns } from '../tables.js';
import {
  aboutOthers,
  type Block,
  type Blocks,
  code,
  type Columns,
  ending,
  extra,
  failure,
  faint,
  folded,
  inShort,
  type Link,
  linkTo,
  linkToTurn,
  list,
  moment,
  note,
  outcome,
  type Phrase,
  picture,
  question,
  quote,
  section,
  state,
  strong,
  table,
  trailToWorld,
} from '../view.js';
import {
  callWord,
  costFacts,
  count,
  failureName,
  grouped,
  labelOf,
  runWord,
  toDuration,
  tookFrom,
  words,
} from '../words.js';

export const attempt = resource({
  name: 'get_attempt',
  path: '/attempts/:attempt_id',
  reader: 'consumer',
  says: 'An attempt: its calls, patches, agent turns, audit and events.',
  gives: 'Attempt',
  takes: ['after'],
  read: (archive, { parameters: { attempt_id }, query: { after }, reader }) =>
    browseAttempt(archive, present({ attempt_id, reader, after })),
  view(shown) {
    const { attempt_id, ended_at, world_slug, attempted_turn: turn, patches, failure_message } = shown;
    const settlements = saySettled(shown);
    const isSettled = settlements.length > 0 && failure_message !== null;
    const left_out = `${pathOfTurn(world_slug, turn)}/patches?after=${PATCHES_SHOWN}`;
    return {
      title: `Attempt at turn ${turn} of ${world_slug}`,
      eyebrow: 'Attempt',
      trail: trailToWorld(world_slug),
      events: ended_at === null ? eventsOf('attempt', attempt_id) : undefined,
      lede: isSettled ? [state(stateOf(shown)), settlements] : ending(shown),
      sections: [
        section('waits', 'What waits for somebody', drawWaits(shown)),
        section('running', 'What runs now', drawRunning(shown)),
        inShort(factsOf(shown)),
        section('ended', 'What it said when it ended', isSettled && folded('The message', note(failure_message))),
        extra('unfinished', 'What failed, or is open', drawUnfinished(shown)),
        section('timeline', 'Timeline', picture({ of: 'timeline', shown }), drawParts(shown)),
        outcome(
          'patches',
          'Patches',
          patchList(patches.slice(0, PATCHES_SHOWN)),
          more(patches.length > PATCHES_SHOWN, left_out, `The patches after these, of ${grouped(patches.length)}`),
        ),
        section('calls', sayCalls(shown), drawCalls(shown)),
        section('agent-turns', count(shown.agent_turns.length, 'agent turn'), drawAgentTurns(shown)),
        section('rejected', 'Rejected answers', drawRejected(shown)),
        extra('audit', 'Audit', drawAudit(shown)),
        extra('events', 'Events', drawEvents(shown)),
        aboutOthers('actions', 'What operators did', table(shown.operator_actions, actionColumns)),
        aboutOthers(
          'questions',
          'Compare it',
          question(`${pathOf('attempt', attempt_id)}/diff`, 'A difference', 'Compare', [
            { name: 'other', label: 'With the attempt (empty: the one before it)' },
          ]),
        ),
      ],
    };
  },
});

/** How many rows each table of an attempt's page has. */
const ROWS_SHOWN = 30;
const PATCHES_SHOWN = 20;

/** A link to the rest of a list, where there is a rest. */
function more(isMore: boolean, path: string, text: string): Blocks {
  return isMore && note({ path, command: [], text });
}

function rest(left_out: number): Blocks {
  return left_out > 0 && note(`${grouped(left_out)} more; the JSON has them all.`);
}

function factsOf(shown: AttemptPage): Readonly<Record<string, Phrase>> {
  const { attempt_id, attempted_turn: turn, world_slug, audit, take_overs } = shown;
  const compared: Link = {
    path: `${pathOf('attempt', attempt_id)}/diff`,
    command: [],
    text: 'what is different from the attempt before',
  };
  const anew = audit.find(({ audit_kind }) => audit_kind === 'attempt_set_aside')?.details;
  const { begun_anew_by } = (anew ?? {}) as { readonly begun_anew_by?: string };
  return {
    world: linkTo('world', world_slug),
    // A turn that has not been committed has no page.
    turn: shown.status === 'committed' ? linkToTurn(world_slug, turn) : turn,
    ...members(shown, 'epoch', 'started_at', 'ended_at'),
    took: tookFrom(shown.started_at, shown.ended_at),
    calls: shown.source_invocation_count,
    ...costFacts(shown.cost),
    'in doubt': shown.calls_in_doubt || null,
    scenario: linkTo('scenario', shown.scenario_hash),
    adopts: shown.adopts === null ? null : ['calls from ', linkTo('attempt', shown.adopts)],
    'set aside': begun_anew_by === undefined ? null : ['begun anew by ', linkTo('attempt', begun_anew_by)],
    compared: shown.attempt_before === null ? null : compared,
    'failed for': shown.failed_subject_entity_id,
    'failed at': shown.failed_node_id,
    'failing call': linkTo('source_invocation', shown.failed_source_invocation_id),
    'taken over': take_overs === 0 ? null : `${count(take_overs, 'driver was', 'drivers were')} lost`,
    id: code(attempt_id),
    trace: code(toTraceId(attempt_id)),
  };
}

/**
 * The calls for which an attempt, or the next one, waits, and the consequence of each decision, which is made on the
 * call's own page. A terminal has commands for it instead.
 */
function drawWaits(shown: AttemptPage): Blocks {
  const { awaited, approvals, is_adoptable, unfinished, calls_in_doubt } = shown;
  const unapproved = approvals.filter(({ status }) => status === 'waiting');
  const doubted = is_adoptable ? unfinished.filter(isInDoubt) : [];
  if (awaited.length + doubted.length + unapproved.length === 0) return [];
  const left_out = Math.max(0, awaited.length - ROWS_SHOWN) + Math.max(0, calls_in_doubt - ROWS_SHOWN);
  const blocks = [
    ...unapproved
      .slice(0, ROWS_SHOWN)
      .map(({ approval_id, tool_name, because, deadline }) =>
        note(
          linkTo('approval', approval_id, tool_name),
          ` waits for a person, because ${because}; until `,
          moment(deadline),
        ),
      ),
    ...awaited
      .slice(0, ROWS_SHOWN)
      .flatMap(({ source_invocation_id: id, source_label, command_key, deadline }) => [
        note(
          linkTo('source_invocation', id, source_label),
          ' is to answer ',
          code(command_key),
          ' until ',
          moment(deadline),
          '. Then the call fails.',
        ),
        choices(reportCall, id),
      ]),
    ...doubted
      .slice(0, ROWS_SHOWN)
      .flatMap((call) => [
        note(
          linkTo('source_invocation', call.source_invocation_id, labelOf(call)),
          ', ',
          code(call.command_key),
          ', is in doubt: nobody saw whether it took place. Until somebody decides, no turn of this world is begun.',
        ),
        choices(settleCall, call.source_invocation_id),
      ]),
    more(left_out > 0, `${listOf(shown)}?only=unfinished`, `${grouped(left_out)} more`),
  ];
  return [picture({ of: 'blocks', shown: blocks })];
}

/** The decisions about a call, with the consequence of each. */
function choices({ forms }: Pick<Action, 'forms'>, source_invocation_id: string): Block {
  const call = linkTo('source_invocation', source_invocation_id);
  return list(
    forms.map(({ id, title, consequence }) => [
      note({ ...call, path: `${call.path}#${id}`, text: title }, ': ', consequence),
    ]),
  );
}

/** The running calls, each with its time so far; none where the driver is gone. */
function drawRunning(shown: AttemptPage): Blocks {
  const { read_at, unfinished, has_more_unfinished, timeline } = shown;
  const running = unfinished.filter(({ status }) => status === 'running');
  if (read_at === null || running.length === 0 || isUndriven(shown)) return [];
  const rows = running.slice(0, ROWS_SHOWN).map((call) => {
    const { source_invocation_id: id, llm_call_id, workflow_subject_entity_id: subject } = call;
    const began = timeline.find((event) => event.source_invocation_id === id)?.occurred_at;
    const link =
      linkTo('llm_call', llm_call_id, 'what the model says') ?? linkTo('source_invocation', id, labelOf(call));
    const time: Phrase = began === undefined ? null : [', for ', soFar(began, read_at)];
    return note(state(subject ?? 'whole turn', 'running'), ' ', callWord(call), runWord(call), ', ', link, time);
  });
  return [
    list(rows),
    more(has_more_unfinished || running.length > ROWS_SHOWN, `${listOf(shown)}?only=unfinished`, 'All that is open'),
  ];
}

function soFar(began: string, read_at: string): Phrase {
  return { as: 'so_far', text: String(Math.max(0, Date.parse(read_at) - Date.parse(began))) };
}

/** How its calls in doubt were settled, once all of them are. */
function saySettled({ calls_in_doubt, timeline, unfinished }: AttemptPage): readonly Phrase[] {
  if (calls_in_doubt > 0) return [];
  return unfinished.flatMap((call): readonly Phrase[] => {
    const { source_invocation_id: id, settled_as } = call;
    const event = timeline.findLast((one) => one.event_kind === 'call_settled' && one.source_invocation_id === id);
    if (settled_as === null || event === undefined) return [];
    const { settled_by, reason } = event.details as { readonly settled_by?: string; readonly reason?: string };
    return [
      '. Settled: ',
      linkTo('source_invocation', id, labelOf(call)),
      settled_as === 'performed' ? ' took place' : ' did not take place',
      settled_by === undefined ? null : `, said by ${words(settled_by)}`,
      ', ',
      moment(event.occurred_at),
      reason === undefined ? null : `: ${reason}`,
    ];
  });
}

const listOf = ({ attempt_id }: AttemptPage): string => `${pathOf('attempt', attempt_id)}/source-invocations`;

/** Calls that somebody has to know of, wherever they are in the attempt. */
function drawUnfinished(shown: AttemptPage): Blocks {
  const { unfinished, has_more_unfinished } = shown;
  const rows = unfinished.slice(0, ROWS_SHOWN);
  return [
    table(rows, unfinishedColumns),
    more(
      has_more_unfinished || rows.length < unfinished.length,
      `${listOf(shown)}?only=unfinished`,
      'All that failed or are open',
    ),
  ];
}

/** Which part of a long attempt is shown, and the ways to the others. */
function drawParts(shown: AttemptPage): Blocks {
  const { attempt_id, invocations, calls_after, more_calls_after } = shown;
  if (calls_after === null && more_calls_after === null) return [];
  const [first = 0, last = 0] = [invocations[0]?.invocation_seq, invocations.at(-1)?.invocation_seq];
  const path = pathOf('attempt', attempt_id);
  return [
    note(
      `Calls ${grouped(first)} to ${grouped(last)} of ${countCalls(shown)} are in this part, and listed below with their events. `,
      calls_after === null ? null : [{ path: `${path}#timeline`, command: [], text: '← The first ones' }, ' '],
      more_calls_after === null
        ? null
        : { path: `${path}?after=${more_calls_after}#timeline`, command: [], text: 'The calls after these →' },
    ),
  ];
}

/** The calls that its list has. */
const countCalls = ({ source_invocation_count: made, adopts }: AttemptPage): string =>
  `${grouped(made)}${adopts === null ? '' : ' made here and the adopted ones'}`;

function sayCalls(shown: AttemptPage): string {
  const { source_invocation_count: made, invocations, superseded_call_count: superseded } = shown;
  const adopted = invocations.filter(({ adopted_from }) => adopted_from !== null).length;
  const special = [adopted === 0 ? '' : `, ${adopted} adopted`, superseded === 0 ? '' : `, ${superseded} superseded`];
  return `${count(made, 'call')}${special.join('')}`;
}

/** The calls behind the turn: a page leaves out superseded ones, which were made again. */
function drawCalls(shown: AttemptPage): Blocks {
  const { invocations, more_calls_after, superseded_call_count: superseded } = shown;
  const kept = invocations.filter(({ is_superseded }) => !is_superseded);
  const rows = kept.slice(0, ROWS_SHOWN);
  const last = rows.length < kept.length ? rows.at(-1)?.invocation_seq : more_calls_after;
  const why = `${grouped(superseded)} more ${superseded === 1 ? 'was' : 'were'} superseded: an earlier subject changed what they had read, and they were asked again. `;
  const blocks = [
    table(rows, callColumns, 'No call has been made yet.'),
    more((last ?? null) !== null, `${listOf(shown)}?after=${last}`, `The calls after these, of ${countCalls(shown)}`),
    superseded > 0 && note(why, { path: listOf(shown), command: [], text: 'All calls' }),
  ];
  return [picture({ of: 'blocks', shown: blocks }, list(invocations.map(drawCall)))];
}

/** A call in a terminal: what it was, how it ended, and what it gave. */
function drawCall(call: InvocationSummary): Blocks {
  const { invocation_seq, command_key, http_status, duration_ms, llm_call_id, response_json, failure_class } = call;
  const said = [
    call.performance === 1 ? null : `performance ${call.performance}`,
    http_status === null ? null : `status ${http_status}`,
    duration_ms === null ? null : toDuration(duration_ms),
    call.model_output_kind,
    call.adopted_from === null ? null : 'adopted',
    call.is_superseded ? 'superseded' : null,
  ].filter((one) => one !== null);
  const isAnswered = failure_class === null || call.settled_as === 'performed';
  const answer = isAnswered && llm_call_id === null && response_json !== null;
  return [
    note(
      faint(String(invocation_seq).padStart(2)),
      ' ',
      strong(command_key),
      '  ',
      state(stateOf({ ...call, is_superseded: false })),
      faint(`  ${said.join(' · ')}`),
    ),
    note(
      linkTo('llm_call', llm_call_id, 'prompt') ?? linkTo('source_invocation', call.source_invocation_id, 'call'),
      failure_class === null ? null : ['  ', failure(sayBroken(call))],
      answer ? `  -> ${toPhrase(response_json)}` : null,
    ),
  ];
}

function sayBroken({ failure_class, failure_detail, failure_message, settled_as }: InvocationSummary): string {
  const reason = toReason(failure_message ?? '');
  const settled = `Settled since: it ${settled_as === 'performed' ? 'took' : 'did not take'} place.`;
  const since = settled_as === null ? '' : `${reason.endsWith('.') ? '' : '.'} ${settled}`;
  return `${failureName(failure_class ?? 'failed', failure_detail)}: ${reason}${since}`;
}

function drawAgentTurns({ attempt_id, agent_turns }: AttemptPage): Blocks {
  const rows = agent_turns.slice(0, ROWS_SHOWN);
  const path = `${pathOf('attempt', attempt_id)}/agent-turns?after=${rows.at(-1)?.agent_turn_id}`;
  return [
    table(rows, agentTurnColumns),
    more(rows.length < agent_turns.length, path, `The agent turns after these, of ${grouped(agent_turns.length)}`),
  ];
}

/** What models said that was not taken, and what they were told of it. */
function drawRejected({ audit, invocations }: AttemptPage): Blocks {
  const rounds = new Map(invocations.map((call) => [call.source_invocation_id, call.tool_loop_round]));
  const rejected = audit.filter(({ audit_kind }) => audit_kind === 'generation_rejected').slice(0, ROWS_SHOWN);
  if (rejected.length === 0) return [];
  return [
    list(
      rejected.map(({ source_invocation_id: id, attempt_number, raw_response, rejection, ...entry }) => {
        const round = rounds.get(id ?? '') ?? null;
        const where = round === null ? '' : `, round ${round}`;
        const place = `${entry.workflow_subject_entity_id}, ${entry.workflow_node_id}${where}, try ${attempt_number}`;
        return [
          note(strong(place), '  ', linkTo('source_invocation', id, 'the call')),
          quote('said', raw_response ?? ''),
          quote('told', rejection ?? ''),
        ];
      }),
    ),
  ];
}

const auditColumns: Columns<AuditRecord> = {
  entry: ({ audit_kind }) => words(audit_kind),
  ...columnsOf<AuditRecord>('workflow_subject_entity_id'),
  call: ({ source_invocation_id }) => linkTo('source_invocation', source_invocation_id),
};

function drawAudit({ audit, has_more_audit }: AttemptPage): Blocks {
  const first = `These are its first ${ROWS_SHOWN} entries; the JSON has the first ${grouped(audit.length)}.`;
  return [
    table(audit.slice(0, ROWS_SHOWN), auditColumns),
    has_more_audit ? note(first) : rest(audit.length - ROWS_SHOWN),
  ];
}

const eventColumns = (attempt_id: string): Columns<TimelineRecord> => ({
  '#': ({ event_seq }) => linkTo('event', toEventId(attempt_id, event_seq), String(event_seq)),
  event: ({ event_kind }) => words(event_kind),
  'at (UTC)': ({ occurred_at }) => occurred_at.slice(11, 23),
  subject: ({ workflow_subject_entity_id }) => workflow_subject_entity_id,
  call: ({ source_invocation_id }) => linkTo('source_invocation', source_invocation_id),
});

function drawEvents({ attempt_id, timeline }: AttemptPage): Blocks {
  const order =
    'In the order of the record. A time is when the event happened, so that of calls side by side an earlier one may come later.';
  return [
    folded(
      count(timeline.length, 'event'),
      note(order),
      table(timeline.slice(0, ROWS_SHOWN), eventColumns(attempt_id)),
      rest(timeline.length - ROWS_SHOWN),
    ),
  ];
}

/** A whole attempt as its page shows it. */
export function toAttemptPage(whole: ShownAttempt): AttemptPage {
  const unfinished = whole.invocations.filter(({ status }) => status !== 'succeeded');
  const none = { read_at: null, calls_after: null, more_calls_after: null, attempt_before: null };
  return { ...whole, ...none, unfinished, has_more_unfinished: false, has_more_audit: false };
}
