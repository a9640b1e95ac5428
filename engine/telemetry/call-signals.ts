import type { Json } from '../contract/json.js';
import { toSpanId, toTraceId } from '../core/content/trace-id.js';
import { contentOf } from '../core/prompt/message.js';
import type { Invoke } from '../core/protocol/command.js';
import type { RecalledCall } from '../runtime/progress.js';
import { providerOf } from './names.js';
import { type EndedCall, isInterrupted } from './observed-call.js';
import { type Attributes, type Measurement, parentSpanOf, type Signals, type Span } from './span.js';

export interface CallSurroundings {
  readonly attempt_id: string;
  /** Whether contents are exported. */
  readonly has_contents: boolean;
}

/** The span of a call that has ended, and its measurements. Pure. */
export function toCallSignals(around: CallSurroundings, ended: EndedCall): Signals {
  const { attempt_id, has_contents } = around;
  const { command, outcome } = ended;
  const message = outcome.status === 'failed' ? outcome.failure_message : ended.verdict?.failure?.message;
  const span: Span = {
    ...openSpan(attempt_id, ended),
    began_at: outcome.ended_at - outcome.duration_ms,
    ended_at: outcome.ended_at,
    attributes: {
      ...attributesOf(ended),
      'http.response.status_code': outcome.http_status,
      ...(has_contents && toContents(ended)),
    },
    ...(errorOf(ended) === undefined ? {} : { error: has_contents && message !== undefined ? { message } : {} }),
  };
  const is_in_doubt = outcome.status === 'failed' && outcome.outcome_unknown === true;
  return { spans: [span], measurements: [...durations(ended), ...usage(ended), ...doubts(command, is_in_doubt)] };
}

/** The span of a call that an earlier driver made, without an end on record. It has no length. */
export function toInterruptedSignals(attempt_id: string, recalled: RecalledCall): Signals {
  if (!isInterrupted(recalled)) return { spans: [], measurements: [] };
  const { command, call } = recalled;
  const { source_invocation_id, started_at, effect, repeatable } = call;
  const span: Span = {
    ...openSpan(attempt_id, { command, source_invocation_id }),
    began_at: started_at,
    ended_at: started_at,
    attributes: { ...attributesOf({ command, source_invocation_id }), 'error.type': 'interrupted' },
    error: {},
  };
  return { spans: [span], measurements: doubts(command, effect !== 'read_only' && !repeatable) };
}

type Made = Pick<EndedCall, 'command' | 'source_invocation_id'>;

function openSpan(
  attempt_id: string,
  { command, source_invocation_id, resolved }: Made & Pick<EndedCall, 'resolved'>,
): Pick<Span, 'trace_id' | 'span_id' | 'parent_span_id' | 'name' | 'kind' | 'links'> {
  return {
    trace_id: toTraceId(attempt_id),
    span_id: toSpanId(source_invocation_id),
    parent_span_id: parentSpanOf(attempt_id, command),
    name: nameOf(command, resolved),
    kind: command.invocation_kind === 'model_elected_tool' ? 'internal' : 'client',
    links: [],
  };
}

function nameOf(command: Invoke, resolved: EndedCall['resolved']): string {
  switch (command.invocation_kind) {
    case 'llm_generation':
    case 'quality_gate':
      return ['chat', modelOf(command, resolved) ?? []].flat().join(' ');
    case 'model_elected_tool':
      return `execute_tool ${command.tool_name ?? ''}`;
    case 'ambient_context':
      return `ambient ${command.ambient_id ?? ''}`;
    case 'node_call':
      return `call ${command.call.source.label}`;
    default:
      return command.invocation_kind satisfies never;
  }
}

function modelOf({ call }: Invoke, resolved: EndedCall['resolved']): string | undefined {
  return resolved?.model ?? call.source.model;
}

