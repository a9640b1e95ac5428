import { ANSWER_TYPE, bodyOf, FAILURE_TYPE, readReport } from '../body.js';
import { sendRefused } from '../problem-document.js';
import { acknowledge, ACKNOWLEDGEMENT, type Route } from './route.js';

export const callback: Route = {
  method: 'POST',
  url: '/callbacks/:correlation_id',
  access: 'reporter',
  summary: 'Reports how a pending call ended: with its answer, or with a problem.',
  takes: { [ANSWER_TYPE]: {}, [FAILURE_TYPE]: { type: 'object' } },
  answers: { 200: ACKNOWLEDGEMENT, 202: ACKNOWLEDGEMENT },
  async answer({ desk, request, reply }) {
    const { correlation_id } = request.params as { readonly correlation_id: string };
    const report = readReport(request.headers['content-type'] ?? '', bodyOf(request));
    if (!report.ok) return sendRefused(reply, report);
    return acknowledge(reply, await desk.report(correlation_id, report.value));
  },
};
