import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, errors, ProxyAgent } from 'undici';
import type { OriginFetch, SourceFailure, TransportFacts } from '../contract/source.js';
import { type CallBounds, findCallBounds, isOfCall } from './call-bounds.js';
import { ACCEPTED_CODINGS, decodeBody } from './content-coding.js';
import type { Credentials } from './connections/credentials.js';
import { findTlsFault } from '../core/content/tls-fault.js';
import type { LookUpVariable, Origin } from './origin.js';
import { findProxy } from './proxy.js';
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

/** Where a request goes: to its origin, or to a proxy that passes it on. */
interface Way {
  readonly origin: Origin;
  readonly proxy: Origin | undefined;
}

/**
 * The only door to the network. A bound fetch stays at its origin, follows no redirect, sends nothing outside a call,
 * and ends with the call's signal and limits; every failure on the way is a SourceFailure.
 * @param lookUp the operator's variables, which may name a proxy
 */
export function openOriginFetches(lookUp: LookUpVariable): OriginFetches {
  // undici limits what comes over the wire by agent, so that each limit in use has one, and with it a pool for each origin.
  const agents = new Map<string, Agent | ProxyAgent>();
  const agentFor: AgentFor = (max_response_bytes, tunnel) => {
    const key = `${max_response_bytes} ${tunnel?.variable ?? ''}`;
    // Without timeouts of its own: only the call's deadline counts.
    const limits = { maxResponseSize: max_response_bytes, headersTimeout: 0, bodyTimeout: 0 };
    const agent = agents.get(key) ?? (tunnel ? openTunnel(tunnel, limits) : new Agent(limits));
    agents.set(key, agent);
    return agent;
  };
  return {
    bind: (origin) => {
      const found = findProxy(new URL(origin.url), lookUp);
      return async (...asked) => {
        if (!found.ok) throw makeSourceFailure('unavailable', found.message);
        return fetchAt({ origin, proxy: found.origin }, agentFor, asked);
      };
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      agents.clear();
    },
  };
}

/** The headers of every request that has none of the same names. */
const DEFAULT_HEADERS = { accept: '*/*', 'accept-encoding': ACCEPTED_CODINGS, 'user-agent': 'chukwa' };

/** @param tunnel the proxy that connects to the origin */
type AgentFor = (max_response_bytes: number, tunnel?: Origin) => Agent | ProxyAgent;

function openTunnel({ url, authorization }: Origin, limits: Agent.Options): ProxyAgent {
  return new ProxyAgent({ ...limits, uri: url, ...(authorization === undefined ? {} : { token: authorization }) });
}

async function fetchAt(way: Way, agentFor: AgentFor, [asked, init, call]: Parameters<OriginFetch>): Promise<Response> {
  const bounds = findCallBounds(call);
  if (!bounds) throw makeSourceFailure('transport', 'a source may connect only while it is being asked');
  const { origin, proxy } = way;
  const url = toUrlAt(origin, asked);
  const tunnel = url.protocol === 'https:' ? proxy : undefined;
  const signal = toSignal(bounds, init);
  try {
    const credentials = bounds.credentials?.origin === url.origin ? bounds.credentials : undefined;
    const sent = await toSent(origin, init, credentials);
    await bounds.durable;
    const sentTo = withMember(url, credentials?.query);
    // A fetch of the same client costs twice as much.
    const agent = agentFor(bounds.max_response_bytes, tunnel);
    const response = await watchSending(agent, bounds.onSending).request({
      ...(proxy === undefined || tunnel ? toDirect(sentTo, sent) : toPassedOn(sentTo, sent, proxy)),
      signal,
      // All of a body is buffered: a connection that its peer ends while nobody reads would fail undici by an assertion.
      highWaterMark: bounds.max_response_bytes + 1,
    });
    if (response.statusCode === 401) credentials?.reject?.();
    return await admit(way, url, response, bounds);
  } catch (error) {
    throw signal.aborted ? error : toFailure(way, error, bounds);
  }
}

