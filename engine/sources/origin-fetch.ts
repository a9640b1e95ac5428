import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, errors } from 'undici';
import type { OriginFetch, SourceFailure, TransportFacts } from '../contract/source.js';
import { type CallBounds, findCallBounds, isOfCall } from './call-bounds.js';
import { ACCEPTED_CODINGS, decodeBody } from './content-coding.js';
import type { Origin } from './origin.js';
import { describeThrown, errorCodes, findSourceFailure, makeSourceFailure } from './source-failure.js';
import { timerAlarm } from './timer-alarm.js';

/** Makes the fetch of each origin over shared connection pools. */
export interface OriginFetches {
  bind(origin: Origin): OriginFetch;
  /** Ends every connection, in use or not. */
  close(): Promise<void>;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * The only door to the network. A bound fetch stays at its origin, follows no redirect, sends nothing outside a call,
 * and ends with the call's signal and limits; every failure on the way is a SourceFailure.
 */
export function openOriginFetches(): OriginFetches {
  // undici limits what comes over the wire by agent, so that each limit in use has one, and with it a pool for each origin.
  const agents = new Map<number, Agent>();
  const agentFor = (max_response_bytes: number): Agent => {
    // Without timeouts of its own: only the call's deadline counts.
    const limits = { maxResponseSize: max_response_bytes, headersTimeout: 0, bodyTimeout: 0 };
    const agent = agents.get(max_response_bytes) ?? new Agent(limits);
    agents.set(max_response_bytes, agent);
    return agent;
  };
  return {
    bind:
      (origin) =>
      (...asked) =>
        fetchAt(origin, agentFor, asked),
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      agents.clear();
    },
  };
}

/** The headers of every request that has none of the same names. */
const DEFAULT_HEADERS = { accept: '*/*', 'accept-encoding': ACCEPTED_CODINGS, 'user-agent': 'chukwa' };

async function fetchAt(
  origin: Origin,
  agentFor: (max_response_bytes: number) => Agent,
  [asked, init, call]: Parameters<OriginFetch>,
): Promise<Response> {
  const bounds = findCallBounds(call);
  if (!bounds) throw makeSourceFailure('transport', 'a source may connect only while it is being asked');
  const url = toUrlAt(origin, asked);
  const signal = toSignal(bounds, init);
  try {
    const sent = await toSent(origin, init);
    await bounds.durable;
    // A fetch of the same client costs twice as much.
    const response = await watchSending(agentFor(bounds.max_response_bytes), bounds.onSending).request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      ...sent,
      signal,
      // All of a body is buffered: a connection that its peer ends while nobody reads would fail undici by an assertion.
      highWaterMark: bounds.max_response_bytes + 1,
    });
    return admit(origin, response, bounds);
  } catch (error) {
    throw signal.aborted ? error : toFailure(origin, error, bounds);
  }
}

/** An agent that notifies when a connection is open and the first byte of a request is about to leave. */
function watchSending(agent: Agent, onSending: CallBounds['onSending']): Dispatcher {
  if (onSending === undefined) return agent;
  return agent.compose((dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context: unknown) => {
      onSending();
      start?.(controller, context);
    };
    return dispatch(options, handler);
  });
}

function toSignal(bounds: CallBounds, init: RequestInit | undefined): AbortSignal {
  const over = init?.keepalive ? bounds.farewell() : bounds.signal;
  if (!init?.signal || (!init.keepalive && isOfCall(init.signal))) return over;
  return AbortSignal.any([over, init.signal]);
}

function toUrlAt(origin: Origin, asked: string | URL): URL {
  const home = new URL(origin.url);
  const url = URL.canParse(String(asked), `${origin.url}/`) ? new URL(String(asked), `${origin.url}/`) : undefined;
  if (!url || url.origin !== home.origin || url.username !== '' || url.password !== '') {
    throw makeSourceFailure('transport', `a request may not leave ${home.origin}, which ${origin.variable} names`);
  }
  return url;
}

/** The request as `fetch` would send it. */
async function toSent(
  origin: Origin,
  init: RequestInit = {},
): Promise<Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'>> {
  const headers = new Headers(init.headers);
  const body = await toSentBody(init.body ?? null, headers);
  if (origin.authorization && !headers.has('authorization')) headers.set('authorization', origin.authorization);
  for (const [name, value] of Object.entries(DEFAULT_HEADERS)) if (!headers.has(name)) headers.set(name, value);
  return { method: (init.method ?? 'GET').toUpperCase(), headers: Object.fromEntries(headers), body };
}

/** Reads any kind of body, and sets its type where the headers have none. */
async function toSentBody(
  given: Exclude<RequestInit['body'], undefined>,
  headers: Headers,
): Promise<string | Uint8Array | null> {
  if (given === null) return null;
  if (typeof given === 'string' && headers.has('content-type')) return given;
  const whole = new Response(given);
  const type = whole.headers.get('content-type');
  if (type !== null && !headers.has('content-type')) headers.set('content-type', type);
  return new Uint8Array(await whole.arrayBuffer());
}

