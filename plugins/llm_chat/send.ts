import type { Capabilities, ChatRequest, InvocationContext } from 'chukwa/plugin';
import OpenAI from 'openai';
import type { LlmChatInterface } from './interface.js';
import { baseUrlVariable, findKey, toBody, toHeaders } from './request.js';

/**
 * Sends the one request of a call, without retries.
 * @returns the response with any status, its body unread: the client would read the whole of a refusal, and keep a part
 * @throws SourceFailure where nothing can be sent, or no response comes
 */
export type Send = (request: ChatRequest, context: InvocationContext) => Promise<Response>;

/** Makes the function that sends the calls of one source, all through one `openai` client. */
export function openSender(settings: LlmChatInterface, capabilities: Capabilities): Send {
  const { origin, model, failure } = capabilities;
  const client = origin && openClient(origin);
  return async (request, context) => {
    if (!origin || !client || model === undefined)
      throw failure('unavailable', `${baseUrlVariable(settings)} is not set`);
    const found = findKey(settings, capabilities.variables, origin);
    if (!found.ok) throw failure(found.failure_class, found.message);
    const body = toBody(settings, capabilities, request) as unknown as OpenAI.ChatCompletionCreateParams;
    const headers = toHeaders(found.key, context.client_request_id);
    const exchange: Exchange = { context, headers };
    // Without a key, the client's placeholder is no header either.
    const options = { headers: { authorization: null, ...headers }, fetchOptions: { exchange } as object };
    try {
      return await client.chat.completions.create(body, options).asResponse();
    } catch (error) {
      if (exchange.refused !== undefined) return exchange.refused;
      throw exchange.thrown ?? error;
    }
  };
}

/** One call on its way through the client that all calls of its source share. */
interface Exchange {
  readonly context: InvocationContext;
  readonly headers: ReturnType<typeof toHeaders>;
  refused?: Response;
  thrown?: unknown;
}

/** The client gives its `fetch` whatever a request's own options carry. */
type Carrier = RequestInit & { readonly exchange?: Exchange };

/** A placeholder key that the client demands. Each request has its key in a header, and the client knows none. */
const NO_KEY = 'none';

/** The call's signal ends it; the client's own timer would only hide why. */
const CLIENT_TIMEOUT_MS = 2_147_483_647;

/** Every setting that the client would read from the environment is given, and its retries are off. */
function openClient(origin: NonNullable<Capabilities['origin']>): OpenAI {
  return new OpenAI({
    apiKey: NO_KEY,
    adminAPIKey: null,
    baseURL: origin.url,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: CLIENT_TIMEOUT_MS,
    logLevel: 'off',
    fetch: (url, init) => exchangeAt(origin, url, init),
  });
}

/**
 * Sends what the client would send, with the call's own headers and signal: the client's headers would describe this
 * machine, and its signal would be aborted at the end of each call, with an error.
 */
async function exchangeAt(
  origin: NonNullable<Capabilities['origin']>,
  url: string | URL | Request,
  { exchange, ...init }: Carrier = {},
): Promise<Response> {
  if (exchange === undefined) throw new Error('the client sends a request that belongs to no call');
  const { context, headers } = exchange;
  try {
    const given = { ...init, signal: context.signal, headers };
    const response = await origin.fetch(url instanceof Request ? url.url : url, given, context);
    if (response.ok) return response;
    exchange.refused = response;
  } catch (error) {
    exchange.thrown = error;
    throw error;
  }
  throw new Error(`HTTP status ${exchange.refused.status}`);
}
