import type { FastifyReply } from 'fastify';
import type { Problem } from '../../contract/problem.js';
import { PROBLEMS, type ProblemCode } from '../../contract/problems/index.js';
import { present } from '../../contract/present.js';
import type { Refused } from '../../operations/engine.js';

/** A problem document (RFC 9457); `code` is stable, and the same as in the command line. */
interface ProblemDocument {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly repair?: string;
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
  408: 'Request Timeout',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** A problem as a document. */
export function toProblemDocument(
  { code, message, repair, pointer }: Problem,
  status: number = PROBLEMS[code].status,
): ProblemDocument {
  return present({ type: 'about:blank', title: titleOf(status), status, code, detail: message, repair, pointer });
}

/** The name of a status. */
export function titleOf(status: number): string {
  return TITLES[status] ?? 'Error';
}

/** Answers with a problem. @param status where the HTTP server itself has decided on another than the catalogue's */
export function sendProblem(reply: FastifyReply, problem: Problem, status?: number): FastifyReply {
  return send(reply, toProblemDocument(problem, status));
}

/** Answers with what an operation refused. */
export function sendRefused(reply: FastifyReply, refused: Pick<Refused, 'problems'>): FastifyReply {
  const { problems } = refused;
  const document = toProblemDocument(firstOf(refused), statusOf(refused));
  return send(reply, { ...document, ...(problems.length > 1 ? { problems } : {}) });
}

/** The first of what was refused. */
export function firstOf({ problems: [first] }: Pick<Refused, 'problems'>): Problem {
  return first ?? { code: 'UNEXPECTED', message: 'Something went wrong.' };
}

/** The status of a response that carries what was refused. */
export function statusOf(refused: Pick<Refused, 'problems'>): number {
  return PROBLEMS[firstOf(refused).code].status;
}

function send(reply: FastifyReply, document: ProblemDocument): FastifyReply {
  return reply.code(document.status).type(PROBLEM_TYPE).send(JSON.stringify(document));
}
