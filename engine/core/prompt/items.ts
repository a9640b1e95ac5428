import type { AnswerItem, ChatItem, FunctionCallItem } from '../../contract/source.js';
import type { Json } from '../../contract/json.js';
import { type RejectedToolCall, toolErrorCodeOfRejection } from '../../contract/tool-error-code.js';
import { canonicalText } from '../content/canonical.js';
import { sha256 } from '../content/sha256.js';
import { contentOf, type Message, type Segment, toMessage } from './message.js';

// A message is a list of segments. Items that are no text are segments of their own: `function_call` and `reasoning` hold
// the item as canonical JSON, and `call_id` begins the message that holds the result of that call.

/** What a model said: its text, and the items beside it where it calls tools natively. */
export interface Said {
  readonly text: string;
  readonly items?: readonly AnswerItem[];
}

/** The answer of a model, as the conversation keeps it. */
export function toSaidMessage({ text, items = [] }: Said): Message {
  const said: readonly Segment[] = text === '' && items.length > 0 ? [] : [{ origin: 'model', text }];
  const [reasoning, calls] = [items.filter(({ type }) => type === 'reasoning'), listCalls({ items })];
  return toMessage('assistant', [...reasoning.map(toSegment), ...said, ...calls.map(toSegment)]);
}

function toSegment(item: AnswerItem): Segment {
  const { type: origin } = item;
  return { origin, text: canonicalText(item as unknown as Json) };
}

/** What answers a model: the results of its calls, each in a message of its own, or a message of the user. */
export function toReplies(said: Pick<Said, 'items'>, segments: readonly Segment[]): readonly Message[] {
  const calls = listCalls(said);
  if (calls.length === 0) return [toMessage('user', segments)];
  return calls.map(({ call_id }) => toMessage('tool', [{ origin: 'call_id', text: call_id }, ...segments]));
}

export function listCalls({ items = [] }: Pick<Said, 'items'>): readonly FunctionCallItem[] {
  return items.filter((item) => item.type === 'function_call');
}

const CALL_ID_LENGTH_MAX = 128;

/**
 * Every call has an id that no other of its answer has.
 * @param key the generation's, of which ids are made where the model gave none that can be used
 */
export function nameCalls(items: readonly AnswerItem[], key: string): readonly AnswerItem[] {
  const seen = new Set<string>();
  return items.map((item, index) => {
    if (item.type !== 'function_call') return item;
    const isUsable = item.call_id !== '' && item.call_id.length <= CALL_ID_LENGTH_MAX && !seen.has(item.call_id);
    const call_id = isUsable ? item.call_id : `call_${sha256(`${key}\n${index}`).slice(0, 24)}`;
    seen.add(call_id);
    return { ...item, call_id };
  });
}

/** The calls of an answer that was rejected, with the ids that the conversation gives them. */
export function listRejectedCalls(
  items: readonly AnswerItem[],
  key: string,
  complaint: { readonly detail: string | null; readonly message: string | null },
): readonly RejectedToolCall[] {
  const error_code = toolErrorCodeOfRejection(complaint);
  const message = complaint.message ?? '';
  return listCalls({ items: nameCalls(items, key) }).map(({ call_id: tool_call_id, name: tool_name }) => ({
    tool_call_id,
    tool_name,
    error_code,
    message,
  }));
}

/** The items of a conversation, in its order. */
export function toItems(messages: readonly Message[]): readonly ChatItem[] {
  return messages.flatMap(({ role, segments }): readonly ChatItem[] => {
    const [first, ...result] = segments;
    if (role === 'tool')
      return [{ type: 'function_call_output', call_id: first?.text ?? '', output: contentOf({ segments: result }) }];
    const texts = segments.filter(({ origin }) => origin !== 'reasoning' && origin !== 'function_call');
    const of = (origin: AnswerItem['type']): readonly AnswerItem[] =>
      segments.filter((segment) => segment.origin === origin).map(({ text }) => JSON.parse(text) as AnswerItem);
    const message = { type: 'message', role, content: contentOf({ segments: texts }) } as const;
    return [...of('reasoning'), ...(texts.length === 0 ? [] : [message]), ...of('function_call')];
  });
}
