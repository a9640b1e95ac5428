import type { Capabilities, ChatRequest, InvocationContext } from 'chukwa/plugin';
import OpenAI, { type ClientOptions } from 'openai';
import type { LlmChatInterface } from './interface.js';
import { baseUrlVariable, findKey, findUnsupported, toBody, toHeaders, toSentHeaders } from './request.js';

/**
 * Sends the one request of a call through the `openai` client, without retries.
 * @returns the response with any status, its body unread: the client would read the whole of a refusal, and keep a part
 * @throws SourceFailure where nothing can be sent, or no response comes
 */
export async function send(
  told: LlmChatInterface,
  capabilities: Capabilities,
  request: ChatRequest,
  context: InvocationContext,
): Promise<Response> {
  const { origin, model, failure } = capabilities;
  const unsupported = findUnsupported(told);
  if (unsupported) throw failure('unavailable', unsupported);
  if (!origin || model === undefined) throw failure('unavailable', `${baseUrlVariable(told)} is not set`);
  const found = findKey(told, capabilities.variables, origin.url);
  if (!found.ok) throw failure('call_rejected', found.message);
  let refused: Response | undefined;
  let thrown: unknown;
  // The request has the call's own signal. The client would abort a signal of its own at the end of each call, with an error.
  const fetch: ClientFetch = async (url, init) => {
    const given = { ...init, signal: context.signal, headers: toSentHeaders(init?.headers) };
    const response = await origin.fetch(url instanceof Request ? url.url : url, given, context).catch((error) => {
      thrown = error;
      throw error;
    });
    if (response.ok) return response;
    refused = response;
    throw new Error(`HTTP status ${response.status}`);
  };
  const body = toBody(told, model, request) as unknown as OpenAI.ChatCompletionCreateParams;
  const headers = toHeaders(found.key, context.client_request_id);
  try {
    return await openClient(origin.url, found.key, fetch).chat.completions.create(body, { headers }).asResponse();
  } catch (error) {
    if (refused !== undefined) return refused;
    throw thrown ?? error;
  }
}

/** A placeholder key that the client demands; it is never sent. */
const NO_KEY = 'none';

/** The call's signal ends it; the client's own timer would only hide why. */
const CLIENT_TIMEOUT_MS = 2_147_483_647;

type ClientFetch = NonNullable<ClientOptions['fetch']>;

/** A client for one call. Every setting that it would read from the environment is given, and its retries are off. */
function openClient(baseURL: string, key: string | undefined, fetch: ClientFetch): OpenAI {
  return new OpenAI({
    apiKey: key ?? NO_KEY,
    adminAPIKey: null,
    baseURL,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: CLIENT_TIMEOUT_MS,
    logLevel: 'off',
    fetch,
  });
}
