import type { Json } from '../../../contract/json.js';
import type {
  AttemptRecord,
  AttemptSummary,
  AuditRecord,
  InvocationSummary,
  PatchEffectRecord,
  PatchRecord,
} from '../../../ports/records.js';
import { toTraceId } from '../../../core/content/trace-id.js';
import { isUndriven, stateOf } from '../../../core/protocol/work-state.js';
import type { ShownAttempt, WorldAttempts } from '../../../operations/records.js';
import type { AgentTurnSummary } from '../../../core/agents/agent-turn.js';
import { attemptColumns } from '../../../catalogue/tables.js';
import { table } from '../../../catalogue/view.js';
import { blockLines, costLines, toState } from './view.js';
import { AS_BEFORE, awaitedLines, doubtLines, toSettlement } from './open-call.js';
import { toReason } from './call.js';
import { beganLine, proseLines, quotedLines } from './block.js';
import { quote, toPhrase } from '../../../catalogue/phrase.js';
import {
  advice,
  bad,
  command,
  EMPTY,
  faint,
  good,
  hanging,
  type Line,
  line,
  type Lines,
  strong,
  verbatim,
} from './line.js';
import { toSafeLines } from './neutralise.js';
import { queueLines } from './queue.js';
import { count, failureName, shortHash, toDuration } from '../../../catalogue/words.js';

/** One attempt: its end, its calls in order, its patches, and the rejections on the way. */
export function attemptLines(attempt: ShownAttempt): Lines {
  const { attempt_id, world_slug, attempted_turn, epoch, scenario_hash, started_at, ended_at, invocations } = attempt;
  return [
    verbatim(strong(`attempt ${attempt_id}`), '  ', toState(stateOf(attempt))),
    line(`world ${world_slug} · turn ${attempted_turn} · epoch ${epoch} · scenario ${shortHash(scenario_hash)}`),
    beganLine(started_at, ended_at),
    verbatim(faint(`trace ${toTraceId(attempt_id)}`)),
    costLines(attempt),
    historyLines(attempt),
    undrivenLines([attempt]),
    failureLines(attempt),
    waitingLines(attempt),
    EMPTY,
    line(strong([count(attempt.source_invocation_count, 'call'), ...specialCounts(attempt)].join(', '))),
    invocations.flatMap(invocationLines),
    agentTurnListLines(attempt.agent_turns),
    attempt.patches.flatMap((patch) => [EMPTY, patchLines(patch)]),
    rejectionLines(attempt),
  ];
}

function specialCounts({ invocations, superseded_call_count: superseded }: AttemptRecord): readonly string[] {
  const adopted = invocations.filter(({ adopted_from }) => adopted_from !== null).length;
  return [...(adopted === 0 ? [] : [`${adopted} adopted`]), ...(superseded === 0 ? [] : [`${superseded} superseded`])];
}

function historyLines({ take_overs, adopts, audit }: AttemptRecord): Lines {
  const left = count(take_overs, 'driver was', 'drivers were');
  return [
    take_overs > 0 && line(faint(`${left} lost; the next one resumed it from its records`)),
    adopts !== null && line(faint(`adopts calls from attempt ${adopts}`)),
    audit.flatMap(({ audit_kind, details }) =>
      audit_kind === 'attempt_set_aside' ? [line(faint(`set aside; attempt ${begunAnewBy(details)} began anew`))] : [],
    ),
  ];
}

function begunAnewBy(details: Json): string {
  const { begun_anew_by } = details as { readonly begun_anew_by?: unknown };
  return typeof begun_anew_by === 'string' ? begun_anew_by : '';
}

export function attemptListLines({ world_slug, attempts, is_filtered, ...queue }: WorldAttempts): Lines {
  const queued = queueLines(world_slug, queue);
  if (attempts.length === 0 && is_filtered) return [line(`No attempt of ${world_slug} fits.`)];
  if (attempts.length > 0)
    return [blockLines(table('', attempts, attemptColumns, '')), undrivenLines(attempts), queued && [EMPTY, queued]];
  if (queued) return [line(`No turn of ${world_slug} has been tried yet.`), queued];
  return [line(`No turn of ${world_slug} has been tried. Try one: `, command('run', world_slug))];
}

function undrivenLines(attempts: readonly AttemptSummary[]): Lines {
  return attempts
    .filter(isUndriven)
    .flatMap(({ world_slug, attempted_turn }) => [
      EMPTY,
      line(`The driver of turn ${attempted_turn} is gone. The next run resumes its attempt:`),
      verbatim('  ', command('run', world_slug), `  (${AS_BEFORE})`),
    ]);
}

/** Only for a suspended attempt: the calls of a running one belong to its driver. */
function waitingLines({ status, world_slug, attempt_id, awaited }: AttemptRecord): Lines {
  return status === 'suspended' ? [EMPTY, awaitedLines(['run', world_slug], attempt_id, awaited)] : [];
}

