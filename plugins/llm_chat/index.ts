import type {
  Capabilities,
  ChatRequest,
  InvocationContext,
  SourceAnswer,
  SourceFailure,
  SourcePlugin,
} from 'chukwa/plugin';
import OpenAI from 'openai';
import {
  type AskedOf,
  conclude,
  findErrorIn,
  HEARD_NOTHING,
  type Heard,
  hear,
  lengthOf,
  readErrorEvent,
  textOf,
  toProviderArtifact,
} from './answer.js';
import { readEvents } from './event-stream.js';
import { type Exchange, isSourceFailure, openExchange } from './exchange.js';
import type { LlmChatInterface } from './interface.js';
import { findKey, findUnsupported, TIMEOUT_DEFAULT_MS, toChatParams } from './request.js';

const plugin: SourcePlugin = {
  open(definition, capabilities) {
    const told = definition.interface as unknown as LlmChatInterface;
    return {
      names_its_calls: true,
      invoke: (request, context) => ask(told, capabilities, request as unknown as ChatRequest, context),
    };
  },
};

export default plugin;

async function ask(
  told: LlmChatInterface,
  capabilities: Capabilities,
  request: ChatRequest,
  context: InvocationContext,
): Promise<SourceAnswer> {
  const timeout_ms = told.timeout_ms ?? TIMEOUT_DEFAULT_MS;
  const ending = new AbortController();
  let isLate = false;
  const giveUp = (): void => {
    isLate = true;
    ending.abort();
  };
  const cancel = capabilities.alarm(timeout_ms, giveUp, context);
  const stop = (): void => ending.abort(context.signal.reason);
  if (context.signal.aborted) stop();
  else context.signal.addEventListener('abort', stop, { once: true });
  try {
    return await converse(told, capabilities, request, { context, signal: ending.signal });
  } catch (error) {
    if (isLate && !context.signal.aborted) {
      throw capabilities.failure(
        'timeout',
        `no whole answer within ${timeout_ms} ms, which is the source's timeout_ms`,
      );
    }
    throw error;
  } finally {
    cancel();
    context.signal.removeEventListener('abort', stop);
  }
}

/** The call, and the signal that also ends it when the source's own time is up. */
interface Bounded {
  readonly context: InvocationContext;
  readonly signal: AbortSignal;
}

async function converse(
  told: LlmChatInterface,
  capabilities: Capabilities,
  request: ChatRequest,
  { context, signal }: Bounded,
): Promise<SourceAnswer> {
  const asked: AskedOf = {
    model: told.model,
    sent_schema: request.output_schema !== undefined,
    quote: capabilities.quote,
  };
  const { client, exchange } = openClient(told, capabilities, asked, context);
  let heard = HEARD_NOTHING;
  try {
    const headers = { 'X-Client-Request-Id': context.client_request_id };
    const asking = client.chat.completions.create(toChatParams(told, request), { signal, headers });
    const { body } = await asking.asResponse();
    for await (const events of body ? readEvents(body, capabilities) : [])
      for (const data of events) heard = take(heard, toEvent(data, asked, capabilities), context, capabilities);
  } catch (error) {
    throw toFailure(error, exchange, capabilities.failure);
  } finally {
    report(heard, context);
  }
  const conclusion = conclude(heard, capabilities.quote);
  const facts = exchange.facts();
  if (!conclusion.ok) {
    const { finish_reason } = heard;
    throw capabilities.failure(conclusion.failure_class, conclusion.message, {
      ...facts,
      ...(finish_reason === undefined ? {} : { finish_reason }),
    });
  }
  return { value: { ...conclusion.answer }, ...(facts ? { facts } : {}) };
}

/** A client for one call. All that it would otherwise take from the environment is said, and its retries are off. */
function openClient(
  told: LlmChatInterface,
  { origin, variables, failure }: Capabilities,
  asked: AskedOf,
  context: InvocationContext,
): { readonly client: OpenAI; readonly exchange: Exchange } {
  const unsupported = findUnsupported(told);
  if (unsupported) throw failure('unavailable', unsupported);
  if (!origin) throw failure('unavailable', 'CHUKWA_LLM_BASE_URL is not set');
  const apiKey = findKey(variables, origin.url);
  if (apiKey === undefined) {
    throw failure(
      'unavailable',
      'no key is set: set CHUKWA_LLM_API_KEY, or CHUKWA_LLM_BASE_URL to an endpoint that needs none',
    );
  }
  const exchange = openExchange((url, init) => origin.fetch(url, init, context), failure, asked);
  const client = new OpenAI({
    apiKey,
    adminAPIKey: null,
    baseURL: origin.url,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: CLIENT_TIMEOUT_MS,
    logLevel: 'off',
    fetch: (url, init) => exchange.fetch(url instanceof Request ? url.url : url, init),
  });
  return { client, exchange };
}

/** The call's signal ends it; the client's own timer would only hide why. */
const CLIENT_TIMEOUT_MS = 2_147_483_647;

/** Reads one event, which may tell of an error in the middle of an answer. */
function toEvent(data: string, asked: AskedOf, { failure, quote }: Capabilities): OpenAI.ChatCompletionChunk {
  const event = parse(data, failure);
  if (typeof event === 'object' && event !== null && 'error' in event && event.error) {
    const read = readErrorEvent(event.error, asked);
    throw failure(read.failure_class, read.message);
  }
  const error = findErrorIn(event, quote);
  if (error) throw failure('transport', error);
  return event as OpenAI.ChatCompletionChunk;
}

function parse(data: string, failure: Capabilities['failure']): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw failure('transport', 'the stream held an event that is not JSON');
  }
}

function take(
  heard: Heard,
  event: OpenAI.ChatCompletionChunk,
  { trace, max_result_bytes }: InvocationContext,
  { failure }: Capabilities,
): Heard {
  const next = hear(heard, event);
  if (lengthOf(next) > max_result_bytes)
    throw failure('result_too_large', `the model said more than ${max_result_bytes} bytes, which is the limit`);
  const text = textOf(event);
  if (text !== '') trace.chunk(text);
  return next;
}

function report(heard: Heard, { trace }: InvocationContext): void {
  if (heard === HEARD_NOTHING) return;
  if (heard.usage) trace.tokens(heard.usage);
  if (heard.refusal !== '') trace.artifact('refusal', heard.refusal);
  trace.artifact('provider', toProviderArtifact(heard));
}

function toFailure(error: unknown, exchange: Exchange, failure: Capabilities['failure']): SourceFailure {
  const known = exchange.failure();
  if (known) return known;
  const facts = exchange.facts();
  if (isSourceFailure(error)) return error.facts ? error : failure(error.failure_class, error.message, facts);
  return failure('transport', `the stream broke: ${error instanceof Error ? error.message : String(error)}`, facts);
}
