import type { Json } from '../../contract/json.js';
import { unreachable } from '../../contract/unreachable.js';
import type { AgUiEvent } from './ag-ui-event.js';
import type { Translated } from './to-ag-ui.js';

/** A part of the AI SDK's UI message stream (https://ai-sdk.dev, version 6). */
export type UiMessagePart = { readonly type: string } & Readonly<Record<string, Json>>;

/** Open tool calls. */
export interface UiMessageState {
  readonly tools: ReadonlyMap<string, { readonly toolName: string; readonly input: string }>;
}

/** Before any event. */
export const UI_MESSAGE_BEGINNING: UiMessageState = { tools: new Map() };

/**
 * Translates an AG-UI event into the AI SDK's terms: a run is a message with one step, tools are dynamic, and events
 * without a counterpart are data parts of their own names.
 */
export function toUiMessage(state: UiMessageState, event: AgUiEvent): Translated<UiMessageState, UiMessagePart> {
  switch (event.type) {
    case 'TOOL_CALL_START':
    case 'TOOL_CALL_ARGS':
    case 'TOOL_CALL_END':
      return toolParts(state, event);
    default:
      return { state, events: parts(event) };
  }
}

type ToolEvent = Extract<AgUiEvent, { readonly type: 'TOOL_CALL_START' | 'TOOL_CALL_ARGS' | 'TOOL_CALL_END' }>;

function toolParts(state: UiMessageState, event: ToolEvent): Translated<UiMessageState, UiMessagePart> {
  const { toolCallId } = event;
  const asked = state.tools.get(toolCallId) ?? { toolName: '', input: '' };
  const tools = new Map(state.tools);
  if (event.type === 'TOOL_CALL_START') {
    const toolName = event.toolCallName;
    tools.set(toolCallId, { toolName, input: '' });
    return { state: { tools }, events: [{ type: 'tool-input-start', toolCallId, toolName, dynamic: true }] };
  }
  if (event.type === 'TOOL_CALL_ARGS') {
    tools.set(toolCallId, { ...asked, input: asked.input + event.delta });
    const events = [{ type: 'tool-input-delta', toolCallId, inputTextDelta: event.delta }];
    return { state: { tools }, events };
  }
  tools.delete(toolCallId);
  const input = (asked.input === '' ? {} : JSON.parse(asked.input)) as Json;
  const { toolName } = asked;
  const events = [{ type: 'tool-input-available', toolCallId, toolName, input, dynamic: true }];
  return { state: { tools }, events };
}

function parts(event: Exclude<AgUiEvent, ToolEvent>): readonly UiMessagePart[] {
  switch (event.type) {
    case 'RUN_STARTED':
      return [{ type: 'start', messageId: event.runId }, { type: 'start-step' }];
    case 'RUN_FINISHED':
      return [{ type: 'finish-step' }, { type: 'finish', finishReason: 'stop' }];
    case 'RUN_ERROR':
      return [
        { type: 'error', errorText: `${event.code}: ${event.message}` },
        { type: 'finish-step' },
        { type: 'finish', finishReason: 'error' },
      ];
    case 'TEXT_MESSAGE_START':
      return [{ type: 'text-start', id: event.messageId }];
    case 'TEXT_MESSAGE_CONTENT':
      return [{ type: 'text-delta', id: event.messageId, delta: event.delta }];
    case 'TEXT_MESSAGE_END':
      return [{ type: 'text-end', id: event.messageId }];
    case 'REASONING_MESSAGE_START':
      return [{ type: 'reasoning-start', id: event.messageId }];
    case 'REASONING_MESSAGE_CONTENT':
      return [{ type: 'reasoning-delta', id: event.messageId, delta: event.delta }];
    case 'REASONING_MESSAGE_END':
      return [{ type: 'reasoning-end', id: event.messageId }];
    case 'TOOL_CALL_RESULT':
      return [toolOutput(event)];
    case 'STATE_SNAPSHOT':
      return [{ type: 'data-state', data: event.snapshot }];
    case 'STATE_DELTA':
      return [{ type: 'data-state-delta', data: event.delta.map((operation) => ({ ...operation })) }];
    case 'CUSTOM':
      return [{ type: `data-${event.name.replaceAll('_', '-')}`, data: event.value }];
    // Steps of this format follow each other, and calls do not.
    case 'STEP_STARTED':
    case 'STEP_FINISHED':
    case 'REASONING_START':
    case 'REASONING_END':
      return [];
    default:
      return unreachable(event);
  }
}

function toolOutput({
  toolCallId,
  content,
  metadata,
}: Extract<AgUiEvent, { readonly type: 'TOOL_CALL_RESULT' }>): UiMessagePart {
  const output = JSON.parse(content) as Json;
  if (metadata === undefined) return { type: 'tool-output-available', toolCallId, output, dynamic: true };
  const { message: errorText } = output as { readonly message: string };
  return { type: 'tool-output-error', toolCallId, errorText, dynamic: true };
}
