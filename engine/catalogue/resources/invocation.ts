import { isBare } from '../../core/content/failure-body.js';
import { showInvocation } from '../../operations/browse/records.js';
import { isInDoubt } from '../../operations/settling/settle-call.js';
import type { InvocationRecord, SettlementRecord, ToolResultRecord } from '../../ports/records.js';
import { members } from '../members.js';
import { resource } from '../resource.js';
import { sayArgumentOrigins } from '../say-origins.js';
import {
  type Block,
  type Blocks,
  code,
  commands,
  ending,
  exact,
  facts,
  folded,
  inShort,
  json,
  linkTo,
  linkToEntity,
  moment,
  note,
  type Phrase,
  section,
  state,
  trailToAttempt,
} from '../view.js';
import { callWord, count, runWord, words } from '../words.js';

export const invocation = resource({
  name: 'get_source_invocation',
  path: '/source-invocations/:source_invocation_id',
  says: 'Show one source call: its request, its answer and its verdict.',
  gives: 'SourceInvocation',
  read: (archive, { parameters: { source_invocation_id } }) => showInvocation(archive, source_invocation_id),
  view(call) {
    const { settlement, response_headers: headers, world_slug } = call;
    return {
      eyebrow: `${callWord(call)}${runWord(call)}`,
      title: call.tool_name ?? call.ambient_source_id ?? call.workflow_node_id ?? call.source_label,
      trail: trailToAttempt(call),
      lede:
        settlement === null
          ? ending(call)
          : [state(call.status), `. It is settled since: it ${settlement.performed ? 'took' : 'did not take'} place.`],
      sections: [
        inShort({
          'what the model saw': linkTo('llm_call', call.llm_call_id, 'the prompt and the answer'),
          command: [code(call.command_key), ` (number ${call.invocation_seq})`],
          subject: linkToEntity(world_slug, call.workflow_subject_entity_id),
          ...members(call, 'workflow_node_id', 'tool_loop_round', 'logical_generation_attempt'),
          'judged as': words(call.model_output_kind),
          [call.invocation_kind === 'quality_gate' ? 'judges' : 'asked for by']: linkTo(
            'source_invocation',
            call.parent_source_invocation_id,
            'the generation',
          ),
          'asks for': call.child_source_invocation_ids.map((id, at) => [
            at > 0 ? ', ' : null,
            linkTo('source_invocation', id, 'the call that it led to'),
          ]),
          'tool call': sayToolCalls(call),
          source: linkTo('response_source', call.source_hash, call.source_label),
          workflow: linkTo('cognition_workflow', call.workflow_hash),
          world: [linkTo('world', world_slug), `, turn ${call.attempted_turn}`],
          attempt: linkTo('attempt', call.attempt_id),
          effect: call.repeatable ? `${words(call.effect_class)}, repeatable` : words(call.effect_class),
          policy: saidByPolicy(call),
          [call.llm_call_id === null ? 'arguments come from' : 'it saw']: sayArgumentOrigins(call.argument_origins),
          'HTTP status': call.http_status,
          validation: words(call.validation_status),
          'input schema': linkTo('json_schema', call.input_schema_hash),
          'output schema': call.llm_call_id === null ? linkTo('json_schema', call.output_schema_hash) : null,
          ...members(call, 'started_at', 'duration_ms'),
          id: code(call.source_invocation_id),
        }),
        section('doubt', 'In doubt', isInDoubt(call) && waysToSettle(call.attempt_id)),
        section('pended', 'The later answer', drawLater(call)),
        section('request', 'What was asked', json(call.request_json, '/request_json')),
        section('answer', 'What came back', drawAnswer(call)),
        section('settlement', 'How it was settled', settlement && drawSettlement(call, settlement)),
        section('headers', 'Its headers', facts(toTexts(headers))),
      ],
    };
  },
});

/** The ids by which programs are told of tool calls, and why one gave no value. */
function sayToolCalls({ tool_calls, tool_result }: InvocationRecord): Phrase {
  return tool_calls.map(({ tool_call_start: { toolCallId, args }, tool_call_result }, at) => {
    const { errorCode } = Object(args === null ? tool_call_result?.result : tool_result) as Partial<ToolResultRecord>;
    return [at > 0 ? ', ' : null, code(toolCallId), errorCode ? `: ${errorCode}` : null];
  });
}

/** What the tool policy decided, by which rule, and why. */
function saidByPolicy({ policy_ruling }: InvocationRecord): Phrase {
  if (policy_ruling === null) return null;
  const { decision, rule, because, policy_hash } = policy_ruling;
  return [words(decision), rule === null ? null : [' by ', linkTo('tool_policy', policy_hash, rule)], `: ${because}`];
}

/** The commands by which a person settles a call in doubt. */
export function waysToSettle(attempt_id: string): Block {
  return commands(
    'Find out whether it took place, and settle it. Then the next run continues from here.',
    [['attempt', 'settle', attempt_id, '--result', 'FILE'], 'it did'],
    [['attempt', 'settle', attempt_id, '--not-performed'], 'it did not'],
  );
}

/** How a call in doubt was settled, in a sentence. */
function saySettled({ performed, settled_at, settled_by, host, reason }: SettlementRecord): Phrase {
  const who = settled_by === null ? '' : ` by ${settled_by === 'operator' ? 'a person' : 'a report'} on ${host ?? '?'}`;
  return [
    'Settled at ',
    moment(settled_at),
    `${who}: ${performed ? 'it took place' : 'it did not take place'}.`,
    reason && ` Reason: ${JSON.stringify(reason)}`,
  ];
}

function drawSettlement({ failure_message }: InvocationRecord, settlement: SettlementRecord): Blocks {
  return [
    note(saySettled(settlement)),
    settlement.performed && json(settlement.answer, '/settlement/answer'),
    failure_message !== null && folded('What it said when it ended', note(failure_message)),
  ];
}

function drawLater({ pended, status, source_invocation_id: id }: InvocationRecord): Blocks {
  if (pended === null) return [];
  const { correlation_alias: alias, deadline, pended_at } = pended;
  const named = alias === null ? '' : `, which calls it ${alias}`;
  const since = note(
    'Since ',
    moment(pended_at),
    ', its service answers later',
    named,
    '; waited for until ',
    moment(deadline),
  );
  const report = commands('Answer in its place:', [['report', id, '--result', 'FILE'], 'it answered']);
  return status === 'pending' ? [since, report] : [since];
}

function drawAnswer(call: InvocationRecord): Blocks {
  const { response_json: answer, response_text: text, response_bytes, hidden_by_redaction, replaced } = call;
  if (hidden_by_redaction && (answer === null ? text === null : isBare(answer)))
    return [
      note(`${count(response_bytes ?? 0, 'byte')} kept, hidden by redaction; the command's --unredacted shows them.`),
    ];
  const isNone = answer === null && text === null;
  return [
    hidden_by_redaction && note("Redaction hides a part of this; the command's --unredacted shows all."),
    replaced !== null && note(`Read leniently: ${replaced}; the answer holds U+FFFD, a text or the last value there.`),
    answer !== null && json(answer, '/response_json'),
    text !== null && exact(text, '/response_text'),
    isNone && note(call.ended_at === null ? 'Nothing yet.' : 'Nothing that can be shown.'),
  ];
}

function toTexts(headers: InvocationRecord['response_headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, said]) => [name, typeof said === 'string' ? said : JSON.stringify(said)]),
  );
}
