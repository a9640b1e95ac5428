import type { FastifyReply, FastifyRequest } from 'fastify';
import { malformed, saidTwice } from './malformed.js';
import { sendProblem } from './problem-document.js';
import { refuseViewer } from './viewer.js';

/** Refuses a malformed request target before anything else (RFC 9112, 3.2). */
export async function demandPath(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  if (!request.url.startsWith('/')) return sendProblem(reply, malformed('its target is no path'));
  const hosts = request.raw.headersDistinct['host']?.length ?? 0;
  if (hosts > 1) return sendProblem(reply, malformed('it names two hosts'));
  const isHostOptional = request.raw.httpVersion === '1.0';
  return hosts === 0 && !isHostOptional ? sendProblem(reply, malformed('it names no host')) : undefined;
}

/** Refuses an authorised request with a path that no resource can have, or with a repeated parameter. */
export async function demandTexts(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  if (!isDecodable(request.url)) return refuseViewer(request, reply, malformed('its query is not UTF-8'));
  const said = [request.params, request.query].flatMap((named) =>
    Object.entries(named as Readonly<Record<string, unknown>>),
  );
  const repeated = said.find(([, value]) => typeof value !== 'string');
  if (repeated !== undefined) return refuseViewer(request, reply, saidTwice(repeated[0]));
  // No text of a database holds it.
  const isForbidden = said.some(([, value]) => String(value).includes('\0'));
  return isForbidden ? refuseViewer(request, reply, malformed('it holds the character U+0000')) : undefined;
}

/** The router has decoded the path; it leaves what it cannot decode of a query as it is. */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}