function toDirect(url: URL, sent: Sent): Dispatcher.RequestOptions {
  return { origin: url.origin, path: `${url.pathname}${url.search}`, ...sent };
}

/** A request without TLS is given to the proxy as a whole. */
function toPassedOn(url: URL, { headers, ...sent }: Sent, proxy: Origin): Dispatcher.RequestOptions {
  const authorization = proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization };
  const path = `${url.origin}${url.pathname}${url.search}`;
  return { origin: proxy.url, path, ...sent, headers: { ...headers, ...authorization, host: url.host } };
}

/** An agent that notifies when a connection is open and the first byte of a request is about to leave. */
function watchSending(agent: Dispatcher, onSending: CallBounds['onSending']): Dispatcher {
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

interface Sent {
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

/** The request as `fetch` would send it. */
async function toSent(origin: Origin, init: RequestInit = {}, credentials?: Credentials): Promise<Sent> {
  const headers = new Headers(init.headers);
  const body = await toSentBody(init.body ?? null, headers);
  for (const [name, value] of Object.entries({ ...origin.headers, ...credentials?.headers })) headers.set(name, value);
  if (origin.authorization && !headers.has('authorization')) headers.set('authorization', origin.authorization);
  for (const [name, value] of Object.entries(DEFAULT_HEADERS)) if (!headers.has(name)) headers.set(name, value);
  const method = (init.method ?? 'GET').toUpperCase();
  return { method, headers: Object.fromEntries(headers), body };
}

/** A copy, so that no message shows what is added. */
function withMember(url: URL, member: Credentials['query']): URL {
  if (member === undefined) return url;
  const [name, value] = member;
  const whole = new URL(url);
  // Another of this name could count in its place.
  if (whole.searchParams.has(name)) whole.searchParams.delete(name);
  whole.search += `${whole.search === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  return whole;
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

async function admit(
  way: Way,
  asked: URL,
  { statusCode: status, headers: said, body }: Dispatcher.ResponseData,
  bounds: CallBounds,
): Promise<Response> {
  const { origin, proxy } = way;
  const headers = toHeaders(said);
  const factsOf = (): TransportFacts => ({ http_status: status, response_headers: Object.fromEntries(headers) });
  if (REDIRECTS.has(status)) {
    hangUp(body);
    throw makeSourceFailure('http_status', describeRedirect(origin, asked, status, headers), factsOf());
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
    if (!is_refusal) return toFailure(way, error, bounds, factsOf());
    const message = `${describeOrigin(origin)} answered with status ${status}, and its body broke off: ${describeThrown(error)}`;
    return makeSourceFailure('http_status', message, factsOf());
  };
  const response = new Response(boundBody(decoded.body, bounds, toBodyFailure), { status, headers });
  if (proxy === undefined || asked.protocol === 'https:' || !OF_PROXIES.has(status)) return response;
  const words = new Uint8Array(await response.arrayBuffer());
  const message = `${describeProxy(proxy)} answered with status ${status} in place of ${describeOrigin(origin)}`;
  throw makeSourceFailure('http_status', message, { ...factsOf(), body: words });
}

/** Statuses with which a proxy answers by itself. */
const OF_PROXIES: ReadonlySet<number> = new Set([407, 502, 504]);

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

/** Of the service's own words only the origin is said. A path is said where it is ours, but for a slash. */
function describeRedirect(origin: Origin, asked: URL, status: number, headers: Headers): string {
  const location = headers.get('location') ?? '';
  const target = URL.canParse(location, asked.href) ? new URL(location, asked.href) : undefined;
  const redirect = `${describeOrigin(origin)} answered with a redirect (${status})`;
  if (target?.origin === asked.origin) {
    const isSlash = target.pathname.replace(/\/$/, '') === asked.pathname.replace(/\/$/, '');
    return isSlash && target.pathname !== asked.pathname
      ? `${redirect} from ${asked.pathname} to ${target.pathname}, and redirects are not followed: write the path so, ${target.pathname.endsWith('/') ? 'with' : 'without'} a slash at its end`
      : `${redirect} to another of its own paths, and redirects are not followed: write the path where the service is`;
  }
  const to = target === undefined || target.origin === 'null' ? '' : ` to ${target.origin}`;
  return `${redirect}${to}, and redirects are not followed: set ${origin.variable} to the URL where the service is`;
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

function toFailure(way: Way, error: unknown, bounds: CallBounds, facts?: TransportFacts): SourceFailure {
  const { origin, proxy } = way;
  const known = findSourceFailure(error);
  if (known) return known;
  const codes = errorCodes(error);
  if (codes.includes('UND_ERR_RES_EXCEEDED_MAX_SIZE'))
    return makeSourceFailure('result_too_large', describeTooLarge(bounds), facts);
  const [, refused] = /^Proxy response \((\d+)\)/.exec(error instanceof Error ? error.message : '') ?? [];
  if (proxy && refused !== undefined) {
    const message = `${describeProxy(proxy)} did not connect to ${describeOrigin(origin)}: it answered with status ${refused}`;
    return makeSourceFailure(Number(refused) < 500 ? 'call_rejected' : 'transport', message, facts);
  }
  const place = proxy && codes.some((code) => UNREACHED.test(code)) ? describeProxy(proxy) : describeWay(way);
  const fault = describeTlsFault(codes, error, origin.variable);
  if (fault !== undefined) return makeSourceFailure('call_rejected', `${place} ${fault}`, facts);
  return makeSourceFailure('transport', `${place} ${describeBreak(codes, error)}`, facts);
}

/** No connection came about. */
const UNREACHED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

/** Why TLS does not come about, and the repair; undefined where that is not what failed. */
export function describeTlsFault(codes: readonly string[], error: unknown, variable: string): string | undefined {
  const found = findTlsFault(codes);
  if (found?.kind === 'authority')
    return `${found.message}: set NODE_EXTRA_CA_CERTS to the file that holds the certificate of its authority (PEM), and start the program again`;
  if (found?.kind === 'name') return `${found.message}: name the service in ${variable} as its certificate does`;
  if (found?.kind === 'plain') return `${found.message}: write http:// in ${variable}, or the port that does`;
  // The first bytes of an alert of TLS.
  const isTls =
    error instanceof errors.HTTPParserError && 'data' in error && String(error.data).startsWith('\u0015\u0003');
  return isTls ? `speaks TLS at this port: write https:// in ${variable}` : found?.message;
}

function describeTooLarge({ max_response_bytes }: CallBounds): string {
  return `the answer has more than ${max_response_bytes} bytes, which is the limit`;
}

function describeOrigin(origin: Origin): string {
  return `${new URL(origin.url).origin} (${origin.variable})`;
}

/** Many servers of TLS hang up on a request without it. */
function isWordless(error: unknown): boolean {
  return error instanceof errors.SocketError && error.socket?.bytesRead === 0;
}

function describeProxy({ url, variable }: Origin): string {
  return `the proxy ${url} (${variable})`;
}

function describeWay({ origin, proxy }: Way): string {
  return `${describeOrigin(origin)}${proxy ? `, through ${describeProxy(proxy)},` : ''}`;
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
    return `closed the connection before the answer was complete${isWordless(error) ? '; where it speaks TLS at this port, write https://' : ''}`;
  // Node.js 20 gives an error of brotli a code such as ERR__ERROR_FORMAT_PADDING_2.
  if (codes.some((code) => /^(Z_|ERR__ERROR_|ERR_BROTLI_)/.test(code)))
    return `sent a body that cannot be decompressed: ${describeThrown(error)}`;
  if (error instanceof errors.HTTPParserError || codes.includes('ERR_ASSERTION'))
    return 'answered with what is no HTTP';
  return `could not be asked: ${describeThrown(error)}`;
}
