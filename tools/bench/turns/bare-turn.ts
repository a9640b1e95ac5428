import OpenAI from 'openai';
import { Agent, fetch as undiciFetch, type RequestInit as UndiciInit } from 'undici';
import type { CapturedCall } from '../services.js';

/** The answer of a bare call: its text, which was JSON, and of a model its chunks. */
export interface BareAnswer {
  readonly text: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly { readonly text: string; readonly offset_ms: number }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly finish_reason: string;
}

const NOT_SAID: Pick<BareAnswer, 'pieces' | 'usage' | 'finish_reason'> = {
  pieces: [],
  usage: { prompt_tokens: 0, completion_tokens: 0 },
  finish_reason: '',
};

/** The usual clients, without anything around them. */
export interface BareClients {
  /** Makes one call. */
  ask(call: CapturedCall): Promise<BareAnswer>;
  close(): Promise<void>;
}

/** Opens the clients. Close them. */
export function openBareClients(): BareClients {
  const agent = new Agent();
  const fetch = (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const settings = { ...(init as unknown as UndiciInit), dispatcher: agent };
    return undiciFetch(url instanceof Request ? url.url : url, settings);
  };
  const clients = new Map<string, OpenAI>();
  const clientOf = (baseURL: string): OpenAI => {
    const client = clients.get(baseURL) ?? new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0, fetch });
    clients.set(baseURL, client);
    return client;
  };
  return {
    ask: (call) => (call.to === 'toy' ? post(fetch, call) : chat(clientOf(call.url), call)),
    close: () => agent.close(),
  };
}

/** The calls of a turn in the groups in which the engine made them: its readings at once, then one after the other. */
export function toGroups(calls: readonly CapturedCall[]): readonly (readonly CapturedCall[])[] {
  return [calls.filter(isOfTurn), ...calls.filter((call) => !isOfTurn(call)).map((call) => [call])];
}

/** Makes the calls of a turn. @param perform makes one of them, and records it or not */
export async function makeCalls(
  calls: readonly CapturedCall[],
  perform: (call: CapturedCall) => Promise<unknown>,
): Promise<void> {
  for (const group of toGroups(calls)) await Promise.all(group.map(perform));
}

/** The part of a request's id that names the call within its turn. */
export function keyOf({ client_request_id }: CapturedCall): string {
  return client_request_id.split('/').slice(2).join('/');
}

/** Readings that are made once a turn: their keys begin with `turn/`. */
function isOfTurn(call: CapturedCall): boolean {
  return keyOf(call).startsWith('turn/');
}

async function post(fetch: typeof globalThis.fetch, call: CapturedCall): Promise<BareAnswer> {
  const response = await fetch(call.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-client-request-id': call.client_request_id },
    body: JSON.stringify(call.body),
  });
  const { status } = response;
  return checked({ ...NOT_SAID, text: await response.text(), status, headers: Object.fromEntries(response.headers) });
}

async function chat(client: OpenAI, call: CapturedCall): Promise<BareAnswer> {
  const body = call.body as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
  const headers = { 'x-client-request-id': call.client_request_id };
  const { data, response } = await client.chat.completions.create(body, { headers }).withResponse();
  const begun = performance.now();
  const pieces: { text: string; offset_ms: number }[] = [];
  let { usage, finish_reason } = NOT_SAID;
  for await (const event of data) {
    const [choice] = event.choices;
    if (choice?.delta.content) pieces.push({ text: choice.delta.content, offset_ms: performance.now() - begun });
    finish_reason = choice?.finish_reason ?? finish_reason;
    usage = event.usage ?? usage;
  }
  const text = pieces.map((piece) => piece.text).join('');
  const facts = { status: response.status, headers: Object.fromEntries(response.headers) };
  return checked({ text, ...facts, pieces, usage, finish_reason });
}

function checked(answer: BareAnswer): BareAnswer {
  JSON.parse(answer.text);
  if (answer.status !== 200) throw new Error(`a bare call was answered with status ${answer.status}`);
  return answer;
}
