import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../contract/problem.js';
import { hashOf, openProofJudge, type Proved } from '../../operations/proof.js';
import { callbackToken, isSame, type Tokens } from '../../operations/tokens.js';
import { bodyOf } from './body.js';
import { sendProblem } from './problem-document.js';

/** Counts wrong keys of an address; true once there have been too many. */
export type CountRefusal = (request: FastifyRequest) => Promise<boolean>;

const UNAUTHORISED: Problem = {
  code: 'UNAUTHORISED',
  message: 'This request needs a valid token.',
  repair: 'Send Authorization: Bearer TOKEN; chukwa serve says where the tokens are.',
};

export const TOO_OFTEN: Problem = {
  code: 'TOO_MANY_REQUESTS',
  message: 'Too many requests without a valid token came from your address.',
  repair: 'Wait a minute.',
};

/** The hooks of a route: authorise before a body is read, and check that the body is the proved one. */
export interface Guard {
  readonly onRequest: Hook;
  readonly preHandler: Hook;
}

/** @returns the reply where it has been sent */
type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>;

/** Admits the requests that `allows` accepts; a refused request's body is not read. */
export function requireToken(allows: Allows, countRefusal: CountRefusal): Guard {
  const proved = new WeakMap<FastifyRequest, Proved>();
  return {
    onRequest: async (request, reply) => {
      const allowed = allows(request);
      if (allowed === false) return refuse(reply, await countRefusal(request));
      if (allowed !== true) proved.set(request, allowed);
      return undefined;
    },
    preHandler: async (request, reply) => {
      const proof = proved.get(request);
      if (proof === undefined || proof.body_hash === hashOf(bodyOf(request))) return undefined;
      return refuse(reply, await countRefusal(request));
    },
  };
}

function refuse(reply: FastifyReply, isTooOften: boolean): FastifyReply {
  // The rest of a refused body is not read.
  reply.header('connection', 'close');
  if (isTooOften) return sendProblem(reply.header('retry-after', '60'), TOO_OFTEN);
  return sendProblem(reply.header('www-authenticate', 'Bearer'), UNAUTHORISED);
}

/** Whether a request is admitted, and the digest that a proof demands of its body. */
type Allows = (request: FastifyRequest) => boolean | Proved;

/** Admits the operator: by the token, or by a proof over this very request. */
export function isOperator(tokens: Tokens, judgeProof: Allows): Allows {
  return (request) => hasBearer(request, [tokens.operator_token]) || judgeProof(request);
}

/** Admits holders of a token or a proof, and holders of the callback URL of this one call. */
export function mayReport(tokens: Tokens, judgeProof: Allows): Allows {
  return (request) => {
    if (hasBearer(request, [tokens.token, tokens.operator_token])) return true;
    const { correlation_id = '' } = request.params as { readonly correlation_id?: string };
    const { token } = request.query as { readonly token?: unknown };
    if (typeof token === 'string') return isSame(token, callbackToken(tokens, correlation_id));
    return judgeProof(request);
  };
}

/** @param findServer the name by which this server is addressed */
export function judgeProofs(tokens: Tokens, findServer: () => string): Allows {
  const judge = openProofJudge(tokens);
  return ({ method, url: path, headers }) =>
    judge(headers.authorization ?? '', { method, path, server: findServer() }, Date.now()) ?? false;
}

function hasBearer(request: FastifyRequest, tokens: readonly string[]): boolean {
  const given = bearerOf(request);
  return given !== undefined && tokens.some((token) => isSame(given, token));
}

/** The token that a request names; undefined where it names none. */
export function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
}
