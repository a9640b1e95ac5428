import { present } from '../../contract/present.js';
import { toolErrorCodeOf } from '../../contract/tool-error-code.js';
import type { JsonObject } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import { toPointer } from '../content/json-pointer.js';
import { PATCH_OPERATIONS, WORLD_VALUES, type WorldValue } from '../world/patch-operations.js';
import { parseMoment } from '../world/simulation-time.js';
import type { AgUiBody, AgUiEvent, PatchOperation } from './ag-ui-event.js';
import { seenDetails, type StreamReader } from './seen-details.js';
import type { AttemptBegan, CallEnded, CallStarted, Told, ToldEffect, TurnCommitted } from './told.js';

/** The open parts of a stream. */
export interface AgUiState {
  readonly thread_id: string;
  readonly run_id: string;
  /** The turn that the attempt is for. */
  readonly turn: number;
  /** Calls that have begun and not ended, by id, in the order of their beginning. */
  readonly open: ReadonlyMap<string, CallStarted>;
}

/** Before any event. */
export const AG_UI_BEGINNING: AgUiState = { thread_id: '', run_id: '', turn: 0, open: new Map() };

/** The events of a fact, and the stream's state after them. */
export interface Translated<State, Event> {
  readonly state: State;
  readonly events: readonly Event[];
}

/**
 * Translates one fact of the record into AG-UI events: an attempt is a run, its world the thread, each call a step, a generation
 * a message, a tool that a model chose a tool call. Equal facts give equal events.
 */
export function toAgUi(state: AgUiState, told: Told, reader: StreamReader): Translated<AgUiState, AgUiEvent> {
  const translated = translate(state, told, reader);
  if (told.kind === 'text_streamed') return translated;
  const moment = parseMoment(told.at);
  // The record's own moments are all of this form.
  const timestamp = moment.ok ? moment.milliseconds : 0;
  return { state: translated.state, events: translated.events.map((event) => ({ ...event, timestamp })) };
}

function translate(state: AgUiState, told: Told, reader: StreamReader): Translated<AgUiState, AgUiBody> {
  switch (told.kind) {
    case 'attempt_began':
      return begin(told);
    case 'call_started':
      return startCall(state, told, reader);
    case 'text_streamed': {
      const { llm_call_id: messageId, text: delta } = told;
      const isSaid = messageId !== null && delta !== '';
      return { state, events: isSaid ? [{ type: 'TEXT_MESSAGE_CONTENT', messageId, delta }] : [] };
    }
    case 'call_ended':
      return endCall(state, told, reader);
    case 'turn_committed':
      return commit(state, told);
    case 'attempt_failed':
      return end(state, [{ type: 'RUN_ERROR', message: told.failure_message, code: told.failure_class }]);
    case 'noted': {
      const { of: name, source_invocation_id } = told;
      const closed = name === 'call_interrupted' ? closeCall(state, source_invocation_id) : { state, events: [] };
      const value = { source_invocation_id, details: seenDetails(told.details, reader) };
      return { state: closed.state, events: [...closed.events, { type: 'CUSTOM', name, value }] };
    }
    default:
      return unreachable(told);
  }
}

function begin(told: AttemptBegan): Translated<AgUiState, AgUiBody> {
  const { world_slug, attempt_id, attempted_turn, adopts, environments, entities } = told;
  const snapshot: JsonObject = {
    world_slug,
    turn: attempted_turn - 1,
    environments: Object.fromEntries(environments.map(({ label, content }) => [label, content])),
    // A world's memories grow without end; those of the turn are enough to follow it.
    entities: Object.fromEntries(entities.map(({ id, ...entity }) => [id, { ...entity, new_memories: [] }])),
  };
  return {
    state: { thread_id: world_slug, run_id: attempt_id, turn: attempted_turn, open: new Map() },
    events: [
      {
        type: 'RUN_STARTED',
        threadId: world_slug,
        runId: attempt_id,
        ...present({ parentRunId: adopts ?? undefined }),
      },
      { type: 'STATE_SNAPSHOT', snapshot },
    ],
  };
}

function startCall(state: AgUiState, call: CallStarted, reader: StreamReader): Translated<AgUiState, AgUiBody> {
  return {
    state: { ...state, open: new Map([...state.open, [call.source_invocation_id, call]]) },
    events: [{ type: 'STEP_STARTED', stepName: stepOf(call) }, ...openMessage(call), ...askTool(call, reader)],
  };
}

/** The command of a call, which is its own in an attempt; with a number where it was made before. */
function stepOf(call: CallStarted): string {
  return call.performance === 1 ? call.command_key : `${call.command_key} (${call.performance})`;
}

function openMessage({ llm_call_id, subject_id, ...call }: CallStarted): readonly AgUiBody[] {
  if (llm_call_id === null) return [];
  const name = call.invocation_kind === 'quality_gate' ? 'quality gate' : (subject_id ?? undefined);
  return [{ type: 'TEXT_MESSAGE_START', messageId: llm_call_id, role: 'assistant', ...present({ name }) }];
}

function askTool(call: CallStarted, reader: StreamReader): readonly AgUiBody[] {
  if (call.invocation_kind !== 'model_elected_tool') return [];
  const { source_invocation_id: toolCallId, tool_name, parent_llm_call_id, request_json } = call;
  const parent = present({ parentMessageId: parent_llm_call_id ?? undefined });
  const shown = reader === 'operator' && request_json !== null ? [JSON.stringify(request_json)] : [];
  return [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: tool_name ?? '', ...parent },
    ...shown.map((delta) => ({ type: 'TOOL_CALL_ARGS' as const, toolCallId, delta })),
    { type: 'TOOL_CALL_END', toolCallId },
  ];
}

