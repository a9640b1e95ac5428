import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../../contract/problem.js';
import { type Reader, renderSignIn } from '../../browser/layout.js';
import { LIVE_SCRIPT } from '../../browser/live-script.js';
import { STYLE } from '../../browser/style/index.js';
import { bodyOf } from '../authority.js';
import { SESSION_SECONDS } from '../sessions.js';
import { cookieName, HOST_UNKNOWN, isOwnHost, isOwnOrigin, refuseViewer, sendHtml, TOO_OFTEN } from '../viewer.js';
import type { Route, RouteDesk } from './route.js';

/** The page that asks for a token; with a ticket, it signs in. */
export const signInPage: Route = {
  method: 'GET',
  url: '/sign-in',
  access: 'anybody',
  schema: {},
  async answer(desk, request, reply) {
    const { ticket, next } = request.query as { readonly ticket?: unknown; readonly next?: unknown };
    if (!isOwnHost(request, desk.public_host)) return refuseViewer(request, reply, HOST_UNKNOWN);
    if (typeof ticket !== 'string') return sendHtml(reply, 200, renderSignIn({ next: toOwnPath(next) }));
    const reader = desk.sessions.redeem(ticket);
    if (reader !== undefined) return enter(desk, request, reply, { reader, next: '/' });
    return sendHtml(reply, 401, renderSignIn({ next: '/', problem: TICKET_USED }));
  },
};

/** Signs in by a token. */
export const signIn: Route = {
  method: 'POST',
  url: '/sign-in',
  access: 'anybody',
  takes_form: true,
  schema: {},
  async answer(desk, request, reply) {
    if (!isOwnHost(request, desk.public_host)) return refuseViewer(request, reply, HOST_UNKNOWN);
    if (!isOwnOrigin(request)) return refuseViewer(request, reply, ORIGIN_UNKNOWN);
    const form = new URLSearchParams(Buffer.from(bodyOf(request)).toString('utf8'));
    const next = toOwnPath(form.get('next'));
    const reader = desk.sessions.readerOf((form.get('token') ?? '').trim());
    if (reader !== undefined) return enter(desk, request, reply, { reader, next });
    const isTooOften = await desk.countRefusal(request);
    const problem = isTooOften ? TOO_OFTEN : TOKEN_WRONG;
    return sendHtml(reply, isTooOften ? 429 : 401, renderSignIn({ next, problem }));
  },
};

/** Ends the session of this browser. */
export const signOut: Route = {
  method: 'POST',
  url: '/sign-out',
  access: 'anybody',
  takes_form: true,
  schema: {},
  async answer(_desk, request, reply) {
    if (!isOwnOrigin(request)) return refuseViewer(request, reply, ORIGIN_UNKNOWN);
    return reply.header('set-cookie', `${cookieName(request)}=; ${COOKIE}; Max-Age=0`).redirect('/sign-in', 303);
  },
};

/** The stylesheet of all pages. */
export const style: Route = {
  method: 'GET',
  url: '/style.css',
  access: 'anybody',
  schema: {},
  answer: async (_desk, _request, reply) => sendFile(reply, 'text/css', STYLE),
};

/** The script of pages that grow. */
export const liveScript: Route = {
  method: 'GET',
  url: '/live.js',
  access: 'anybody',
  schema: {},
  answer: async (_desk, _request, reply) => sendFile(reply, 'text/javascript', LIVE_SCRIPT),
};

/** What a page names with its digest never changes. */
function sendFile(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply
    .type(`${type}; charset=utf-8`)
    .headers({ 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' })
    .send(text);
}

const COOKIE = 'Path=/; HttpOnly; SameSite=Strict';

interface Entry {
  readonly reader: Reader;
  readonly next: string;
}

function enter(desk: RouteDesk, request: FastifyRequest, reply: FastifyReply, { reader, next }: Entry): FastifyReply {
  const isSecure = desk.is_public_secure && request.headers.host === desk.public_host;
  const cookie = `${cookieName(request)}=${desk.sessions.open(reader)}; ${COOKIE}; Max-Age=${SESSION_SECONDS}`;
  return reply
    .header('set-cookie', isSecure ? `${cookie}; Secure` : cookie)
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .redirect(next, 303);
}

/** A path of this server, and of no other. */
function toOwnPath(path: unknown): string {
  return typeof path === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.startsWith('/sign-') ? path : '/';
}

const TICKET_USED: Problem = {
  code: 'TICKET_USED',
  message: 'This link has been used, or is older than ten minutes. Sign in with a token.',
};

const TOKEN_WRONG: Problem = { code: 'UNAUTHORISED', message: 'That is no token of this server.' };

const ORIGIN_UNKNOWN: Problem = {
  code: 'ORIGIN_UNKNOWN',
  message: 'The form was sent from a page of another host.',
  repair: 'Open the page here, and send it again.',
};
