import { isBare } from '../../../core/content/failure-body.js';
import type { InvocationRecord } from '../../../ports/records.js';
import { callHead } from './attempt.js';
import { awaitedCallLines, settleLines, settlementLines } from './open-call.js';
import { isInDoubt } from '../../../operations/settle-call.js';
import { blockLines, factLines, jsonText } from './block.js';
import { EMPTY, line, type Lines } from './line.js';
import { count, shortHash, toDuration, toMoment } from '../../../catalogue/words.js';

/** One source call: its request, its redacted answer, its verdict. */
export function invocationLines(invocation: InvocationRecord): Lines {
  const { settlement } = invocation;
  return [
    callHead(`invocation ${invocation.source_invocation_id}`, invocation),
    settlement !== null && settlementLines(settlement),
    isInDoubt(invocation) && settleLines(invocation.attempt_id),
    factLines(Object.entries(factsOf(invocation))),
    waitingLines(invocation),
    blockLines('asked', jsonText(invocation.request_json)),
    answerLines(invocation),
    invocation.replaced !== null &&
      line(`replaced: ${invocation.replaced}; the answer holds U+FFFD, a text or the last value there`),
    settlement?.performed === true && blockLines('settled with', jsonText(settlement.answer)),
    headerLines(invocation),
  ];
}

function factsOf(invocation: InvocationRecord): Readonly<Record<string, string | number | null>> {
  const { invocation_kind, tool_name, ambient_source_id, workflow_subject_entity_id, workflow_node_id } = invocation;
  return {
    world: `${invocation.world_slug}, turn ${invocation.attempted_turn}`,
    attempt: invocation.attempt_id,
    call: `${invocation.command_key} (number ${invocation.invocation_seq})`,
    kind: invocation_kind,
    'ambient source': ambient_source_id,
    tool: tool_name,
    subject: workflow_subject_entity_id,
    node: workflow_node_id,
    round: invocation.tool_loop_round,
    try: invocation.logical_generation_attempt,
    'judged as': invocation.model_output_kind,
    source: `${invocation.source_label} (${shortHash(invocation.source_hash)})`,
    workflow: shortHash(invocation.workflow_hash),
    effect: invocation.repeatable ? `${invocation.effect_class}, repeatable` : invocation.effect_class,
    'http status': invocation.http_status,
    validation: invocation.validation_status,
    began: toMoment(invocation.started_at),
    took: invocation.duration_ms === null ? null : toDuration(invocation.duration_ms),
    'elected by': invocation.parent_source_invocation_id,
    'llm-call': invocation.llm_call_id,
  };
}

function waitingLines({ status, pended, source_invocation_id }: InvocationRecord): Lines {
  return status === 'pending' && pended !== null ? [EMPTY, awaitedCallLines({ ...pended, source_invocation_id })] : [];
}

function answerLines(invocation: InvocationRecord): Lines {
  const { response_json, response_text, response_bytes, hidden_by_redaction } = invocation;
  const isEmpty = response_json === null ? response_text === null : isBare(response_json);
  if (hidden_by_redaction && isEmpty)
    return [
      EMPTY,
      line(`body: ${count(response_bytes ?? 0, 'byte')} kept, hidden by redaction; --unredacted shows them`),
    ];
  const title = hidden_by_redaction ? 'answered, as redaction lets it be seen (--unredacted shows all)' : 'answered';
  return blockLines(title, response_json === null ? (response_text ?? '') : jsonText(response_json));
}

function headerLines({ response_headers }: InvocationRecord): Lines {
  const headers = Object.entries(response_headers);
  return headers.length === 0
    ? []
    : blockLines(
        'headers',
        headers.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : jsonText(value)}`).join('\n'),
      );
}
