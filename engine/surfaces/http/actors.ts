import type { FastifyRequest } from 'fastify';
import { problem } from '../../contract/problem.js';
import type { Actor } from '../../operations/people/audit.js';
import { bearerOf, type Guard } from './authority.js';
import { bodyOf, isForm, readForm } from './body.js';
import { firstOf, isCommand, sendProblem } from './problem-document.js';
import {
  findSession,
  isOwnHost,
  isOwnOrigin,
  refuseStranger,
  refuseViewer,
  sessionOf,
  viewedBy,
  type ViewerAuthority,
  wantsPage,
} from './viewer.js';
import { USER_HEADER } from '../../operations/serving/served.js';
import { isSame } from '../../operations/serving/tokens.js';

/** How many characters of a session's name the audit keeps. */
const NAME_LENGTH = 8;

/** How many characters of a user's name it keeps. */
const USER_LENGTH = 64;

/** The actor of a request: a session by the beginning of its name, a command by its user, else the holder of the token. */
export function actorOf(request: FastifyRequest): Omit<Actor, 'reason'> {
  const session = sessionOf(request);
  const { ip: address, headers } = request;
  if (session !== undefined)
    return { acted_by: `session ${session.name.slice(0, NAME_LENGTH)}`, address, surface: 'browser' };
  if (!isCommand(request)) return { acted_by: 'token', address, surface: 'http' };
  const user = String(headers[USER_HEADER] ?? 'command').slice(0, USER_LENGTH);
  return { acted_by: user, address, surface: 'command_line' };
}

/**
 * Admits operators who act: programs by a token, browsers by their session. A session's request must be a
 * form of one of its own pages: from this origin, with the form token of the session.
 */
export function requireActor(authority: ViewerAuthority, byToken: Guard): Guard {
  return {
    async onRequest(request, reply) {
      const session = findSession(request, authority.sessions);
      if (session === undefined) {
        if (wantsPage(request) && request.headers.authorization === undefined)
          return refuseStranger(request, reply, authority.countRefusal);
        const isConsumer = authority.sessions.readerOf(bearerOf(request) ?? '') === 'consumer';
        // The rest of a refused body is not read.
        if (isConsumer) return sendProblem(reply.header('connection', 'close'), problem('OPERATOR_ONLY'));
        return byToken.onRequest(request, reply);
      }
      viewedBy(request, authority.sessions, session);
      if (!isOwnHost(request, authority.public_host)) return refuseViewer(request, reply, problem('HOST_UNKNOWN'));
      if (session.reader !== 'operator') return refuseViewer(request, reply, problem('OPERATOR_ONLY'));
      if (!isOwnOrigin(request)) return refuseViewer(request, reply, problem('ORIGIN_UNKNOWN'));
      return undefined;
    },
    async preHandler(request, reply) {
      if (sessionOf(request) === undefined) return undefined;
      // It may have ended while the body was on its way.
      const session = findSession(request, authority.sessions);
      if (session === undefined) return refuseStranger(request, reply, authority.countRefusal);
      if (!isForm(request)) return refuseViewer(request, reply, problem('FORM_FOREIGN'));
      const form = readForm(bodyOf(request));
      if (!form.ok) return refuseViewer(request, reply, firstOf(form));
      const given = form.value.get('form_token') ?? '';
      return isSame(given, authority.sessions.formToken(session))
        ? undefined
        : refuseViewer(request, reply, problem('FORM_FOREIGN'));
    },
  };
}
