import type { FastifyReply, FastifyRequest } from 'fastify';
import { present } from '../../contract/present.js';
import { type Problem, problem } from '../../contract/problem.js';
import { PROBLEMS } from '../../contract/problems/index.js';
import { type Reader, renderProblem, renderSignIn } from '../browser/layout.js';
import { sendProblem, titleOf } from './problem-document.js';
import { bearerOf, type CountRefusal, type Guard } from './authority.js';
import type { Issuer } from './issuer.js';
import { COOKIE_SECONDS, type Session, type Sessions } from './sessions.js';

/**
 * The security headers of every answer: browsers run this server's scripts alone, load nothing from elsewhere, post
 * forms here alone, and show the page in no frame.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

const PAGE_HEADERS = { 'cache-control': 'private, no-cache', vary: 'accept, authorization, cookie' };

/** The reader of a page; with a session, the token of its forms. */
interface Viewer {
  readonly reader: Reader;
  readonly form_token?: string;
  /** Whose a token of an issuer is. */
  readonly subject?: string;
}

const viewers = new WeakMap<FastifyRequest, Viewer>();
const viewing = new WeakMap<FastifyRequest, Session>();

/** The role of a request's reader; undefined where there is none. */
export function viewerOf(request: FastifyRequest): Viewer | undefined {
  return viewers.get(request);
}

/** The session that admitted a request; undefined where a token did, or nothing has. */
export function sessionOf(request: FastifyRequest): Session | undefined {
  return viewing.get(request);
}

export interface ViewerAuthority {
  readonly sessions: Sessions;
  readonly countRefusal: CountRefusal;
  /** The host of the URL at which the outside reaches this server. */
  readonly public_host: string | undefined;
  /** Whether the outside reaches this server by https. */
  readonly is_public_secure: boolean;
  /** Whether a command of this machine asks, which reads as its operator does. */
  readonly isOfHere: (request: FastifyRequest) => boolean;
  /** Who issues tokens for assistants; undefined where the operator alone hands them out. */
  readonly issuer: Issuer | undefined;
}

/** Admits readers by a bearer token or a session, and only under a host name of this server. */
export function requireViewer(authority: ViewerAuthority, least: Reader): Guard['onRequest'] {
  return async (request, reply) => {
    if (!isOwnHost(request, authority.public_host)) return refuseViewer(request, reply, problem('HOST_UNKNOWN'));
    const reader = findReader(request, reply, authority);
    if (reader === undefined) return refuseStranger(request, reply, authority.countRefusal);
    if (least === 'operator' && reader !== 'operator') return refuseViewer(request, reply, problem('OPERATOR_ONLY'));
    return undefined;
  };
}

/**
 * Admits assistants by a bearer token, or as a command of this machine: no cookie speaks for one. Where the operator names
 * who issues tokens, those open the consumers' surface, and the refusal says where that is told.
 */
export function requireBearer(authority: ViewerAuthority, least: Reader): Guard['onRequest'] {
  return async (request, reply) => {
    const { public_host, sessions, countRefusal, isOfHere } = authority;
    const issuer = least === 'consumer' ? authority.issuer : undefined;
    if (!isOwnHost(request, public_host)) return sendProblem(reply, problem('HOST_UNKNOWN'));
    if (!isOwnOrigin(request)) return sendProblem(reply, problem('ORIGIN_UNKNOWN'));
    const token = bearerOf(request) ?? '';
    const reader = isOfHere(request) ? 'operator' : sessions.readerOf(token);
    const subject = reader === undefined ? await issuer?.findSubject(token) : undefined;
    if (reader === undefined && subject === undefined) {
      // The rest of a refused body is not read.
      reply.header('connection', 'close');
      if (request.headers.authorization !== undefined && (await countRefusal(request)))
        return sendProblem(reply.header('retry-after', '60'), problem('TOO_MANY_REQUESTS'));
      const place = issuer?.resource().replace(/\/mcp$/, `${METADATA_PATH}/mcp`);
      const told = [
        ...(token === '' ? [] : ['error="invalid_token"']),
        ...(place ? [`resource_metadata="${place}"`] : []),
      ];
      return sendProblem(
        reply.header('www-authenticate', `Bearer ${told.join(', ')}`.trim()),
        problem('UNAUTHORISED', { kind: 'missing' }),
      );
    }
    if (least === 'operator' && reader !== 'operator') return sendProblem(reply, problem('OPERATOR_ONLY'));
    viewers.set(request, { reader: reader ?? 'consumer', ...present({ subject }) });
    return undefined;
  };
}

