import { present } from '../../contract/present.js';
import { type ToolErrorCode, toolErrorCodeOf } from '../../contract/tool-error-code.js';
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
  readonly turn: number;
  /** Calls that have begun and not ended, by id, in the order of their beginning. */
  readonly open: ReadonlyMap<string, CallStarted>;
  /** The ids that models have given to tool calls, each with the command that had it first. */
  readonly given_ids: ReadonlyMap<string, string>;
}

/** Before any event. */
export const AG_UI_BEGINNING: AgUiState = {
  thread_id: '',
  run_id: '',
  turn: 0,
  open: new Map(),
  given_ids: new Map(),
};

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
    state: { ...AG_UI_BEGINNING, thread_id: world_slug, run_id: attempt_id, turn: attempted_turn },
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

function startCall(before: AgUiState, started: CallStarted, reader: StreamReader): Translated<AgUiState, AgUiBody> {
  const { source_invocation_id: own, command_key, tool_call_id: given } = started;
  const { state, id: tool_call_id } = nameToolCall(before, { given, command_key, own });
  const call = { ...started, tool_call_id };
  return {
    state: { ...state, open: new Map([...state.open, [own, call]]) },
    events: [{ type: 'STEP_STARTED', stepName: stepOf(call) }, ...openMessage(call), ...askTool(call, reader)],
  };
}

/** A tool call has the id that its model gave it, also when it is repeated; its own where another command had that first. */
function nameToolCall(
  state: AgUiState,
  { given, command_key, own }: { readonly given: string | null; readonly command_key: string; readonly own: string },
): { readonly state: AgUiState; readonly id: string } {
  if (given === null) return { state, id: own };
  const first = state.given_ids.get(given);
  if (first !== undefined) return { state, id: first === command_key ? given : own };
  return { state: { ...state, given_ids: new Map([...state.given_ids, [given, command_key]]) }, id: given };
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
  const { tool_call_id: id, tool_name, parent_llm_call_id: parent, request_json } = call;
  const shown = reader === 'operator' && request_json !== null ? [JSON.stringify(request_json)] : [];
  return beginToolCall({ id: id ?? '', name: tool_name ?? '', parent }, shown);
}

function beginToolCall(
  { id: toolCallId, name, parent }: { readonly id: string; readonly name: string; readonly parent: string | null },
  shown: readonly string[],
): readonly AgUiBody[] {
  return [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: name, ...present({ parentMessageId: parent ?? undefined }) },
    ...shown.map((delta) => ({ type: 'TOOL_CALL_ARGS' as const, toolCallId, delta })),
    { type: 'TOOL_CALL_END', toolCallId },
  ];
}

/** Nothing is told of a call whose beginning has not been. */
function endCall(before: AgUiState, ended: CallEnded, reader: StreamReader): Translated<AgUiState, AgUiBody> {
  const { source_invocation_id, failure_class, failure_message } = ended;
  const call = before.open.get(source_invocation_id);
  if (call === undefined) return { state: before, events: [] };
  const { state, events: rejected } = tellRejectedCalls(before, call, ended);
  const answered =
    call.llm_call_id === null
      ? toAnswerEvents(call, ended)
      : [...toReasoningEvents(call, ended, reader), ...toDecision(call, ended), ...rejected];
  const value = { source_invocation_id, failure_class, failure_message };
  // A failed redaction has an event of its own name, so that a reader can wait for it alone.
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
  const result = {
    type: 'TOOL_CALL_RESULT',
    messageId: `${source_invocation_id}-result`,
    toolCallId: call.tool_call_id ?? '',
    role: 'tool',
  } as const;
  if (failure_class === null) return [{ ...result, content: JSON.stringify(response_json) }];
  const error_code = toolErrorCodeOf(failure_class);
  return [{ ...result, ...toFailedResult(failure_class, error_code, failure_message ?? failure_class) }];
}

function toFailedResult(failure_class: string, error_code: ToolErrorCode, message: string) {
  const content = JSON.stringify({ ok: false, errorCode: error_code, message });
  return { content, metadata: { failure_class, error_code } };
}

/** Tool calls that were not made begin and end with the answer that asked for them; nothing of their arguments is told. */
function tellRejectedCalls(
  before: AgUiState,
  { source_invocation_id, command_key, llm_call_id: parent }: CallStarted,
  { rejected_calls, failure_class }: CallEnded,
): Translated<AgUiState, AgUiBody> {
  let state = before;
  const events = rejected_calls.flatMap(({ tool_call_id, tool_name: name, error_code, message }, index) => {
    const own = `${source_invocation_id}-${index + 1}`;
    const named = nameToolCall(state, { given: tool_call_id, command_key, own });
    const { id } = named;
    state = named.state;
    const result = { type: 'TOOL_CALL_RESULT', messageId: `${own}-result`, toolCallId: id, role: 'tool' } as const;
    const failed = toFailedResult(failure_class ?? '', error_code, message);
    return [...beginToolCall({ id, name, parent }, []), { ...result, ...failed }];
  });
  return { state, events };
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
