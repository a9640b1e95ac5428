import type { AnswerItem, Capabilities, ChatAnswer, Json } from 'chukwa/plugin';
import type { Chunk } from './chunk.js';
import { ReasoningDetails } from './reasoning-details.js';
import { ToolCalls } from './tool-calls.js';
import type { Failed } from './provider-error.js';
import { Wrapper } from './wrapper.js';

/** The accumulated answer. It is mutable: a copy for each event costs more than reading the event. */
export class Received {
  text = '';
  reasoning = '';
  /** The members in which reasoning came. */
  readonly reasoning_from = new Set<string>();
  refusal = '';
  readonly reasoning_details = new ReasoningDetails();
  readonly tool_calls = new ToolCalls();
  finish_reason: string | undefined;
  /** The stream ended with `[DONE]`. */
  is_done = false;
  /** The answer was whole, and the response had no end. */
  is_hung_up = false;
  /** The answer stood where reasoning belongs. */
  is_reasoning = false;
  id: string | undefined;
  model: string | undefined;
  system_fingerprint: string | undefined;

  /** Adds one event, without its text, which may be reasoning: `appendText` adds that. */
  append(chunk: Chunk): void {
    this.#appendReasoning(chunk.reasoning, chunk.reasoning_from);
    this.refusal += chunk.refusal;
    for (const detail of chunk.reasoning_details) this.reasoning_details.append(detail);
    for (const piece of chunk.tool_calls) this.tool_calls.append(piece);
    this.finish_reason = chunk.finish_reason ?? this.finish_reason;
    this.id = chunk.id || this.id;
    this.model = chunk.model || this.model;
    this.system_fingerprint = chunk.system_fingerprint ?? this.system_fingerprint;
  }

  /** Adds text of the answer, and reasoning from between tags. */
  appendText({ text, reasoning }: { readonly text: string; readonly reasoning: string }): void {
    this.text += text;
    if (reasoning !== '') this.#appendReasoning(reasoning, 'tags');
  }

  #appendReasoning(reasoning: string, from: string | undefined): void {
    this.reasoning += reasoning;
    if (from !== undefined) this.reasoning_from.add(from);
  }
}

/** Characters of all that is kept, and never more than its bytes, which the engine limits. */
export function lengthOf(received: Received): number {
  const { text, reasoning, reasoning_details, refusal, tool_calls, id, model, system_fingerprint, finish_reason } =
    received;
  const beside = `${id ?? ''}${model ?? ''}${system_fingerprint ?? ''}${finish_reason ?? ''}`.length;
  return text.length + reasoning.length + reasoning_details.length + refusal.length + beside + tool_calls.length;
}

/** The finish reason of an answer whose stream ended with `[DONE]` and without a reason. */
const DONE = 'done';

/** Reasons to end that mean that the endpoint broke, and not that the model had finished. */
const BROKEN = ['error', 'insufficient_system_resource', 'network_error'];

/** Reasons to end that mean that the endpoint would not pass the answer on. */
const FILTERED = ['content_filter', 'sensitive', 'safety'];

/**
 * The result of the whole answer. An answer cut by its length is an ordinary answer, and so are native tool calls that
 * nobody offered.
 * @param is_native tools were offered
 */
export function conclude(
  received: Received,
  { quote, is_native }: Pick<Capabilities, 'quote'> & { readonly is_native: boolean },
): { readonly ok: true; readonly answer: ChatAnswer } | ({ readonly ok: false } & Failed) {
  const { refusal, finish_reason, is_done, is_hung_up, text } = received;
  if (refusal !== '') return failed('model_refusal', `the model refused to answer: ${quote(refusal)}`);
  if (finish_reason === undefined && !is_done && !is_hung_up) {
    return failed('transport', 'the answer ended before the model had finished: it was cut on the way');
  }
  if (finish_reason !== undefined && FILTERED.includes(finish_reason))
    return failed('model_refusal', `the endpoint's content filter stopped the answer (${finish_reason})`);
  if (finish_reason !== undefined && BROKEN.includes(finish_reason))
    return failed('transport', `the endpoint broke off its answer (${finish_reason})`);
  const items = is_native ? listItems(received) : [];
  const hasCall = items.some(({ type }) => type === 'function_call');
  if (hasCall && finish_reason !== undefined) return { ok: true, answer: { text, finish_reason, items } };
  const called = text.trim() === '' ? writeToolCalls(received) : '';
  if (called !== '')
    return { ok: true, answer: { text: called, finish_reason: is_native ? (finish_reason ?? DONE) : 'tool_calls' } };
  const thought = text.trim() === '' ? findAnswer(received.reasoning) : undefined;
  received.is_reasoning = thought !== undefined;
  const kept = items.length === 0 ? {} : { items };
  return { ok: true, answer: { text: thought ?? text, finish_reason: finish_reason ?? DONE, ...kept } };
}

/** Reasons to end that say that the answer is a tool call, whole. */
const CALLS_END: readonly string[] = ['tool_calls', 'function_call'];

/** Reasoning in the member in which it came, and calls where the reason to end says that there are any. */
function listItems(received: Received): readonly AnswerItem[] {
  const { reasoning, reasoning_details, reasoning_from, tool_calls, finish_reason } = received;
  const [from, ...others] = reasoning_from;
  const member = from === 'content parts' ? 'thinking' : from;
  const isReturned = member !== undefined && member !== 'tags' && others.length === 0;
  const provider: Json | undefined =
    reasoning_details.list.length > 0
      ? { reasoning_details: reasoning_details.list }
      : isReturned
        ? { [member]: reasoning }
        : undefined;
  return [
    ...(provider === undefined ? [] : [{ type: 'reasoning', provider } as const]),
    ...(CALLS_END.includes(finish_reason ?? '') ? tool_calls.items : []),
  ];
}

/** Some servers take all that a model says for reasoning: an object, whatever stands around it, is its answer. */
function findAnswer(reasoning: string): string | undefined {
  const wrapper = new Wrapper(true);
  const text = wrapper.push(reasoning).text + wrapper.end().text;
  const [, bare = text] = /^\s*```\w*\s([^]*)```\s*$/.exec(text) ?? [];
  if (!bare.trimStart().startsWith('{')) return undefined;
  try {
    JSON.parse(bare);
    return text;
  } catch {
    return undefined;
  }
}

/** Writes native tool calls in the form in which models write them as text: they are the whole answer. */
function writeToolCalls({ tool_calls }: Received): string {
  return tool_calls.items
    .map(
      (call) => `<tool_call>{"name": ${JSON.stringify(call.name)}, "arguments": ${call.arguments || '{}'}}</tool_call>`,
    )
    .join('\n');
}

/** The artifact that names the provider, and how the answer ended. */
export function toProviderArtifact(received: Received): Json {
  const { id, model, system_fingerprint, finish_reason, is_done, is_hung_up, is_reasoning, reasoning_from } = received;
  const other = is_done ? '[DONE]' : is_hung_up ? 'hung_up' : null;
  return {
    id: id ?? null,
    model: model ?? null,
    system_fingerprint: system_fingerprint ?? null,
    finish_reason: finish_reason ?? null,
    ended_by: finish_reason === undefined ? other : 'finish_reason',
    ...(reasoning_from.size > 0 ? { reasoning_from: [...reasoning_from] } : {}),
    ...(is_reasoning ? { answer_from: 'reasoning' } : {}),
  };
}

function failed(failure_class: Failed['failure_class'], message: string): { readonly ok: false } & Failed {
  return { ok: false, failure_class, message };
}
