import type { FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '../../contract/problem.js';
import type { Malformed } from '../../contract/problems/http.js';
import { sendProblem } from './problem-document.js';
import { refuseViewer } from './viewer.js';

/** Refuses a target that is no path, which the router would take for one. What else a head may be is Node.js' affair. */
export async function demandPath({ url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  return url.startsWith('/')
    ? undefined
    : sendProblem(reply, problem('REQUEST_MALFORMED', { reason: 'its target is not a path' }));
}

/** Refuses an authorised request with a path that no resource can have, or with a repeated parameter. */
export async function demandTexts(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  const refuse = (said: Malformed): FastifyReply => refuseViewer(request, reply, problem('REQUEST_MALFORMED', said));
  if (!isDecodable(request.url)) return refuse({ reason: 'its query is not UTF-8' });
  const said = [request.params, request.query].flatMap((named) =>
    Object.entries(named as Readonly<Record<string, unknown>>),
  );
  const repeated = said.find(([, value]) => typeof value !== 'string');
  if (repeated !== undefined) return refuse({ said_twice: repeated[0] });
  // No text of a database holds it.
  const isForbidden = said.some(([, value]) => String(value).includes('\0'));
  return isForbidden ? refuse({ reason: 'it holds the character U+0000' }) : undefined;
}

/** The router has decoded the path; it leaves undecodable parts of a query as they are. */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}
