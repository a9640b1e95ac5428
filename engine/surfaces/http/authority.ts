import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Problem } from '../../contract/problem.js';
import { callbackToken, isSame, type Tokens } from '../../operations/tokens.js';
import { sendProblem } from './problem-document.js';

/** Counts who knocks with the wrong key; true once that has been too often. */
export type CountRefusal = (request: FastifyRequest) => Promise<boolean>;

const UNAUTHORISED: Problem = {
  code: 'UNAUTHORISED',
  message: 'This needs a token that lets you in.',
  repair: 'Send Authorization: Bearer TOKEN; chukwa serve says where the tokens are.',
};

const TOO_OFTEN: Problem = {
  code: 'TOO_MANY_REQUESTS',
  message: 'Too many requests came from you without a token that lets you in.',
  repair: 'Wait a minute.',
};

/** Lets in whoever `allows` says; nobody's body is read before. */
export function requireToken(
  allows: (request: FastifyRequest) => boolean,
  countRefusal: CountRefusal,
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    if (allows(request)) return undefined;
    return refuse(reply, await countRefusal(request));
  };
}

function refuse(reply: FastifyReply, isTooOften: boolean): FastifyReply {
  // The rest of what is being sent is of no interest, and is not waited for.
  reply.header('connection', 'close');
  if (isTooOften) return sendProblem(reply.header('retry-after', '60'), 429, TOO_OFTEN);
  return sendProblem(reply.header('www-authenticate', 'Bearer'), 401, UNAUTHORISED);
}

/** The operator. */
export function isOperator(tokens: Tokens): (request: FastifyRequest) => boolean {
  return (request) => hasBearer(request, [tokens.operator_token]);
}

/** Whoever has a token, and whoever was handed the URL at which this one call is answered. */
export function mayReport(tokens: Tokens): (request: FastifyRequest) => boolean {
  return (request) => {
    if (hasBearer(request, [tokens.token, tokens.operator_token])) return true;
    const { correlation_id = '' } = request.params as { readonly correlation_id?: string };
    const { token } = request.query as { readonly token?: unknown };
    return typeof token === 'string' && isSame(token, callbackToken(tokens, correlation_id));
  };
}

function hasBearer({ headers }: FastifyRequest, tokens: readonly string[]): boolean {
  const given = /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
  return given !== undefined && tokens.some((token) => isSame(given, token));
}
