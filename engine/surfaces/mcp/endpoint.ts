import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  isLegacyRequest,
  type McpRequestContext,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { Caller } from './offer.js';

/** How large a request may be. */
export const REQUEST_BYTES_MAX = 4 * 1_048_576;

/** Of the consumers, and of the operators: neither keep out the others. */
const SESSIONS_MAX = 250;
const IDLE_MS = 30 * 60_000;
const SUBSCRIPTIONS_MAX = 100;

/** Answers requests of the protocol over HTTP, in each of its eras. */
export interface Endpoint {
  /** @param body the bytes of the request as JSON; left out where it has none, or they are none */
  answer(request: Request, caller: Caller, body?: unknown): Promise<Response>;
  close(): Promise<void>;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  readonly caller: Caller;
  /** The ids of its requests that are not answered yet, as JSON. */
  readonly under_way: Set<string>;
  used_at: number;
}

/**
 * Opens an endpoint. Requests of the newest revision, and those of earlier ones without a session, are answered each by a
 * server of its own, at any server of a fleet. Who sends `initialize` gets a session, at this server: it ends after
 * half an hour without a request, or when more are opened than are kept, and its client initialises again.
 */
export function openEndpoint(open: (caller: Caller) => Server, sessions_max = SESSIONS_MAX): Endpoint {
  const make = ({ authInfo }: McpRequestContext): Server => open(authInfo?.extra?.['caller'] as Caller);
  const limits = { maxRequestBodySize: REQUEST_BYTES_MAX, maxSubscriptions: SUBSCRIPTIONS_MAX };
  const handlers = { consumer: createMcpHandler(make, limits), operator: createMcpHandler(make, limits) };
  // In the order of their last use.
  const sessions = new Map<string, Session>();
  const end = (id: string): void => {
    const session = sessions.get(id);
    sessions.delete(id);
    void session?.server.close();
  };
  const begin = async (caller: Caller): Promise<Session> => {
    const ofReader = [...sessions].filter(([, one]) => one.caller.reader === caller.reader);
    const [oldest] = ofReader.length >= sessions_max ? ofReader : [];
    for (const [id, { used_at }] of sessions) if (id === oldest?.[0] || used_at < Date.now() - IDLE_MS) end(id);
    const server = open(caller);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: REQUEST_BYTES_MAX,
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: end,
    });
    const session: Session = { transport, server, caller, under_way: new Set(), used_at: Date.now() };
    await server.connect(transport);
    return session;
  };
  return {
    async answer(request, caller, body) {
      const authInfo = { token: '', clientId: caller.reader, scopes: [], extra: { caller } };
      const given = { authInfo, ...(body === undefined ? {} : { parsedBody: body }) };
      const id = request.headers.get('mcp-session-id');
      const isLegacy = await isLegacyRequest(request, body).catch(() => false);
      if (!isLegacy || (id === null && !isInitializeRequest(body)))
        return handlers[caller.reader].fetch(request, given);
      if (id === null) return (await begin(caller)).transport.handleRequest(request, given);
      const session = sessions.get(id);
      // Another principal learns nothing of a session.
      if (session === undefined || !isOf(session, caller)) return sessionUnknown();
      sessions.delete(id);
      sessions.set(id, session);
      session.used_at = Date.now();
      const asked = idsOf(body);
      if (asked.some((one) => session.under_way.has(one))) return idUnderWay(body);
      for (const one of asked) session.under_way.add(one);
      const over = (): void => asked.forEach((one) => session.under_way.delete(one));
      try {
        return whenOver(await session.transport.handleRequest(request, given), over);
      } catch (error) {
        over();
        throw error;
      }
    },
    async close() {
      for (const id of sessions.keys()) end(id);
      await Promise.all([handlers.consumer.close(), handlers.operator.close()]);
    },
  };
}

function isOf({ caller: { reader, principal } }: Session, caller: Caller): boolean {
  return reader === caller.reader && principal === caller.principal;
}

/** The ids of the requests that a body holds, as JSON. */
function idsOf(body: unknown): readonly string[] {
  const frames: readonly unknown[] = Array.isArray(body) ? body : [body];
  return frames.flatMap((frame) => (isJSONRPCRequest(frame) ? JSON.stringify(frame.id) : []));
}

/** The transport of a session keeps one answer for an id: a second request would take it from the first, which would never end. */
function idUnderWay(body: unknown): Response {
  const error = { code: -32_600, message: 'A request with this id is under way in this session: use each id once' };
  return Response.json({ jsonrpc: '2.0', id: isJSONRPCRequest(body) ? body.id : null, error });
}

/** The same response. @param over is called when it has been read, or is read no further */
function whenOver(response: Response, over: () => void): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) over();
  const body =
    reader &&
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await reader.read();
        if (value !== undefined) controller.enqueue(value);
        if (!done) return;
        over();
        controller.close();
      },
      cancel(reason) {
        over();
        return reader.cancel(reason);
      },
    });
  return new Response(body, response);
}

function sessionUnknown(): Response {
  const error = { code: -32_001, message: 'Session not found: initialise again' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 404 });
}
