import { Agent, fetch as undiciFetch } from 'undici';
import type { InvocationContext, OriginFetch, SourceFailure, TransportFacts } from '../contract/source.js';
import { type CallBounds, findCallBounds, isOfCall } from './call-bounds.js';
import type { Origin } from './origin.js';
import { describeThrown, errorCodes, findSourceFailure, makeSourceFailure } from './source-failure.js';

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
 * and ends with the call's signal and limits; whatever goes wrong on the way is a SourceFailure.
 */
export function openOriginFetches(): OriginFetches {
  // undici limits what comes over the wire by agent, so that each limit in use has one, and with it a pool for each origin.
  const agents = new Map<number, Agent>();
  const agentFor = (max_wire_bytes: number): Agent => {
    const agent = agents.get(max_wire_bytes) ?? openAgent(max_wire_bytes);
    agents.set(max_wire_bytes, agent);
    return agent;
  };
  return {
    bind: (origin) => (url, init, call) => fetchAt(origin, agentFor, { url, init, call }),
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      agents.clear();
    },
  };
}

/** Without timeouts of its own: the call's deadline is the one that counts. */
function openAgent(max_wire_bytes: number): Agent {
  return new Agent({ maxResponseSize: max_wire_bytes, headersTimeout: 0, bodyTimeout: 0 });
}

interface Asked {
  readonly url: string | URL;
  readonly init: RequestInit | undefined;
  readonly call: Pick<InvocationContext, 'signal'> | undefined;
}

async function fetchAt(origin: Origin, agentFor: (max_wire_bytes: number) => Agent, asked: Asked): Promise<Response> {
  const bounds = findCallBounds(asked.call);
  if (!bounds) throw makeSourceFailure('transport', 'a source may connect only while it is being asked');
  const url = toUrlAt(origin, asked.url);
  const signal = toSignal(bounds, asked.init);
  try {
    const response = await undiciFetch(url, {
      ...(asked.init as Parameters<typeof undiciFetch>[1]),
      headers: withAuthorization(origin, asked.init?.headers),
      redirect: 'manual',
      signal,
      dispatcher: agentFor(bounds.max_wire_bytes),
    });
    return await admit(origin, response, bounds);
  } catch (error) {
    throw signal.aborted ? error : toFailure(origin, error, bounds);
  }
}

function toSignal(bounds: CallBounds, init: RequestInit | undefined): AbortSignal {
  const over = init?.keepalive ? bounds.farewell : bounds.signal;
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

function withAuthorization(origin: Origin, given: RequestInit['headers']): [string, string][] {
  const headers = new Headers(given);
  if (origin.authorization && !headers.has('authorization')) headers.set('authorization', origin.authorization);
  return [...headers.entries()];
}

async function admit(origin: Origin, response: Response, bounds: CallBounds): Promise<Response> {
  const factsOf = (): TransportFacts => ({
    http_status: response.status,
    response_headers: Object.fromEntries(response.headers.entries()),
  });
  if (REDIRECTS.has(response.status)) {
    await response.body?.cancel();
    throw makeSourceFailure('http_status', describeRedirect(origin, response), factsOf());
  }
  // The constructor refuses the others, which HTTP does not define.
  if (response.status < 200 || response.status > 599) {
    await response.body?.cancel();
    const message = `${describeOrigin(origin)} answered with status ${response.status}`;
    throw makeSourceFailure('http_status', message, factsOf());
  }
  const body =
    response.body && !WITHOUT_BODY.has(response.status) ? boundBody(response.body, { origin, bounds, factsOf }) : null;
  return new Response(body, { status: response.status, headers: withoutEncoding(response.headers) });
}

/** The body arrives decompressed. */
function withoutEncoding(given: Headers): Headers {
  if (!given.has('content-encoding')) return given;
  const headers = new Headers([...given.entries()]);
  headers.delete('content-encoding');
  return headers;
}

function describeRedirect(origin: Origin, response: Response): string {
  const location = response.headers.get('location') ?? '';
  const target = URL.canParse(location, `${origin.url}/`) ? ` to ${new URL(location, `${origin.url}/`).origin}` : '';
  return `${describeOrigin(origin)} answered with a redirect (${response.status})${target}, and redirects are not followed: set ${origin.variable} to the URL where the service is`;
}

interface Body {
  readonly origin: Origin;
  readonly bounds: CallBounds;
  readonly factsOf: () => TransportFacts;
}

function boundBody(stream: ReadableStream<Uint8Array>, body: Body): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        bytes += value.byteLength;
        if (bytes <= body.bounds.max_body_bytes) return controller.enqueue(value);
        await reader.cancel();
        controller.error(makeTooLarge(body.bounds.max_body_bytes, body.factsOf()));
      } catch (error) {
        controller.error(
          body.bounds.signal.aborted || isAbort(error)
            ? error
            : toFailure(body.origin, error, body.bounds, body.factsOf()),
        );
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function toFailure(origin: Origin, error: unknown, bounds: CallBounds, facts?: TransportFacts): SourceFailure {
  const known = findSourceFailure(error);
  if (known) return known;
  const codes = errorCodes(error);
  if (codes.includes('UND_ERR_RES_EXCEEDED_MAX_SIZE')) return makeTooLarge(bounds.max_wire_bytes, facts);
  return makeSourceFailure('transport', `${describeOrigin(origin)} ${describeBreak(codes, error)}`, facts);
}

function makeTooLarge(limit: number, facts: TransportFacts | undefined): SourceFailure {
  return makeSourceFailure('result_too_large', `the answer has more than ${limit} bytes, which is the limit`, facts);
}

function describeOrigin(origin: Origin): string {
  return `${new URL(origin.url).origin} (${origin.variable})`;
}

function describeBreak(codes: readonly string[], error: unknown): string {
  if (codes.includes('ECONNREFUSED')) return 'refused the connection: is the service running there?';
  if (codes.includes('ENOTFOUND') || codes.includes('EAI_AGAIN')) return 'is a name that cannot be resolved';
  if (codes.includes('UND_ERR_CONNECT_TIMEOUT')) return 'did not take the connection in time';
  if (codes.includes('ECONNRESET') || codes.includes('UND_ERR_SOCKET'))
    return 'closed the connection before the answer was complete';
  return `could not be asked: ${describeThrown(error)}`;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
