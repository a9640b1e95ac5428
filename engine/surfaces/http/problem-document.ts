import type { FastifyReply, FastifyRequest } from 'fastify';
import { problem, type Problem, type Refused } from '../../contract/problem.js';
import { PROBLEMS, type ProblemCode } from '../../contract/problems/index.js';
import { present } from '../../contract/present.js';
import { COMMAND_SCHEME } from '../../operations/serving/tokens.js';

/** A problem document (RFC 9457); `code` is stable, and the same as in the command line. */
interface ProblemDocument {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly repair: string;
  /** Where in what was sent, as a JSON Pointer. */
  readonly pointer?: string;
  readonly problems?: readonly Problem[];
}

export const PROBLEM_TYPE = 'application/problem+json';

const TITLES: Readonly<Record<number, string>> = {
  200: 'OK',
  202: 'Accepted',
  204: 'No Content',
  303: 'See Other',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

function toProblemDocument(problem: Problem, status: number = PROBLEMS[problem.code].status): ProblemDocument {
  const { code, message: detail, repair, pointer } = problem;
  return present({ type: 'about:blank', title: titleOf(status), status, code, detail, repair, pointer });
}

/** A command that goes through this server shows its answer at a terminal. */
export function isCommand({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.authorization?.startsWith(`${COMMAND_SCHEME} `) === true;
}

/** The problem for who has no terminal. */
function forPrograms(problem: Problem, { request }: FastifyReply): Problem {
  const { code, repair } = problem;
  const same = SAME_OVER_HTTP[code];
  if (same === undefined || isCommand(request) || !ENDS_WITH_COMMAND.test(repair)) return problem;
  return { ...problem, repair: `${repair.replace(/\.$/, '')}; over HTTP: ${same}.` };
}

const ENDS_WITH_COMMAND = /\bchukwa (world list|attempts?|run)\b[^.]*\.?$/;

/** What does over HTTP as much as the command that a repair ends with. */
const SAME_OVER_HTTP: Partial<Readonly<Record<ProblemCode, string>>> = {
  WORLD_UNKNOWN: 'GET /worlds',
  ATTEMPT_UNKNOWN: 'GET /worlds/SLUG/attempts',
  UNKNOWN_SOURCE_INVOCATION: 'GET /source-invocations',
  LLM_CALL_UNKNOWN: 'GET /llm-calls',
  CALL_UNKNOWN: 'GET /source-invocations',
  CALL_AMBIGUOUS: 'GET /source-invocations',
  CALL_NOT_AWAITED: 'GET /inbox',
  CALL_NOT_IN_DOUBT: 'GET /inbox',
  CALL_ALREADY_SETTLED: 'POST /worlds/SLUG/turns',
  SETTLED_TOO_LATE: 'GET /worlds/SLUG/attempts',
};

export function titleOf(status: number): string {
  return TITLES[status] ?? 'Error';
}

/** Answers with a problem. @param status where the HTTP server itself has decided on another than the catalogue's */
export function sendProblem(reply: FastifyReply, problem: Problem, status?: number): FastifyReply {
  return send(reply, toProblemDocument(forPrograms(problem, reply), status));
}

/** Answers with what an operation refused. */
export function sendRefused(reply: FastifyReply, refused: Pick<Refused, 'problems'>): FastifyReply {
  const { problems } = refused;
  const document = toProblemDocument(forPrograms(firstOf(refused), reply), statusOf(refused));
  return send(reply, { ...document, ...(problems.length > 1 ? { problems } : {}) });
}

export function firstOf({ problems: [first] }: Pick<Refused, 'problems'>): Problem {
  return first ?? problem('UNEXPECTED', { kind: 'hidden' });
}

/** The status of a response that carries what was refused. */
export function statusOf(refused: Pick<Refused, 'problems'>): number {
  return PROBLEMS[firstOf(refused).code].status;
}

function send(reply: FastifyReply, document: ProblemDocument): FastifyReply {
  return reply.code(document.status).type(PROBLEM_TYPE).send(JSON.stringify(document));
}
