import type { Json } from '../../contract/json.js';
import type { ChatAnswer } from '../../contract/source.js';
import { INVALID_ARGUMENTS, toolErrorCodeOfRejection } from '../../contract/tool-error-code.js';
import { canonicalText } from '../content/canonical.js';
import { isObject } from '../content/json-pointer.js';
import { parseJson } from '../content/parse-json.js';
import { listCalls, nameCalls, type Said } from '../prompt/items.js';
import { escapeUnseen } from '../prompt/quote.js';
import type { OfferedSchema, OfferedTools, PermittedTool } from '../protocol/program.js';
import { toDeliveredSchema } from './delivered-schema.js';
import type { Complaint } from './complaint.js';
import { readModelText, type ReadText } from './model-text.js';

// A model that calls tools natively answers with items. They are read as the tool loop's output, which is what a model
// answers with that calls tools by JSON: nothing behind this file knows which of the two it was.

/**
 * The tools of a node as its model is offered them.
 * @param answer the schema of the final answer
 * @param may_call calls are left
 */
export function offerTools(tools: readonly PermittedTool[], answer: OfferedSchema, may_call: boolean): OfferedTools {
  const specs = tools.map(({ name, description, arguments: { schema } }) => {
    const { $schema: _dialect, $id: _id, ...parameters } = toDeliveredSchema(schema);
    return { name, description, parameters };
  });
  return { tools: specs, may_call, answer };
}

/**
 * The answer of a model that calls tools natively, and its text and items as the conversation goes on with them.
 * @param key the generation's, of which ids are made where the model gave none that can be used
 */
export function readNativeAnswer(
  answer: ChatAnswer,
  key: string,
): { readonly said: Required<Said>; readonly read: ReadText } {
  const named = nameCalls(answer.items ?? [], key);
  const calls = listCalls({ items: named });
  const [call, ...others] = calls;
  const { text } = answer;
  if (call === undefined) return { said: { text, items: named }, read: readText(answer) };
  const args = readArguments(call.arguments);
  const rejected = (complaint: Complaint): ReadText => ({ ok: false, normalised: text, complaint });
  // What goes back has to be JSON: servers read the arguments of earlier calls again.
  const items = named.map((item) =>
    item.type === 'function_call' && readArguments(item.arguments) === undefined ? { ...item, arguments: '{}' } : item,
  );
  const said = { text, items };
  if (others.length > 0)
    return {
      said,
      read: rejected({ detail: 'schema_invalid', message: `It calls ${calls.length} tools at once: call one.` }),
    };
  if (args === undefined) return { said, read: rejected({ detail: 'bad_arguments', message: INVALID_ARGUMENTS }) };
  const value = { kind: 'tool_call', tool_call: { name: call.name, arguments: args } };
  return { said, read: { ok: true, normalised: canonicalText(value), value } };
}

/** The object that a call's arguments are; some servers write its JSON as a JSON text. */
function readArguments(written: string): Json | undefined {
  if (written.trim() === '') return {};
  const parsed = parseJson(written);
  if (!parsed.ok) return undefined;
  if (typeof parsed.value === 'string' && parsed.value.trimStart().startsWith('{')) return readArguments(parsed.value);
  return isObject(parsed.value) ? parsed.value : undefined;
}

/** An answer without a call that can be used is text. */
function readText(answer: ChatAnswer): ReadText {
  const read = readModelText(answer, 'native');
  const isCall = read.ok && isObject(read.value) && read.value['kind'] === 'tool_call';
  if (!isCall) return read;
  const message = 'It writes a tool call as text. Call the tool itself, or answer with the final patch.';
  return { ok: false, normalised: read.normalised, complaint: { detail: 'schema_invalid', message } };
}

/** The result of a call that was made. */
export function writeResult(value: Json): string {
  return escapeUnseen(canonicalText({ ok: true, value }));
}

/** The result of a call that failed, as its model may be told of it. */
export function writeFailure(failure: Json): string {
  const told = { ok: false, errorCode: 'execution', safeMessage: 'The call failed; it has no result.' };
  return escapeUnseen(canonicalText({ ...told, ...(isObject(failure) ? failure : {}) }));
}

/** The result of a call that was not made, because its answer was rejected. */
export function writeRejection(complaint: Complaint, text: string): string {
  const errorCode = toolErrorCodeOfRejection(complaint);
  const safeMessage = errorCode === 'invalid_json' ? complaint.message : text;
  return escapeUnseen(canonicalText({ ok: false, errorCode, safeMessage }));
}

/** What a model said, as one text: its calls where it made any. */
export function writeSaid({ text, items }: Said): string {
  const calls = listCalls(items === undefined ? {} : { items });
  return calls.length === 0 ? text : canonicalText({ text, items: calls as unknown as Json });
}
