/** Items as chat messages, which are one encoding of them. */
import type { Capabilities, ChatItem, FunctionCallItem, Json, JsonObject, NativeCalling } from 'chukwa/plugin';
import type { LlmChatInterface } from './interface.js';

/** The members that native tool calls add to the body, and the messages that they replace. */
export function toNativeBody(
  { items, tools, may_call }: NativeCalling,
  { tool_choice }: LlmChatInterface,
  failure: Capabilities['failure'],
): JsonObject {
  const choice = may_call ? tool_choice : 'none';
  return {
    messages: toMessages(items, failure),
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
    ...(choice === undefined ? {} : { tool_choice: choice }),
  };
}

/** Members of one message of the model, which its items fill. */
interface Turn {
  text: string;
  readonly calls: FunctionCallItem[];
  /** Members in which the provider wants its reasoning back. */
  members: JsonObject;
}

/**
 * Joins the items of each answer to one message of the model. Every call has exactly one result, which follows it.
 * @throws SourceFailure for a result without its call, a second one, and a call without a result
 */
function toMessages(items: readonly ChatItem[], failure: Capabilities['failure']): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  const open = new Set<string>();
  let turn: Turn | undefined;
  const endTurn = (): void => {
    if (turn !== undefined) messages.push(toAssistant(turn));
    turn = undefined;
  };
  const endCalls = (): void => {
    if (open.size > 0) throw failure('schema_invalid', `the tool call ${[...open].join(', ')} has no result`);
  };
  for (const item of items) {
    if (item.type === 'function_call_output') {
      endTurn();
      if (!open.delete(item.call_id))
        throw failure('schema_invalid', `a result names the tool call ${item.call_id}, which is not open`);
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: item.output });
      continue;
    }
    if (item.type === 'message' && item.role !== 'assistant') {
      endTurn();
      endCalls();
      messages.push({ role: item.role, content: item.content });
      continue;
    }
    if (turn === undefined) endCalls();
    turn ??= { text: '', calls: [], members: {} };
    if (item.type === 'message') turn.text += item.content;
    else if (item.type === 'reasoning') turn.members = { ...turn.members, ...(item.provider as JsonObject) };
    else {
      turn.calls.push(item);
      open.add(item.call_id);
    }
  }
  endTurn();
  endCalls();
  return messages;
}

function toAssistant({ text, calls, members }: Turn): JsonObject {
  const { thinking, ...others } = members;
  return {
    role: 'assistant',
    ...others,
    content: toContent(text, thinking),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toToolCall) }),
  };
}

/** One provider has its reasoning in the content, as a part before the text. */
function toContent(text: string, thinking: Json | undefined): Json {
  if (thinking === undefined) return text === '' ? null : text;
  const said = text === '' ? [] : [{ type: 'text', text }];
  return [{ type: 'thinking', thinking: [{ type: 'text', text: thinking }] }, ...said];
}

function toToolCall({ call_id, name, arguments: written, provider }: FunctionCallItem): JsonObject {
  const beside = provider === undefined ? {} : { extra_content: provider };
  return { id: call_id, type: 'function', function: { name, arguments: written }, ...beside };
}
