import type { Json } from '../../contract/json.js';
import { canonicalText } from '../../core/content/canonical.js';
import { rulingOf } from '../../core/facts/fact.js';
import { originsText } from '../../core/policy/provenance.js';
import { deliveredSchema } from '../../core/protocol/command.js';
import type { CallStart } from '../../ports/attempts.js';
import type { Values } from '../statement.js';
import { toTimestamp } from '../statement.js';
import {
  type Assignments,
  ENDING,
  GENERATION_ENDING,
  REJECTION_ROW,
  toEnding,
  toGenerationEnding,
  toRejection,
} from './call-ending.js';
import { EVENT_ID } from './event-numbers.js';

const BEGINNING: Assignments = [['started_event_id', EVENT_ID]];

/** @param also that the call starts here; or how it ends, where it was refused and never started */
const callRow = (also: Assignments): string => `
  @call AS (
    INSERT INTO source_invocations (world_slug, source_invocation_id, attempt_id, attempted_turn, invocation_seq,
      command_key, performance, request_hash, workflow_hash, workflow_node_id, workflow_subject_entity_id,
      source_hash, invocation_kind, effect_class, repeatable, ambient_source_id, tool_name, tool_call_id,
      parent_source_invocation_id,
      input_schema_hash, output_schema_hash, redaction, llm_call_id, logical_generation_attempt, tool_loop_round,
      pending_deadline_ms, started_at, request_json, policy_ruling, argument_origins, ${also.map(([column]) => column).join(', ')})
    SELECT world_slug, :source_invocation_id::uuid, :attempt_id::uuid, :attempted_turn::bigint, :invocation_seq::int,
      :command_key::text, :performance::int, :request_hash,
      :workflow_hash::text, :workflow_node_id::text, :workflow_subject_entity_id::text,
      :source_hash::text, :invocation_kind::source_invocation_kind, :effect_class::effect_class, :repeatable::boolean,
      :ambient_source_id::text, :tool_name::text, :tool_call_id::text, :parent_source_invocation_id::uuid,
      :input_schema_hash::text, :output_schema_hash::text, :redaction::json, :llm_call_id::uuid,
      :logical_generation_attempt::int, :tool_loop_round::int,
      :pending_deadline_ms::bigint, :started_at::timestamptz, :request_json::json, :policy_ruling::json, :argument_origins::json,
      ${also.map(([, value]) => value).join(', ')}
    FROM fence
    RETURNING world_slug, source_invocation_id, attempt_id, llm_call_id)`;

/** @param ending how the generation ends, where it was refused */
const generationRow = (ending: Assignments): string => `
  @generation AS (
    INSERT INTO llm_calls (world_slug, llm_call_id, attempt_id, source_invocation_id, model, endpoint_origin,
      schema_delivery, output_schema_hash, delivered_schema_hash, conversation, message_count, prefix_hash,
      new_messages, max_output_tokens, retrieved, started_at${ending.map(([column]) => `, ${column}`).join('')})
    SELECT world_slug, llm_call_id, attempt_id, source_invocation_id, :model::text, :endpoint_origin::text,
      :schema_delivery::schema_delivery, :offered_hash::text, :delivered_hash::text, :conversation::text,
      :message_count::int, :prefix_hash::text, :new_messages::sha256_hex[], :max_output_tokens::bigint, :retrieved::json, :started_at::timestamptz${ending.map(([, value]) => `, ${value}`).join('')}
    FROM @call)`;

/** The clauses that start a call, by its kind. */
export const STARTED = {
  call: [callRow(BEGINNING)],
  generation: [callRow(BEGINNING), generationRow([])],
  refused_call: [callRow(ENDING), REJECTION_ROW],
  refused_generation: [callRow(ENDING), generationRow(GENERATION_ENDING), REJECTION_ROW],
} as const;

/** Which clauses a call has that starts. */
export function kindOfStart({ command, refused }: CallStart): keyof typeof STARTED {
  if (command.generation) return refused ? 'refused_generation' : 'generation';
  return refused ? 'refused_call' : 'call';
}

/** The values of those clauses, without the messages that a generation adds to its conversation. */
export function toStarted(start: CallStart): Values {
  return start.command.generation ? { ...toCall(start), ...toGeneration(start) } : toCall(start);
}

function toCall(start: CallStart): Values {
  const { command, refused } = start;
  const ruling = rulingOf(start);
  return {
    source_invocation_id: start.source_invocation_id,
    invocation_seq: start.invocation_seq,
    command_key: command.key,
    performance: start.performance,
    request_hash: command.request_hash,
    workflow_hash: command.workflow_hash,
    workflow_node_id: command.node_id ?? null,
    workflow_subject_entity_id: command.subject_id ?? null,
    invocation_kind: command.invocation_kind,
    ambient_source_id: command.ambient_id ?? null,
    tool_name: command.tool_name ?? null,
    tool_call_id: command.tool_call_id ?? null,
    parent_source_invocation_id: start.parent_source_invocation_id ?? null,
    llm_call_id: start.llm_call_id ?? null,
    logical_generation_attempt: command.generation_try ?? null,
    tool_loop_round: command.round ?? null,
    started_at: toTimestamp(start.started_at),
    // The request of a generation is on its row in llm_calls.
    request_json: command.generation ? null : canonicalText(command.request),
    policy_ruling: ruling === null ? null : canonicalText({ ...ruling }),
    argument_origins: originsText(command) ?? null,
    ...toBinding(command.call),
    ...(refused ? { ...toEnding(refused), ...toRejection(refused) } : {}),
  };
}

function toBinding(call: CallStart['command']['call']): Values {
  return {
    source_hash: call.source.hash,
    effect_class: call.effect,
    repeatable: call.repeatable,
    input_schema_hash: call.input?.hash ?? null,
    output_schema_hash: call.output?.hash ?? null,
    redaction: canonicalText(call.redaction),
    pending_deadline_ms: call.pending_deadline_ms ?? null,
  };
}

function toGeneration(start: CallStart): Values {
  const { generation, call, max_output_tokens, retrieved } = start.command;
  return {
    model: start.resolved?.model ?? call.source.model ?? null,
    endpoint_origin: start.resolved?.origin ?? null,
    conversation: generation?.conversation ?? null,
    message_count: generation?.messages.length ?? null,
    prefix_hash: generation?.prefix_hash ?? null,
    schema_delivery: generation?.schema_delivery ?? null,
    offered_hash: generation?.offered.hash ?? null,
    max_output_tokens: max_output_tokens ?? null,
    retrieved: retrieved === undefined ? null : canonicalText(retrieved as unknown as Json),
    delivered_hash: generation === undefined ? null : deliveredSchema(generation).hash,
    ...(start.refused ? toGenerationEnding(start.refused) : {}),
  };
}