/** Nothing is told of a call whose beginning has not been. */
function endCall(state: AgUiState, ended: CallEnded, reader: StreamReader): Translated<AgUiState, AgUiBody> {
  const { source_invocation_id, failure_class, failure_message } = ended;
  const call = state.open.get(source_invocation_id);
  if (call === undefined) return { state, events: [] };
  const answered =
    call.llm_call_id === null
      ? toAnswerEvents(call, ended)
      : [...toReasoningEvents(call, ended, reader), ...toDecision(call, ended)];
  const value = { source_invocation_id, failure_class, failure_message };
  // Nobody who watches for a failed redaction has to look into each failure.
  const names = ['call_failed', ...(failure_class === 'redaction_failed' ? [failure_class] : [])];
  const failed = failure_class === null ? [] : names.map((name) => ({ type: 'CUSTOM' as const, name, value }));
  const closed = closeCall(state, source_invocation_id);
  return { state: closed.state, events: [...answered, ...failed, ...closed.events] };
}

function toAnswerEvents(call: CallStarted, ended: CallEnded): readonly AgUiBody[] {
  const { source_invocation_id, invocation_kind, ambient_id: ambient_source_id, node_id: workflow_node_id } = call;
  const { failure_class, failure_message, response_json } = ended;
  if (invocation_kind !== 'model_elected_tool') {
    if (failure_class !== null) return [];
    const value = { source_invocation_id, invocation_kind, ambient_source_id, workflow_node_id, response_json };
    return [{ type: 'CUSTOM', name: 'call_answered', value }];
  }
  return [
    {
      type: 'TOOL_CALL_RESULT',
      messageId: `${source_invocation_id}-result`,
      toolCallId: source_invocation_id,
      role: 'tool',
      content: failure_class === null ? JSON.stringify(response_json) : (failure_message ?? failure_class),
      ...present({
        metadata: failure_class === null ? undefined : { failure_class, error_code: toolErrorCodeOf(failure_class) },
      }),
    },
  ];
}

function toReasoningEvents(call: CallStarted, { reasoning }: CallEnded, reader: StreamReader): readonly AgUiBody[] {
  if (reader !== 'operator' || reasoning === null || reasoning === '') return [];
  const messageId = `${call.llm_call_id}-reasoning`;
  return [
    { type: 'REASONING_START', messageId },
    { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId, delta: reasoning },
    { type: 'REASONING_MESSAGE_END', messageId },
    { type: 'REASONING_END', messageId },
  ];
}

function toDecision(call: CallStarted, { model_output_kind, failure_class }: CallEnded): readonly AgUiBody[] {
  if (call.invocation_kind !== 'quality_gate' || model_output_kind === null || failure_class !== null) return [];
  const { source_invocation_id, parent_llm_call_id: judged_llm_call_id } = call;
  const decision = model_output_kind.slice('gate_'.length);
  const place = { workflow_subject_entity_id: call.subject_id, workflow_node_id: call.node_id };
  const value = { source_invocation_id, decision, judged_llm_call_id, ...place };
  return [{ type: 'CUSTOM', name: 'gate_decided', value }];
}

function closeCall(state: AgUiState, source_invocation_id: string | null): Translated<AgUiState, AgUiBody> {
  const call = source_invocation_id === null ? undefined : state.open.get(source_invocation_id);
  if (call === undefined) return { state, events: [] };
  const open = new Map(state.open);
  open.delete(call.source_invocation_id);
  return { state: { ...state, open }, events: closing(call) };
}

function closing(call: CallStarted): readonly AgUiBody[] {
  const { llm_call_id } = call;
  return [
    ...(llm_call_id === null ? [] : [{ type: 'TEXT_MESSAGE_END' as const, messageId: llm_call_id }]),
    { type: 'STEP_FINISHED', stepName: stepOf(call) },
  ];
}

/** Parts that are open when an attempt ends get no further event. */
function end(state: AgUiState, last: readonly AgUiBody[]): Translated<AgUiState, AgUiBody> {
  return { state: AG_UI_BEGINNING, events: [...[...state.open.values()].flatMap(closing), ...last] };
}

function commit(state: AgUiState, { patches }: TurnCommitted): Translated<AgUiState, AgUiBody> {
  const { thread_id: threadId, run_id: runId, turn } = state;
  const ended = end(state, [
    { type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/turn', value: turn }] },
    { type: 'RUN_FINISHED', threadId, runId, result: { turn } },
  ]);
  return { state: ended.state, events: [...patches.flatMap(applyPatch), ...ended.events] };
}

function applyPatch({
  patch_seq,
  subject_id,
  narration,
  effects,
}: TurnCommitted['patches'][number]): readonly AgUiBody[] {
  const value = { patch_seq, workflow_subject_entity_id: subject_id, narration };
  return [
    { type: 'CUSTOM', name: 'patch_applied', value },
    ...(effects.length === 0 ? [] : [{ type: 'STATE_DELTA' as const, delta: effects.map(toOperation) }]),
  ];
}

/** The places, in the state of a stream, of the values that effects change. */
const PLACES: Readonly<Record<WorldValue, (target: string) => readonly string[]>> = {
  entity_state: (id) => ['entities', id, 'state'],
  entity_memory: (id) => ['entities', id, 'new_memories', '-'],
  environment_content: (label) => ['environments', label],
};

function toOperation({ op, entity_id, environment_label, state_after }: ToldEffect): PatchOperation {
  const { changes } = PATCH_OPERATIONS[op];
  const path = toPointer(PLACES[changes](entity_id ?? environment_label ?? ''));
  return { op: WORLD_VALUES[changes].is_appended ? 'add' : 'replace', path, value: state_after };
}
