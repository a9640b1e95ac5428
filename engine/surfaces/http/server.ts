import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { REPORT_BYTES_MAX } from '../../operations/settling/read-answer-file.js';
import type { HttpDesk, HttpServer, ServePlace } from '../../operations/composition.js';
import { openStreams } from '../../operations/stream/streams.js';
import { makeToken, type Tokens } from '../../operations/serving/tokens.js';
import { requireActor } from './actors.js';
import { type CountRefusal, type Guard, isCommandHere, isOperator, mayReport, requireToken } from './authority.js';
import { ANSWER_TYPE, FAILURE_TYPE, FORM_TYPE } from './body.js';
import { CONNECTION_LIMITS, type Connections, openConnections } from './connections.js';
import { openStreamPlaces, STREAM_LIMITS } from './event-stream.js';
import { openIssuer } from './issuer.js';
import { sendProblem } from './problem-document.js';
import { methodsOf, ROUTES } from './routes/index.js';
import { VERSION } from './openapi.js';
import type { Route, RouteAccess, RouteDesk } from './routes/route.js';
import { shareReads } from './shared-reads.js';
import { openSessions } from './sessions.js';
import { openEndpoint } from '../mcp/endpoint.js';
import { openServer, type Server } from '../mcp/server.js';
import type { Caller } from '../mcp/offer.js';
import { toOffer } from '../mcp/surface.js';
import type { ToolDesk } from '../mcp/tools.js';
import {
  findReader,
  refuseViewer,
  requireBearer,
  requireViewer,
  SECURITY_HEADERS,
  type ViewerAuthority,
  viewerOf,
} from './viewer.js';
import { demandPath, demandTexts } from './well-formed.js';

const HEADERS_TIMEOUT_MS = 5_000;
const HTTP_OPTIONS: ServerOptions = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: 15_000,
  keepAliveTimeout: HEADERS_TIMEOUT_MS,
  connectionsCheckingInterval: 1_000,
};
const ID_LENGTH_MAX = 256;
const REFUSALS_MAX = 30;
const SIGN_INS_MAX = 10;
const MINUTE_MS = 60_000;

/**
 * Listens for callbacks, readers, operators and assistants.
 * @param offer the server of one connection of an assistant
 * @throws where the address or port cannot be bound; its `code` and `port` say so
 */
export async function startServer(
  desk: HttpDesk,
  tokens: Tokens,
  place: ServePlace,
  offer: (desk: ToolDesk, caller: Caller) => Server = (tools, caller) => openServer(toOffer(tools, caller)),
): Promise<HttpServer> {
  const connections = openConnections(CONNECTION_LIMITS);
  const server = createServer(connections, desk);
  await server.register(rateLimit, { global: false });
  const findUrl = (): string => urlOf(server.server.address() as AddressInfo);
  const sessions = openSessions(tokens, { now: Date.now });
  const countRefusal = countPerMinute(server, REFUSALS_MAX);
  const command_token = makeToken();
  const isOfHere = isCommandHere(command_token);
  const authority: ViewerAuthority = { sessions, countRefusal, isOfHere, ...toPublicPlace(place, findUrl) };
  const guards = toGuards(authority, tokens, command_token);
  const streams = openStreams(desk.look);
  const places = openStreamPlaces(STREAM_LIMITS);
  const countSignIn = countPerMinute(server, SIGN_INS_MAX);
  const { holdsToken } = sessions;
  const { consumers_read_only = false } = place;
  const endpoint = openEndpoint((caller) =>
    offer({ ...desk, version: VERSION, holdsToken, consumers_read_only }, caller),
  );
  await addRoutes(
    server,
    { ...desk, ...authority, streams, places, shareRead: shareReads(), countSignIn, endpoint },
    guards,
    connections,
  );
  server.setNotFoundHandler((request, reply) => {
    findReader(request, reply, authority);
    const methods = methodsOf(request.url.replace(/\?.*$/, ''));
    if (methods.length === 0) return refuseViewer(request, reply, problem('NOTHING_HERE'));
    const allowed = reply.header('allow', methods.join(', '));
    return refuseViewer(request, allowed, problem('METHOD_NOT_ALLOWED', { methods }));
  });
  await server.listen({ host: place.host, port: place.port });
  const close = async (within_ms: number): Promise<void> => {
    const closed = server.close();
    streams.close();
    await endpoint.close();
    connections.end(within_ms);
    await closed;
  };
  const makeSignInLink = (): string =>
    `${place.public_url ?? toReachable(findUrl())}/sign-in?ticket=${sessions.makeTicket('operator')}`;
  return { url: findUrl(), command_token, makeSignInLink, close };
}

type Guards = Readonly<Record<RouteAccess, Partial<Guard> | undefined>>;

function toGuards(authority: ViewerAuthority, tokens: Tokens, command_token: string): Guards {
  const { countRefusal } = authority;
  return {
    anybody: undefined,
    reporter: requireToken(mayReport(tokens, command_token), countRefusal),
    actor: requireActor(authority, requireToken(isOperator(tokens, command_token), countRefusal)),
    command: requireToken(authority.isOfHere, countRefusal),
    viewer: { onRequest: requireViewer(authority, 'consumer') },
    operator_viewer: { onRequest: requireViewer(authority, 'operator') },
    assistant: { onRequest: requireBearer(authority, 'consumer') },
    operator_assistant: { onRequest: requireBearer(authority, 'operator') },
  };
}

