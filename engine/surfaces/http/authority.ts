import type { FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '../../contract/problem.js';
import { callbackToken, COMMAND_SCHEME, isSame, type Tokens } from '../../operations/serving/tokens.js';
import { sendProblem } from './problem-document.js';

/** Counts wrong keys of an address; true once there have been too many. */
export type CountRefusal = (request: FastifyRequest) => Promise<boolean>;

/** The hooks of a route: they authorise before a body is read, and judge a form that has been read. */
export interface Guard {
  readonly onRequest: Hook;
  readonly preHandler?: Hook;
}

/** @returns the reply where it has been sent */
type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** Admits the requests that `allows` accepts; a refused request's body is not read. */
export function requireToken(allows: Allows, countRefusal: CountRefusal): Guard {
  return {
    onRequest: async (request, reply) => (allows(request) ? undefined : refuse(reply, await countRefusal(request))),
  };
}

function refuse(reply: FastifyReply, isTooOften: boolean): FastifyReply {
  // The rest of a refused body is not read.
  reply.header('connection', 'close');
  if (isTooOften) return sendProblem(reply.header('retry-after', '60'), problem('TOO_MANY_REQUESTS'));
  return sendProblem(reply.header('www-authenticate', 'Bearer'), problem('UNAUTHORISED', { kind: 'missing' }));
}

type Allows = (request: FastifyRequest) => boolean;

/** Admits the operator by the token, and a command of this machine by that of this process. */
export function isOperator({ operator_token }: Tokens, command_token: string): Allows {
  const isOfHere = isCommandHere(command_token);
  return (request) => hasBearer(request, [operator_token]) || isOfHere(request);
}

/** Admits a command of this machine alone. */
export function isCommandHere(command_token: string): Allows {
  return (request) => isSame(commandTokenOf(request), command_token);
}

/** Admits holders of a token, commands of this machine, and holders of the callback URL of this one call. */
export function mayReport(tokens: Tokens, command_token: string): Allows {
  return (request) => {
    if (hasBearer(request, [tokens.token, tokens.operator_token])) return true;
    const { correlation_id = '' } = request.params as { readonly correlation_id?: string };
    const { token } = request.query as { readonly token?: unknown };
    if (typeof token === 'string') return isSame(token, callbackToken(tokens, correlation_id));
    return isSame(commandTokenOf(request), command_token);
  };
}

function commandTokenOf({ headers }: FastifyRequest): string {
  const [scheme, token = ''] = (headers.authorization ?? '').split(' ');
  return scheme === COMMAND_SCHEME ? token : '';
}

function hasBearer(request: FastifyRequest, tokens: readonly string[]): boolean {
  const given = bearerOf(request);
  return given !== undefined && tokens.some((token) => isSame(given, token));
}

/** The token that a request names; undefined where it names none. */
export function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
}