function admit(
  origin: Origin,
  { statusCode: status, headers: said, body }: Dispatcher.ResponseData,
  bounds: CallBounds,
): Response {
  const headers = toHeaders(said);
  const factsOf = (): TransportFacts => ({ http_status: status, response_headers: Object.fromEntries(headers) });
  if (REDIRECTS.has(status)) {
    hangUp(body);
    throw makeSourceFailure('http_status', describeRedirect(origin, status, headers), factsOf());
  }
  // The constructor refuses the others, which HTTP does not define.
  if (status < 200 || status > 599) {
    hangUp(body);
    throw makeSourceFailure('http_status', `${describeOrigin(origin)} answered with status ${status}`, factsOf());
  }
  if (WITHOUT_BODY.has(status)) {
    // So that its connection can be used again.
    body.dump().catch(() => {});
    return new Response(null, { status, headers });
  }
  const decoded = decodeBody(body, headers.get('content-encoding') ?? undefined);
  if (decoded.is_decoded) headers.delete('content-encoding');
  const is_refusal = status >= LEAST_REFUSAL;
  if (is_refusal) endInTime(decoded.body, bounds);
  const toBodyFailure = (error: unknown): SourceFailure => {
    if (!is_refusal) return toFailure(origin, error, bounds, factsOf());
    const message = `${describeOrigin(origin)} answered with status ${status}, and its body broke off: ${describeThrown(error)}`;
    return makeSourceFailure('http_status', message, factsOf());
  };
  return new Response(boundBody(decoded.body, bounds, toBodyFailure), { status, headers });
}

/** From this status on the service has refused, and the body only says why. */
const LEAST_REFUSAL = 400;

/** The longest that the body of a refusal is read. */
const REFUSAL_MS_MAX = 5_000;

/** Ends the body of a refusal before the call's own time is over, which would hide that the service has answered. */
function endInTime(body: Readable, { left }: CallBounds): void {
  const end = (): void => hangUp(body, new Error('it did not end in time'));
  body.once('close', timerAlarm(Math.min(REFUSAL_MS_MAX, left() / 2), end));
}

function toHeaders(said: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(said))
    for (const value of Array.isArray(values) ? values : [values ?? '']) headers.append(name, value);
  return headers;
}

function describeRedirect(origin: Origin, status: number, headers: Headers): string {
  const location = headers.get('location') ?? '';
  const target = URL.canParse(location, `${origin.url}/`) ? new URL(location, `${origin.url}/`).origin : 'null';
  const to = target === 'null' ? '' : ` to ${target}`;
  return `${describeOrigin(origin)} answered with a redirect (${status})${to}, and redirects are not followed: set ${origin.variable} to the URL where the service is`;
}

/** Reads the body as its reader does. A cancel ends the connection. */
function boundBody(
  body: Readable,
  bounds: CallBounds,
  toBodyFailure: (error: unknown) => SourceFailure,
): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done === true) return controller.close();
        bytes += value.byteLength;
        if (bytes <= bounds.max_response_bytes) return controller.enqueue(value);
        hangUp(body);
        controller.error(toBodyFailure(new errors.ResponseExceededMaxSizeError(describeTooLarge(bounds))));
      } catch (error) {
        const isOver = bounds.signal.aborted || (error instanceof Error && error.name === 'AbortError');
        controller.error(isOver ? error : toBodyFailure(error));
      }
    },
    cancel: () => hangUp(body),
  });
}

/** Destroying a body before its end emits an error, which nobody needs. */
function hangUp(body: Readable, reason?: Error): void {
  body.on('error', () => {}).destroy(reason);
}

function toFailure(origin: Origin, error: unknown, bounds: CallBounds, facts?: TransportFacts): SourceFailure {
  const known = findSourceFailure(error);
  if (known) return known;
  const codes = errorCodes(error);
  if (codes.includes('UND_ERR_RES_EXCEEDED_MAX_SIZE'))
    return makeSourceFailure('result_too_large', describeTooLarge(bounds), facts);
  return makeSourceFailure('transport', `${describeOrigin(origin)} ${describeBreak(codes, error)}`, facts);
}

function describeTooLarge({ max_response_bytes }: CallBounds): string {
  return `the answer has more than ${max_response_bytes} bytes, which is the limit`;
}

function describeOrigin(origin: Origin): string {
  return `${new URL(origin.url).origin} (${origin.variable})`;
}

function describeBreak(codes: readonly string[], error: unknown): string {
  if (codes.includes('ECONNREFUSED')) return 'refused the connection: is the service running there?';
  if (codes.includes('ENOTFOUND') || codes.includes('EAI_AGAIN')) return 'is a name that cannot be resolved';
  if (codes.includes('UND_ERR_CONNECT_TIMEOUT')) return 'did not take the connection in time';
  if (codes.includes('UND_ERR_HEADERS_OVERFLOW')) return 'answered with headers that are too large';
  if (codes.includes('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'))
    return 'answered with a body of another length than its content-length';
  const said = error instanceof Error ? error.message : '';
  if (said === 'bad response') return 'answered with 100 Continue, which was not requested';
  if (said === 'bad upgrade') return 'switched protocols (101), which was not requested';
  if (codes.includes('ECONNRESET') || codes.includes('UND_ERR_SOCKET'))
    return 'closed the connection before the answer was complete';
  // Node.js 20 gives an error of brotli a code such as ERR__ERROR_FORMAT_PADDING_2.
  if (codes.some((code) => /^(Z_|ERR__ERROR_|ERR_BROTLI_)/.test(code)))
    return `sent a body that cannot be decompressed: ${describeThrown(error)}`;
  if (error instanceof errors.HTTPParserError || codes.includes('ERR_ASSERTION'))
    return 'answered with what is no HTTP';
  return `could not be asked: ${describeThrown(error)}`;
}
