import type { Json } from '../contract/json.js';
import { present } from '../contract/present.js';
import type { AnswerItem, ChatItem, ChatMessage, NativeCalling } from '../contract/source.js';
import { toJson, toStorableJson } from '../core/content/i-json.js';
import { isObject } from '../core/content/json-pointer.js';
import { toItems } from '../core/prompt/items.js';
import type { Message } from '../core/prompt/message.js';
import type { OfferedSchema } from '../core/protocol/program.js';

/** A conversation as a plugin is handed it: its messages, and where tools are offered natively all of its items. */
export function toConversation(
  messages: readonly Message[],
  { native: offered }: OfferedSchema,
): { readonly messages: readonly ChatMessage[]; readonly native?: NativeCalling } {
  const items = toItems(messages);
  const said = items.flatMap((item) => (item.type === 'message' ? [toChatMessage(item)] : []));
  if (offered === undefined) return { messages: said };
  const { tools, may_call } = offered;
  return { messages: said, native: { items, tools, may_call } };
}

/** Members are written in canonical order. */
function toChatMessage({ content, role }: Extract<ChatItem, { readonly type: 'message' }>): ChatMessage {
  return Object.freeze({ content, role });
}

/** The items of an answer, in the form to keep; undefined where the plugin gave none. What is no item is left out. */
export function readItems(value: unknown, clean: (value: Json) => Json): readonly AnswerItem[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.flatMap((given: unknown): readonly AnswerItem[] => {
    const { arguments: said } = Object(given) as { readonly arguments?: unknown };
    const read = toJson(typeof said === 'string' ? { ...Object(given), arguments: toStorableJson(said) } : given);
    const item = read.ok ? clean(read.value) : null;
    if (!isObject(item)) return [];
    const { type, provider, call_id, name, arguments: written } = item;
    if (type === 'reasoning' && provider !== undefined) return [{ type, provider }];
    const isCall = typeof call_id === 'string' && typeof name === 'string' && typeof written === 'string';
    return type === 'function_call' && isCall
      ? [{ type, call_id, name, arguments: written, ...present({ provider }) }]
      : [];
  });
  return items.length === 0 ? undefined : items;
}
