import type { Capabilities, OriginFetch, ParsedAnswer, SourceFailure, TransportFacts } from 'chukwa/plugin';
import { admitList, admitMessage } from './as-written.js';
import { findLost, watchEvents } from './event-watch.js';
import type { Wire } from './wire.js';

type Origin = NonNullable<Capabilities['origin']>;

/**
 * The way to a server behind a URL: the library's Streamable HTTP over our fetch. The library would wait for ever for an
 * answer whose stream broke off, and puts the server's words into its errors; the fetch sees to both.
 */
export async function openHttpWire(
  origin: Origin,
  { failure, parseJson, alarm, clock }: Pick<Capabilities, 'failure' | 'parseJson' | 'alarm' | 'clock'>,
): Promise<Wire> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const lost = new Map<string, SourceFailure>();
  let broken: SourceFailure | undefined;
  const breakOff = (reason: SourceFailure): void => {
    broken = reason;
    void transport.close();
  };
  let resumed_at = 0;
  const rest = async (): Promise<void> => {
    const isSoon = clock() - resumed_at < RESUME_MS;
    if (isSoon) await new Promise<void>((resolve) => alarm(RESUME_MS, resolve));
    resumed_at = clock();
  };
  const fetch = openExchange(origin.fetch, { failure, parseJson, lost, breakOff, rest });
  const transport = new StreamableHTTPClientTransport(new URL(origin.endpoint), { fetch });
  return {
    transport,
    broken: () => broken,
    lost: (error) => findLost(error, lost, failure),
    names_session: () => transport.sessionId !== undefined,
    can_hang: false,
    listen: () => () => {},
    allow: () => {},
    close: async () => {
      await transport.terminateSession().catch(() => undefined);
      await transport.close();
    },
  };
}

/** A server that cuts its streams may ask to be asked again at once, and would be for as long as the call has time. */
const RESUME_MS = 1_000;

interface ExchangeParts {
  readonly failure: Capabilities['failure'];
  readonly parseJson: Capabilities['parseJson'];
  /** Why the stream of a request broke off, by the request's id. */
  readonly lost: Map<string, SourceFailure>;
  readonly breakOff: (reason: SourceFailure) => void;
  /** Waits where a stream was resumed a moment ago. */
  readonly rest: () => Promise<void>;
}

function openExchange(fetch: OriginFetch, parts: ExchangeParts): OriginFetch {
  return async (url, init = {}) => {
    if (init.method === 'GET') return resume(fetch, url, init, parts);
    const sent = readSent(init.body);
    const takesBack = sent.method === 'notifications/cancelled';
    const response = await fetch(url, takesBack ? { ...init, keepalive: true } : init);
    if (init.method === 'DELETE' || takesBack) return response;
    if (!response.ok) throw await toStatusFailure(response, parts.failure);
    return sent.id === undefined ? response : admit(response, sent, parts);
  };
}

/** A broken stream may be resumed. A stream beside all calls is not wanted: 405 refuses it. */
async function resume(
  fetch: OriginFetch,
  url: string | URL,
  init: RequestInit,
  parts: ExchangeParts,
): Promise<Response> {
  if (!new Headers(init.headers).has('last-event-id')) return new Response(null, { status: 405 });
  try {
    await parts.rest();
    const response = await fetch(url, init);
    if (response.ok) return response;
    throw await toStatusFailure(response, parts.failure);
  } catch (error) {
    parts.breakOff(parts.failure('transport', 'the stream of the answer broke off and could not be resumed'));
    throw error;
  }
}

async function admit(
  response: Response,
  { id, method }: Sent,
  { failure, parseJson, lost }: ExchangeParts,
): Promise<Response> {
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const { status, headers } = response;
  const isList = method === 'tools/list';
  if (type === 'text/event-stream' && response.body) {
    const admit = (text: string): ParsedAnswer | undefined =>
      isList ? admitList(text) : admitMessage(text, parseJson);
    return new Response(watchEvents(response.body, { id: String(id), lost, admit }), { status, headers });
  }
  const text = await response.text();
  const facts = factsOf(response, text);
  if (type !== 'application/json')
    throw failure('transport', 'the server answered with neither JSON nor a stream of events', facts);
  // Of a list each tool is looked at by itself.
  const parsed = isList && isJson(text) ? admitList(text) : admitMessage(text, parseJson);
  if (parsed?.ok === false) throw failure('non_json', `the server did not answer with JSON: ${parsed.reason}`, facts);
  return new Response(parsed?.replaced === undefined ? text : JSON.stringify(parsed.value), { status, headers });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function toStatusFailure(response: Response, failure: Capabilities['failure']): Promise<SourceFailure> {
  const { text, is_body_cut } = await readRefusal(response);
  const facts = { ...factsOf(response, text), is_body_cut };
  return failure('http_status', `the server answered with status ${response.status}`, facts);
}

/** Where the body breaks off, the part that arrived is kept. */
async function readRefusal({ body }: Response): Promise<{ readonly text: string; readonly is_body_cut: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of body ?? []) text += decoder.decode(piece as Uint8Array, { stream: true });
    return { text: text + decoder.decode(), is_body_cut: false };
  } catch {
    return { text: text + decoder.decode(), is_body_cut: true };
  }
}

function factsOf(response: Response, text: string): TransportFacts {
  return {
    http_status: response.status,
    response_headers: Object.fromEntries(response.headers.entries()),
    body: new TextEncoder().encode(text),
  };
}

interface Sent {
  readonly method?: string;
  readonly id?: string | number;
}

function readSent(body: RequestInit['body']): Sent {
  return typeof body === 'string' ? (JSON.parse(body) as Sent) : {};
}