/** Where the metadata of a protected resource are (RFC 9728), before the path of the resource. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Finds the reader of a request, and renews the session. @returns undefined for a stranger */
export function findReader(
  request: FastifyRequest,
  reply: FastifyReply,
  authority: ViewerAuthority,
): Reader | undefined {
  const { sessions } = authority;
  const bearer = bearerOf(request);
  const session = findSession(request, sessions);
  if (session !== undefined) {
    const renewed = sessions.renew(session);
    if (renewed !== undefined) setSession(authority, request, reply, renewed);
    viewedBy(request, sessions, renewed ?? session);
    return session.reader;
  }
  const byToken = bearer === undefined ? undefined : sessions.readerOf(bearer);
  const reader = authority.isOfHere(request) ? 'operator' : byToken;
  if (reader !== undefined) viewers.set(request, { reader });
  return reader;
}

/** Remembers whose session a request belongs to. */
export function viewedBy(request: FastifyRequest, sessions: Sessions, session: Session): void {
  viewing.set(request, session);
  viewers.set(request, { reader: session.reader, form_token: sessions.formToken(session) });
}

/** The session of a request; none where it names a token. */
export function findSession(request: FastifyRequest, sessions: Sessions): Session | undefined {
  if (request.headers.authorization !== undefined) return undefined;
  const cookie = findCookie(request, cookieName(request));
  return cookie === undefined ? undefined : sessions.judge(cookie);
}

const COOKIE = 'Path=/; HttpOnly; SameSite=Strict';

/** Hands out the cookie of a session. */
export function setSession(
  authority: ViewerAuthority,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session,
): void {
  const isSecure = authority.is_public_secure && request.headers.host === authority.public_host;
  const cookie = `${cookieName(request)}=${authority.sessions.seal(session)}; ${COOKIE}; Max-Age=${COOKIE_SECONDS}`;
  reply.header('set-cookie', isSecure ? `${cookie}; Secure` : cookie);
}

/** Ends the session of a browser, if it has one. */
export function endSession({ sessions }: ViewerAuthority, request: FastifyRequest): void {
  const session = findSession(request, sessions);
  if (session !== undefined) sessions.end(session);
}

/** Deletes the cookie of a browser. */
export function forgetSession(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', `${cookieName(request)}=; ${COOKIE}; Max-Age=0`);
}

/** The cookie's name has the port, because cookies are shared by all ports of a host. */
function cookieName({ socket }: FastifyRequest): string {
  return `chukwa_session_${socket.localPort ?? 0}`;
}

function findCookie({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/**
 * Whether a request names this server by its host. A page of another host can resolve its own name to this address (DNS
 * rebinding); an address, `localhost` and the public name cannot be used so.
 */
export function isOwnHost({ headers }: FastifyRequest, public_host: string | undefined): boolean {
  const host = headers.host ?? '';
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  // A URL has each address in its one form.
  const isAddress = /^(\d+\.\d+\.\d+\.\d+|\[.*\])$/.test(hostname);
  return isAddress || hostname === 'localhost' || hostname.endsWith('.localhost') || host === public_host;
}

/** Whether a page of this server sent a form: browsers say so, and other programs send no cookie. */
export function isOwnOrigin({ headers }: FastifyRequest): boolean {
  const { origin, host } = headers;
  if (origin !== undefined) return URL.canParse(origin) && new URL(origin).host === host;
  return ['same-origin', 'none', undefined].includes(headers['sec-fetch-site']);
}

/** Refuses requests without a token or a session; a browser gets the sign-in page. */
export async function refuseStranger(
  request: FastifyRequest,
  reply: FastifyReply,
  countRefusal: CountRefusal,
): Promise<FastifyReply> {
  const isGuess = request.headers.authorization !== undefined;
  if (isGuess && (await countRefusal(request)))
    return refuseViewer(request, reply.header('retry-after', '60'), problem('TOO_MANY_REQUESTS'));
  if (!wantsPage(request))
    return sendProblem(reply.header('www-authenticate', 'Bearer'), problem('UNAUTHORISED', { kind: 'missing' }));
  return sendHtml(reply, 401, renderSignIn({ next: request.method === 'POST' ? '/' : request.url }));
}

/** Answers with a problem: as a page for a browser, else as a document. @param status where it is not the catalogue's */
export function refuseViewer(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  status: number = PROBLEMS[problem.code].status,
): FastifyReply {
  if (!wantsPage(request)) return sendProblem(reply, problem, status);
  const place = { path: request.url, ...viewerOf(request) };
  return sendHtml(reply, status, renderProblem(problem, titleOf(status), place));
}

/** Answers with a page. */
export function sendHtml(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.headers(PAGE_HEADERS).code(status).type('text/html; charset=utf-8').send(page);
}

/** Answers a program with what a page shows. */
export function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.headers(PAGE_HEADERS).type('application/json; charset=utf-8').send(JSON.stringify(value));
}

/** Whether a program accepts JSON, and no page. */
export function wantsJson({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.includes('application/json') && !accept.includes('text/html');
}

/** Whether a browser asks. */
export function wantsPage({ headers, query }: FastifyRequest): boolean {
  const { format } = query as { readonly format?: unknown };
  return format === undefined && (headers.accept ?? '').includes('text/html');
}
