import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Problem } from '../../contract/problem.js';
import { PROBLEMS } from '../../contract/problems/index.js';
import { type Reader, renderProblem, renderSignIn } from '../browser/layout.js';
import { sendProblem, titleOf } from './problem-document.js';
import type { CountRefusal } from './authority.js';
import type { Sessions } from './sessions.js';

/** What a browser may do with a page: run this server's script alone, ask nobody else, send forms here alone, stand in no frame. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'private, no-cache',
  vary: 'accept, authorization, cookie',
};

const readers = new WeakMap<FastifyRequest, Reader>();

/** Who was let in. */
export function readerOf(request: FastifyRequest): Reader {
  return readers.get(request) ?? 'consumer';
}

/** Who is let in, and by what. */
export interface ViewerAuthority {
  readonly sessions: Sessions;
  readonly countRefusal: CountRefusal;
  /** The host of the URL at which the outside reaches this server. */
  readonly public_host: string | undefined;
}

/** Lets in readers by a bearer token or a session, and nobody by a name that this server does not have. */
export function requireViewer(authority: ViewerAuthority, least: Reader): onRequestAsyncHookHandler {
  return async (request, reply) => {
    reply.headers(HEADERS);
    if (!isOwnHost(request, authority.public_host)) return refuseViewer(request, reply, HOST_UNKNOWN);
    const reader = findReader(request, authority.sessions);
    if (reader === undefined) return refuseStranger(request, reply, authority.countRefusal);
    if (least === 'operator' && reader !== 'operator') return refuseViewer(request, reply, OPERATOR_ONLY);
    readers.set(request, reader);
    return undefined;
  };
}

function findReader(request: FastifyRequest, sessions: Sessions): Reader | undefined {
  const bearer = /^bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim();
  if (bearer !== undefined) return sessions.readerOf(bearer);
  const session = findCookie(request, cookieName(request));
  return session === undefined ? undefined : sessions.judge(session);
}

/** Cookies know no ports: two servers of one machine have each a name of their own. */
export function cookieName({ socket }: FastifyRequest): string {
  return `chukwa_session_${socket.localPort ?? 0}`;
}

function findCookie({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/**
 * Whether a request names this server. A page of another host can make a browser ask here by a name of its own; an address,
 * `localhost` and the public name are no such names.
 */
export function isOwnHost({ headers }: FastifyRequest, public_host: string | undefined): boolean {
  const host = headers.host ?? '';
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  // A URL has each address in its one form.
  const isAddress = /^(\d+\.\d+\.\d+\.\d+|\[.*\])$/.test(hostname);
  return isAddress || hostname === 'localhost' || hostname.endsWith('.localhost') || host === public_host;
}

/** Whether a form was sent from a page of this server: what a browser sends says so, and other programs send no cookie. */
export function isOwnOrigin({ headers }: FastifyRequest): boolean {
  const { origin, host } = headers;
  if (origin !== undefined) return URL.canParse(origin) && new URL(origin).host === host;
  return ['same-origin', 'none', undefined].includes(headers['sec-fetch-site']);
}

async function refuseStranger(request: FastifyRequest, reply: FastifyReply, countRefusal: CountRefusal) {
  const isGuess = request.headers.authorization !== undefined;
  if (isGuess && (await countRefusal(request)))
    return refuseViewer(request, reply.header('retry-after', '60'), TOO_OFTEN);
  if (!wantsHtml(request)) return sendProblem(reply.header('www-authenticate', 'Bearer'), UNAUTHORISED);
  return sendHtml(reply, 401, renderSignIn({ next: request.url }));
}

/** Answers with a problem: as a page for a browser, else as a document. @param status where it is not the catalogue's */
export function refuseViewer(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  status: number = PROBLEMS[problem.code].status,
): FastifyReply {
  if (!wantsHtml(request)) return sendProblem(reply, problem, status);
  return sendHtml(reply, status, renderProblem(problem, titleOf(status)));
}

/** Answers with a page. */
export function sendHtml(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.headers(HEADERS).code(status).type('text/html; charset=utf-8').send(page);
}

function wantsHtml({ headers, query }: FastifyRequest): boolean {
  const { format } = query as { readonly format?: unknown };
  return format === undefined && (headers.accept ?? '').includes('text/html');
}

export const UNAUTHORISED: Problem = {
  code: 'UNAUTHORISED',
  message: 'This needs a token that lets you in.',
  repair: 'Send Authorization: Bearer TOKEN, or sign in at /sign-in; chukwa serve says where the tokens are.',
};

export const TOO_OFTEN: Problem = {
  code: 'TOO_MANY_REQUESTS',
  message: 'Too many requests came from you without a token that lets you in.',
  repair: 'Wait a minute.',
};

export const HOST_UNKNOWN: Problem = {
  code: 'HOST_UNKNOWN',
  message: 'This server does not go by the name that the request gives it.',
  repair: 'Use its address, or set CHUKWA_PUBLIC_URL to the URL at which it is reached.',
};

const OPERATOR_ONLY: Problem = {
  code: 'OPERATOR_ONLY',
  message: 'This page is for operators: it shows what models and services were sent.',
  repair: 'Sign out, and sign in with the operator’s token.',
};