/** The attributes of the operation, by the conventions; they distinguish few cases, so that metrics carry them too. */
function operationOf({ command, resolved }: Pick<EndedCall, 'command' | 'resolved'>): Attributes {
  const host = resolved?.origin === undefined ? undefined : new URL(resolved.origin);
  const server = { 'server.address': host?.hostname, 'server.port': host === undefined ? undefined : portOf(host) };
  switch (command.invocation_kind) {
    case 'llm_generation':
    case 'quality_gate':
      return {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providerOf(host?.hostname, command.call.source.plugin),
        'gen_ai.request.model': modelOf(command, resolved),
        ...server,
      };
    case 'model_elected_tool':
      return { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': command.tool_name, ...server };
    default:
      return server;
  }
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** All attributes of a call besides its contents. */
function attributesOf(call: Made & Partial<EndedCall>): Attributes {
  const { command, source_invocation_id, outcome } = call;
  return {
    ...operationOf(call),
    'gen_ai.agent.name': command.subject_id,
    'gen_ai.tool.type': command.tool_name === undefined ? undefined : 'extension',
    'gen_ai.conversation.id': command.generation?.conversation,
    'gen_ai.output.type': command.generation === undefined ? undefined : 'json',
    'chukwa.source_invocation.id': source_invocation_id,
    'chukwa.command.key': command.key,
    'chukwa.node.id': command.node_id,
    'chukwa.ambient.id': command.ambient_id,
    'chukwa.source.label': command.call.source.label,
    'chukwa.source.plugin': command.call.source.plugin,
    'chukwa.effect_class': command.call.effect,
    'chukwa.generation.round': command.round,
    'chukwa.generation.try': command.generation_try,
    'chukwa.retry.number': command.retry?.number,
    ...(outcome && toOutcome({ ...call, outcome })),
  };
}

function toOutcome(ended: Made & Pick<EndedCall, 'outcome'> & Partial<EndedCall>): Attributes {
  const { outcome, verdict } = ended;
  return {
    'error.type': errorOf(ended),
    'chukwa.failure.detail': verdict?.failure?.detail,
    'chukwa.call.in_doubt': outcome.status === 'failed' ? outcome.outcome_unknown : undefined,
    'chukwa.model_output.kind': verdict?.model_output_kind,
    'gen_ai.response.finish_reasons': ended.command.generation === undefined ? undefined : finishReasonsOf(ended),
    'gen_ai.usage.input_tokens': outcome.usage?.input_tokens,
    'gen_ai.usage.output_tokens': outcome.usage?.output_tokens,
    'gen_ai.usage.cache_read.input_tokens': outcome.usage?.cached_input_tokens,
    'gen_ai.usage.reasoning.output_tokens': outcome.usage?.reasoning_tokens,
  };
}

/** The failure class, also of an answer that arrived whole and could not be used. */
function errorOf({ outcome, verdict }: Pick<EndedCall, 'outcome' | 'verdict'>): string | undefined {
  return outcome.status === 'failed' ? outcome.failure_class : verdict?.failure?.failure_class;
}

const DURATIONS = {
  llm_generation: 'gen_ai.client.inference.duration',
  quality_gate: 'gen_ai.client.inference.duration',
  model_elected_tool: 'gen_ai.execute_tool.duration',
  ambient_context: undefined,
  node_call: undefined,
} as const;

function durations(ended: EndedCall): readonly Measurement[] {
  const instrument = DURATIONS[ended.command.invocation_kind];
  if (instrument === undefined) return [];
  const attributes = { ...operationOf(ended), 'error.type': errorOf(ended) };
  return [{ instrument, value: ended.outcome.duration_ms / 1000, attributes }];
}

function usage(ended: EndedCall): readonly Measurement[] {
  const { usage: used } = ended.outcome;
  if (used === undefined) return [];
  const counted = [
    ['gen_ai.client.inference.usage.input_tokens', used.input_tokens],
    ['gen_ai.client.inference.usage.output_tokens', used.output_tokens],
    ['gen_ai.client.inference.usage.cache_read.input_tokens', used.cached_input_tokens],
    ['gen_ai.client.inference.usage.reasoning.output_tokens', used.reasoning_tokens],
  ] as const;
  const attributes = operationOf(ended);
  return counted.flatMap(([instrument, value]) => (value === undefined ? [] : [{ instrument, value, attributes }]));
}

function doubts({ call }: Invoke, is_in_doubt: boolean): readonly Measurement[] {
  if (!is_in_doubt) return [];
  const attributes = { 'chukwa.source.label': call.source.label, 'chukwa.effect_class': call.effect };
  return [{ instrument: 'chukwa.calls.in_doubt', value: 1, attributes }];
}

/**
 * A model's prompt and answer, a tool's input and answer: exported only at the operator's wish, and never more than
 * redaction lets the turn see.
 */
function toContents({ command, outcome }: Pick<EndedCall, 'command' | 'outcome'>): Attributes {
  const view = outcome.status === 'succeeded' ? outcome.view : undefined;
  if (command.generation === undefined)
    return {
      'gen_ai.tool.call.arguments': JSON.stringify(command.request),
      'gen_ai.tool.call.result': view === undefined ? undefined : JSON.stringify(view),
    };
  return {
    'gen_ai.input.messages': JSON.stringify(
      command.generation.messages.map((message) => {
        return { role: message.role, parts: [{ type: 'text', content: contentOf(message) }] };
      }),
    ),
    'gen_ai.output.messages': view === undefined ? undefined : JSON.stringify([toOutput(view)]),
  };
}

function toOutput(view: Json): Json {
  const { text = '', finish_reason = '' } = view as { readonly text?: string; readonly finish_reason?: string };
  return { role: 'assistant', parts: [{ type: 'text', content: text }], finish_reason };
}

/** Why a model stopped. */
function finishReasonsOf({ outcome }: Pick<EndedCall, 'outcome'>): readonly string[] | undefined {
  const view = outcome.status === 'succeeded' ? (outcome.view as { readonly finish_reason?: string }) : outcome;
  return typeof view.finish_reason === 'string' && view.finish_reason !== '' ? [view.finish_reason] : undefined;
}
