import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { ServerOfHere } from '../../operations/composition.js';
import { openTransport, untilEnded } from './stdio.js';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const SESSION = 'mcp-session-id';

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>> & { readonly _meta?: Readonly<Record<string, unknown>> };
}

/** Passes the messages of the process that started this one to the server that holds the database, and the answers back. */
export async function forwardParent(
  { place, headers }: ServerOfHere,
  { stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'>,
  signal: AbortSignal,
): Promise<void> {
  const transport = openTransport({ stdin, stdout });
  const ended = untilEnded({ stdin, stdout }, signal);
  const open = new Map<unknown, AbortController>();
  let hello: Message | undefined;
  let session: string | undefined;
  const post = async (message: Message, stop: AbortController): Promise<Response> => {
    const response = await fetch(place, {
      method: 'POST',
      redirect: 'error',
      headers: { ...headers, ...headersOf(message), ...(session === undefined ? {} : { [SESSION]: session }) },
      body: JSON.stringify(message),
      signal: stop.signal,
    });
    session = response.headers.get(SESSION) ?? session;
    return response;
  };
  /** A session that has ended there is begun again, as the client began it. */
  const ask = async (message: Message, stop: AbortController): Promise<Response> => {
    const response = await post(message, stop);
    if (response.status !== 404 || session === undefined || hello === undefined) return response;
    session = undefined;
    await (await post(hello, stop)).text();
    return post(message, stop);
  };
  const pass = async (message: Message): Promise<void> => {
    const { id, method, params } = message;
    if (method === 'initialize') [hello, session] = [message, undefined];
    if (method === 'notifications/cancelled') open.get(params?.['requestId'])?.abort();
    const stop = new AbortController();
    if (id !== undefined) open.set(id, stop);
    try {
      const response = await ask(message, stop);
      for await (const answer of messagesOf(response)) await transport.send(answer);
      if (!response.ok && id !== undefined && !isOfProtocol(response))
        throw new Error(`it answered ${response.status}`);
    } catch (error) {
      if (stop.signal.aborted || id === undefined) return;
      const text = `${place.origin} does not answer: ${(error as Error).message}. If chukwa serve has ended there, start this again.`;
      await transport.send({ jsonrpc: '2.0', id, error: { code: -32_603, message: text } });
    } finally {
      open.delete(id);
    }
  };
  // oxlint-disable-next-line prefer-add-event-listener -- a transport of the protocol has no other way
  transport.onmessage = (message) => void pass(message as Message);
  await transport.start();
  await ended;
  for (const stop of open.values()) stop.abort();
  if (session !== undefined)
    await fetch(place, { method: 'DELETE', headers: { ...headers, [SESSION]: session } }).catch(() => {});
  await transport.close();
}

/** What a message of the newest revision says of itself in its headers; one of an earlier revision says nothing there. */
function headersOf({ method, params = {} }: Message): Readonly<Record<string, string>> {
  const base = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const { _meta: meta = {} } = params;
  const version = meta[VERSION_KEY];
  if (typeof version !== 'string' || method === undefined) return base;
  const name = params['name'] ?? params['uri'] ?? params['taskId'];
  const named = typeof name === 'string' ? { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` } : {};
  return { ...base, 'mcp-protocol-version': version, 'mcp-method': method, ...named };
}

function isOfProtocol({ headers }: Response): boolean {
  return /^(application\/json|text\/event-stream)\b/.test(headers.get('content-type') ?? '');
}

/** The messages of an answer: one as JSON, or some as server-sent events, while they come. */
async function* messagesOf(response: Response): AsyncGenerator<JSONRPCMessage> {
  if (!isOfProtocol(response) || response.body === null) {
    await response.body?.cancel();
    return;
  }
  if (response.headers.get('content-type')?.startsWith('application/json') === true) {
    const text = await response.text();
    if (text !== '') yield JSON.parse(text) as JSONRPCMessage;
    return;
  }
  let rest = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + piece).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []));
      if (data.join('').trim() !== '') yield JSON.parse(data.join('\n')) as JSONRPCMessage;
    }
  }
}
