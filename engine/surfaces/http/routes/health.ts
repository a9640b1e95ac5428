import { problem } from '../../../contract/problem.js';
import { sendProblem } from '../problem-document.js';
import type { Route } from './route.js';

const STATUS = {
  'application/json': { type: 'object', required: ['status'], properties: { status: { type: 'string' } } },
};

export const health: Route = {
  method: 'GET',
  url: '/healthz',
  access: 'anybody',
  summary: 'Whether the process answers.',
  answers: { 200: STATUS },
  answer: async () => ({ status: 'ok' }),
};

export const readiness: Route = {
  method: 'GET',
  url: '/readyz',
  access: 'anybody',
  summary: 'Whether the process and its database answer.',
  answers: { 200: STATUS },
  answer: async ({ desk, reply }) =>
    (await desk.isReady()) ? { status: 'ready' } : sendProblem(reply, problem('NOT_READY')),
};