async function addRoutes(
  server: FastifyInstance,
  desk: RouteDesk,
  guards: Guards,
  connections: Connections,
): Promise<void> {
  const { is_public_secure } = desk;
  server.addHook('onRequest', async (_request, reply) => {
    reply.headers(is_public_secure ? { ...SECURITY_HEADERS, ...TRANSPORT_HEADER } : SECURITY_HEADERS);
  });
  server.addHook('onRequest', demandPath);
  server.addHook('preHandler', demandTexts);
  const add = (scope: FastifyInstance, { method, url, access, body_bytes_max, answer }: Route): void =>
    void scope.route({
      method,
      url,
      ...present({ bodyLimit: body_bytes_max }),
      ...guards[access],
      handler: (request, reply) => {
        const is_of_operator = access === 'actor' || viewerOf(request)?.reader === 'operator';
        if (access !== 'anybody') connections.keep(reply.raw, { is_of_operator });
        return answer({ desk, request, reply });
      },
    });
  for (const route of ROUTES) if (route.takes_form !== true) add(server, route);
  await server.register(async (forms) => {
    forms.addContentTypeParser(FORM_TYPE, { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
    for (const route of ROUTES) if (route.takes_form === true) add(forms, route);
  });
}

/** With an https public URL, browsers may use nothing else (HSTS). */
const TRANSPORT_HEADER = { 'strict-transport-security': 'max-age=31536000' };

/** Counts requests of each address. @returns a function that is true once there have been too many */
function countPerMinute(server: FastifyInstance, max: number): CountRefusal {
  const check = server.createRateLimit({ max, timeWindow: MINUTE_MS });
  return async (request) => {
    const limit = await check(request);
    return !limit.isAllowed && limit.isExceeded;
  };
}

function toPublicPlace(
  { public_url, issuer: named }: ServePlace,
  findUrl: () => string,
): Pick<RouteDesk, 'public_host' | 'is_public_secure' | 'issuer'> {
  const url = public_url === undefined ? undefined : new URL(public_url);
  // No header of a request says for whom a token is.
  const issuer = named === undefined ? undefined : openIssuer(named, () => `${public_url ?? findUrl()}/mcp`);
  return { public_host: url?.host, is_public_secure: url?.protocol === 'https:', issuer };
}

/** Where a browser of this machine reaches a server that listens everywhere. */
function toReachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** The same, refused where nothing can listen there. */
export async function listen(desk: HttpDesk, tokens: Tokens, place: ServePlace): Promise<Outcome<HttpServer>> {
  return unlessTaken(place, () => startServer(desk, tokens, place));
}

/** Tries to listen at a place, and stops at once. @returns the refusal that `listen` would give */
export function tryPlace(place: ServePlace): Promise<Outcome<unknown>> {
  return unlessTaken(place, async () => {
    const server = createHttpServer().listen(place);
    await once(server, 'listening');
    await new Promise((resume) => server.close(resume));
  });
}

async function unlessTaken<Value>(place: ServePlace, task: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return succeed(await task());
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    const { host, port } = place;
    return refuse(problem('PORT_TAKEN', { port, host, reason: error.message }, { details: { ...place } }));
  }
}

function urlOf({ address, port, family }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function createServer(connections: Connections, { onFault }: Pick<HttpDesk, 'onFault'>): FastifyInstance {
  const server = Fastify({
    serverFactory: (answer) => connections.limit(createHttpServer(HTTP_OPTIONS), answer),
    bodyLimit: REPORT_BYTES_MAX,
    return503OnClosing: false,
    routerOptions: { maxParamLength: ID_LENGTH_MAX },
    frameworkErrors: (error, _request, reply) =>
      void sendProblem(reply.headers(SECURITY_HEADERS), problem('REQUEST_MALFORMED', { reason: error.message })),
  });
  // The operation decides the answer; its faults become problems in one place.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser([ANSWER_TYPE, FAILURE_TYPE], { parseAs: 'buffer' }, (_request, bytes, done) =>
    done(null, bytes),
  );
  server.setErrorHandler<FastifyError>((error, request, reply) => {
    const { statusCode = 500 } = error;
    const { method, url } = request;
    if (statusCode >= 500) onFault?.({ method, path: url.replace(/\?.*$/, ''), error });
    return refuseViewer(request, reply, toProblem(statusCode, request), statusCode < 500 ? statusCode : undefined);
  });
  return server;
}

function toProblem(status: number, request: FastifyRequest): Problem {
  if (status === 413) return problem('BODY_TOO_LARGE');
  if (status === 415) return problem('BODY_NOT_JSON', { kind: 'other_type', types: typesOf(request) });
  if (status < 500) return problem('REQUEST_MALFORMED', { reason: 'it is not complete or not consistent' });
  // Details of a bug stay on the server.
  return problem('UNEXPECTED', { kind: 'hidden' });
}

function typesOf({ method, routeOptions }: FastifyRequest): readonly string[] {
  const route = ROUTES.find((one) => one.method === method && one.url === routeOptions.url);
  return Object.keys(route?.takes ?? { [ANSWER_TYPE]: {} });
}
