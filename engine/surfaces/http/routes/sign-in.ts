import type { FastifyReply } from 'fastify';
import { problem } from '../../../contract/problem.js';
import { type Reader, renderSignIn } from '../../browser/layout.js';
import { bodyOf, readForm } from '../body.js';
import { firstOf } from '../problem-document.js';
import { endSession, forgetSession, isOwnHost, isOwnOrigin, refuseViewer, sendHtml, setSession } from '../viewer.js';
import { A_PAGE, type Exchange, type Route, TEXT } from './route.js';

const FORM_BYTES_MAX = 8_192;

export const signInPage: Route = {
  method: 'GET',
  url: '/sign-in',
  access: 'anybody',
  summary: 'The page that asks for a token; with a ticket, it signs in.',
  answers: { 200: A_PAGE, 303: {}, 401: A_PAGE, 429: A_PAGE },
  async answer({ desk, request, reply }) {
    const { ticket, next } = request.query as { readonly ticket?: unknown; readonly next?: unknown };
    if (!isOwnHost(request, desk.public_host)) return refuseViewer(request, reply, problem('HOST_UNKNOWN'));
    // Only GET uses a ticket up: programs that preview links send HEAD.
    const asks = typeof ticket !== 'string' || request.method === 'HEAD';
    if (asks) return sendHtml(reply, 200, renderSignIn({ next: toOwnPath(next) }));
    if (await desk.countSignIn(request)) return refuseHaste(reply, '/');
    const reader = desk.sessions.redeem(ticket);
    if (reader !== undefined) return enter({ desk, request, reply }, reader, '/');
    return sendHtml(reply, 401, renderSignIn({ next: '/', problem: problem('TICKET_USED') }));
  },
};

export const signIn: Route = {
  method: 'POST',
  url: '/sign-in',
  access: 'anybody',
  summary: 'Signs in by a token.',
  takes_form: true,
  body_bytes_max: FORM_BYTES_MAX,
  takes: { 'application/x-www-form-urlencoded': { type: 'object', properties: { token: TEXT, next: TEXT } } },
  answers: { 303: {}, 401: A_PAGE, 429: A_PAGE },
  async answer({ desk, request, reply }) {
    if (!isOwnHost(request, desk.public_host)) return refuseViewer(request, reply, problem('HOST_UNKNOWN'));
    if (!isOwnOrigin(request)) return refuseViewer(request, reply, problem('ORIGIN_UNKNOWN'));
    const form = readForm(bodyOf(request));
    if (!form.ok) return refuseViewer(request, reply, firstOf(form));
    const next = toOwnPath(form.value.get('next'));
    // A right token is refused as well: else the limit would not slow guessing.
    if (await desk.countSignIn(request)) return refuseHaste(reply, next);
    const reader = desk.sessions.readerOf((form.value.get('token') ?? '').trim());
    if (reader !== undefined) return enter({ desk, request, reply }, reader, next);
    return sendHtml(reply, 401, renderSignIn({ next, problem: problem('UNAUTHORISED', { kind: 'wrong' }) }));
  },
};

export const signOut: Route = {
  method: 'POST',
  url: '/sign-out',
  access: 'anybody',
  summary: 'Ends the session of a browser.',
  takes_form: true,
  body_bytes_max: FORM_BYTES_MAX,
  answers: { 303: {} },
  async answer({ desk, request, reply }) {
    if (!isOwnOrigin(request)) return refuseViewer(request, reply, problem('ORIGIN_UNKNOWN'));
    endSession(desk, request);
    forgetSession(request, reply);
    return reply.redirect('/sign-in', 303);
  },
};

function enter({ desk, request, reply }: Exchange, reader: Reader, next: string): FastifyReply {
  // The cookie of the previous session is overwritten, so that session has to end: nobody could sign out of it.
  endSession(desk, request);
  setSession(desk, request, reply, desk.sessions.open(reader));
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(next, 303);
}

function refuseHaste(reply: FastifyReply, next: string): FastifyReply {
  return sendHtml(
    reply.header('retry-after', '60'),
    429,
    renderSignIn({ next, problem: problem('TOO_MANY_REQUESTS') }),
  );
}

/** A path of this server, and of no other. */
function toOwnPath(path: unknown): string {
  return typeof path === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) && !path.startsWith('/sign-') ? path : '/';
}
