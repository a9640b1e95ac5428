import OpenAI from 'openai';
import { Agent, fetch as undiciFetch, type RequestInit as UndiciInit } from 'undici';
import type { CapturedCall } from '../stage/captured-call.js';

/** What a bare call brought: the body, which was JSON. */
export interface BareAnswer {
  readonly text: string;
  readonly status: number;
}

/** Does one call, and what its floor wants done before and after. */
export type AroundCall = (call: CapturedCall, ask: () => Promise<BareAnswer>) => Promise<BareAnswer>;

/** The clients that the engine's plugins use, with nothing around them. */
export interface BareClients {
  /** Makes the calls of one turn in the order in which the engine made them; its readings of a turn at once. */
  turn(calls: readonly CapturedCall[], around: AroundCall): Promise<void>;
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
  const ask = (call: CapturedCall): Promise<BareAnswer> =>
    call.to === 'toy' ? post(fetch, call) : chat(clientOf(call.url), call);
  return {
    turn: async (calls, around) => {
      const perform = (call: CapturedCall) => around(call, () => ask(call));
      await Promise.all(calls.filter(isOfTurn).map(perform));
      for (const call of calls.filter((call) => !isOfTurn(call))) await perform(call);
    },
    close: () => agent.close(),
  };
}

/** Nothing recorded. */
export const recordNothing: AroundCall = (_call, ask) => ask();

/** Readings that are made once a turn: their keys begin with `turn/`. */
function isOfTurn({ client_request_id }: CapturedCall): boolean {
  return client_request_id.split('/')[2] === 'turn';
}

async function post(fetch: typeof globalThis.fetch, call: CapturedCall): Promise<BareAnswer> {
  const response = await fetch(call.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-client-request-id': call.client_request_id },
    body: JSON.stringify(call.body),
  });
  return checked({ text: await response.text(), status: response.status });
}

async function chat(client: OpenAI, call: CapturedCall): Promise<BareAnswer> {
  const body = call.body as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
  const headers = { 'x-client-request-id': call.client_request_id };
  let text = '';
  for await (const event of await client.chat.completions.create(body, { headers }))
    text += event.choices[0]?.delta.content ?? '';
  return checked({ text, status: 200 });
}

function checked(answer: BareAnswer): BareAnswer {
  JSON.parse(answer.text);
  if (answer.status !== 200) throw new Error(`a bare call was answered with status ${answer.status}`);
  return answer;
}