function failureLines(attempt: AttemptRecord): Lines {
  const { failure_class, failure_message, attempted_turn } = attempt;
  if (failure_class === null) return [];
  const place = [
    ['subject', attempt.failed_subject_entity_id],
    ['node', attempt.failed_node_id],
    ['call', attempt.failed_source_invocation_id],
  ] as const;
  return [
    EMPTY,
    hanging(2, bad(failure_class), ...advice({ text: `: ${failure_message ?? ''}` })),
    place.flatMap(([name, value]) => (value === null ? [] : [verbatim(faint(`  ${name.padEnd(8)}`), value)])),
    line(`  The world stayed at turn ${attempted_turn - 1}.`),
    doubtLines(attempt),
  ];
}

function invocationLines(invocation: InvocationSummary): Lines {
  const { invocation_seq, command_key, http_status, duration_ms, source_invocation_id, llm_call_id } = invocation;
  const { performance } = invocation;
  const indent = invocation.parent_source_invocation_id === null ? '  ' : '    ';
  const facts = [
    ...(performance === 1 ? [] : [`performance ${performance}`]),
    ...(http_status === null ? [] : [`status ${http_status}`]),
    ...(duration_ms === null ? [] : [toDuration(duration_ms)]),
    ...(invocation.model_output_kind === null ? [] : [invocation.model_output_kind]),
    ...(invocation.adopted_from === null ? [] : ['adopted']),
    ...(invocation.is_superseded ? ['superseded'] : []),
  ];
  return [
    verbatim(
      faint(`${indent}${String(invocation_seq).padStart(2)} `),
      strong(command_key),
      '  ',
      toState(stateOf({ ...invocation, is_superseded: false })),
      faint(`  ${facts.join(' · ')}`),
    ),
    verbatim(
      faint(`${indent}   ${llm_call_id === null ? `invocation ${source_invocation_id}` : `llm-call ${llm_call_id}`}`),
    ),
    invocation.failure_class !== null && brokenLine(invocation, indent),
    (invocation.failure_class === null || invocation.settled_as === 'performed') && answerLines(invocation, indent),
  ];
}

function answerLines({ llm_call_id, response_json }: InvocationSummary, indent: string): Lines {
  if (llm_call_id !== null || response_json === null) return [];
  return [hanging(indent.length + 5, `${indent}   -> ${toPhrase(response_json)}`)];
}

function brokenLine(invocation: InvocationSummary, indent: string): Line {
  const { failure_class, failure_detail, failure_message } = invocation;
  const settlement = toSettlement(invocation);
  const reason = toReason(failure_message ?? '');
  const said = settlement === undefined ? '' : `${reason.endsWith('.') ? '' : '.'} ${settlement}`;
  const why = failureName(failure_class ?? 'failed', failure_detail);
  return hanging(indent.length + 5, `${indent}   `, bad(why), ...advice({ text: `: ${reason}${said}` }));
}

function patchLines({
  patch_seq,
  workflow_subject_entity_id,
  workflow_node_id,
  narration,
  effects,
}: PatchRecord): Lines {
  return [
    line(strong(`patch ${patch_seq}`), `  ${workflow_subject_entity_id}, ${workflow_node_id}`),
    proseLines(narration, 2),
    effects.flatMap(effectLines),
  ];
}

function effectLines({ op, entity_id, environment_label, state_before, state_after }: PatchEffectRecord): Lines {
  return [
    line('  ', good(entity_id ?? environment_label ?? ''), faint(`  ${op}`)),
    state_before !== null && hanging(6, faint('    - '), quote(state_before)),
    hanging(6, faint(state_before === null ? '    + ' : '    > '), quote(state_after)),
  ];
}

function rejectionLines({ audit, invocations }: AttemptRecord): Lines {
  const rejected = audit.filter(({ audit_kind }) => audit_kind === 'generation_rejected');
  if (rejected.length === 0) return [];
  const rounds = new Map(invocations.map((call) => [call.source_invocation_id, call.tool_loop_round]));
  return [
    EMPTY,
    line(strong(count(rejected.length, 'rejected answer'))),
    rejected.flatMap((rejection) => rejectedLines(rejection, rounds.get(rejection.source_invocation_id ?? '') ?? null)),
  ];
}

function rejectedLines(
  { workflow_subject_entity_id, workflow_node_id, attempt_number, raw_response, rejection }: AuditRecord,
  round: number | null,
): Lines {
  const place = `${workflow_subject_entity_id}, ${workflow_node_id}${round === null ? '' : `, round ${round}`}`;
  return [
    line('  ', `${place}, try ${attempt_number}`),
    line(faint('    said')),
    quotedLines('      ', raw_response ?? ''),
    toSafeLines(rejection ?? '').map((row, at) => hanging(13, faint(at === 0 ? '    told   ' : ' '.repeat(11)), row)),
  ];
}

function agentTurnListLines(turns: readonly AgentTurnSummary[]): Lines {
  if (turns.length === 0) return [];
  return [
    EMPTY,
    line(strong(count(turns.length, 'agent turn'))),
    turns.map((turn) =>
      verbatim('  ', strong(turn.agent_id), '  ', toState(turn.state), faint(`  agent-turn ${turn.agent_turn_id}`)),
    ),
  ];
}
