import type { CallFinish } from '../../ports/attempts.js';
import type { Values } from '../statement.js';
import {
  type Assignments,
  ENDING,
  GENERATION_ENDING,
  REJECTION_ROW,
  toEnding,
  toGenerationEnding,
  toRejection,
} from './call-ending.js';

const callRow = (ending: Assignments): string => `
  @call AS (
    UPDATE source_invocations
    SET (${ending.map(([column]) => column).join(', ')}) = ROW (${ending.map(([, value]) => value).join(', ')})
    FROM fence
    WHERE source_invocations.world_slug = fence.world_slug
      AND source_invocation_id = :source_invocation_id::uuid AND attempt_id = :attempt_id::uuid
      AND status IN ('running', 'pending')
    RETURNING source_invocations.world_slug, source_invocation_id, attempt_id, llm_call_id)`;

const CALL = callRow(ENDING);

/** The HTTP status and headers of a service that accepted a call stay on the row when the answer is reported. */
const REPORTED_CALL = callRow(ENDING.filter(([column]) => column !== 'http_status' && column !== 'response_headers'));

/** The report is taken in with the end that it brings, and so is every other message about the call. */
const CONSUME_REPORT = `
  @waits AS (
    UPDATE pending_calls SET is_awaited = false
    FROM @call
    WHERE pending_calls.world_slug = @call.world_slug
      AND pending_calls.source_invocation_id = @call.source_invocation_id),
  @messages AS (
    UPDATE agent_inbox SET status = 'consumed', consumed_at = now()
    FROM @call
    WHERE agent_inbox.world_slug = @call.world_slug AND agent_inbox.correlation_id = @call.source_invocation_id
      AND agent_inbox.status IN ('pending', 'deferred'))`;

const GENERATION = `
  @generation AS (
    UPDATE llm_calls
    SET ${GENERATION_ENDING.map(([column, value]) => `${column} = ${value}`).join(', ')}
    FROM @call
    WHERE llm_calls.world_slug = @call.world_slug AND llm_calls.attempt_id = @call.attempt_id
      AND llm_calls.llm_call_id = @call.llm_call_id)`;

/** The clauses that end a call, by what it leaves: a clause without rows costs as much as a look at its table. */
export const FINISHED = {
  call: [CALL],
  reported_call: [REPORTED_CALL, CONSUME_REPORT],
  rejected_call: [CALL, REJECTION_ROW],
  generation: [CALL, GENERATION],
  rejected_generation: [CALL, GENERATION, REJECTION_ROW],
} as const;

/** Which clauses a call has that ends. */
export function kindOfFinish({ is_reported, llm_call_id, verdict }: CallFinish): keyof typeof FINISHED {
  if (is_reported === true) return 'reported_call';
  if (verdict?.rejection === undefined) return llm_call_id ? 'generation' : 'call';
  return llm_call_id ? 'rejected_generation' : 'rejected_call';
}

/** The values of those clauses. */
export function toFinished(finish: CallFinish): Values {
  return {
    ...toEnding(finish),
    ...toRejection(finish),
    ...(finish.llm_call_id ? toGenerationEnding(finish) : {}),
    source_invocation_id: finish.source_invocation_id,
  };
}
