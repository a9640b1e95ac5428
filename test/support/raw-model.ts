import { parseClientRequestId } from '../../engine/contract/scripted.js';
import { readText, startLoopbackServer } from '../../fixtures/toys/loopback-server.js';

/** A model whose answers a test writes to the byte: the deltas of its stream, as JSON texts. */
export interface RawModel {
  /** The base URL for clients. */
  readonly url: string;
  /** The bodies of its requests, by command key. */
  readonly requests: ReadonlyMap<string, string>;
  /** @param answers deltas by command key */
  say(answers: Readonly<Record<string, readonly string[]>>): void;
  close(): Promise<void>;
}

/** Starts it; a call without an answer gets status 404. */
export async function startRawModel(): Promise<RawModel> {
  let said: Readonly<Record<string, readonly string[]>> = {};
  const requests = new Map<string, string>();
  const server = await startLoopbackServer((request, response) => {
    const key = parseClientRequestId(String(request.headers['x-client-request-id']))?.key ?? '';
    const deltas = said[key];
    void readText(request).then((body) => {
      requests.set(key, body);
      if (deltas === undefined) return response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const reason = deltas.some((delta) => delta.includes('"tool_calls"')) ? 'tool_calls' : 'stop';
      for (const delta of deltas) response.write(toEvent(delta, 'null'));
      return response.end(`${toEvent('{}', `"${reason}"`)}data: [DONE]\n\n`);
    });
  });
  return {
    url: `${server.url}/v1`,
    requests,
    say: (answers) => {
      requests.clear();
      said = answers;
    },
    close: () => server.close(),
  };
}

function toEvent(delta: string, reason: string): string {
  return `data: {"id":"c-1","object":"chat.completion.chunk","created":0,"model":"raw","choices":[{"index":0,"delta":${delta},"finish_reason":${reason}}]}\n\n`;
}

/** The delta of a whole native call. @param written the arguments, as the model writes them */
export function nativeCall(id: string, name: string, written: string): string {
  return JSON.stringify({
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: written } }],
  });
}

/** The delta of a text. */
export function spoken(text: string): string {
  return JSON.stringify({ role: 'assistant', content: text });
}
