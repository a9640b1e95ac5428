import type { FastifyReply } from 'fastify';
import type { Problem } from '../../contract/problem.js';
import type { Refused } from '../../operations/engine.js';

/** What went wrong, as RFC 9457 has it; `code` is stable, and the same as everywhere else. */
export interface ProblemDocument {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly repair?: string;
  /** Where there is more than one. */
  readonly problems?: readonly Problem[];
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** A problem as a document. */
export function toProblemDocument(status: number, { code, message, repair }: Problem): ProblemDocument {
  return {
    type: 'about:blank',
    title: TITLES[status] ?? 'Error',
    status,
    code,
    detail: message,
    ...(repair === undefined ? {} : { repair }),
  };
}

/** Answers with a problem. */
export function sendProblem(reply: FastifyReply, status: number, problem: Problem): FastifyReply {
  return reply
    .code(status)
    .type('application/problem+json')
    .send(JSON.stringify(toProblemDocument(status, problem)));
}

/** Answers with what an operation refused: what was asked for is at fault, or the surroundings are. */
export function sendRefused(reply: FastifyReply, { because, problems }: Refused): FastifyReply {
  const status = because === 'content' ? 422 : 503;
  const [first = { code: 'UNEXPECTED', message: 'Something went wrong.' }] = problems;
  const document = { ...toProblemDocument(status, first), ...(problems.length > 1 ? { problems } : {}) };
  return reply.code(status).type('application/problem+json').send(JSON.stringify(document));
}
