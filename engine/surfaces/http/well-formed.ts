import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../contract/problem.js';
import { malformed, saidTwice } from './malformed.js';
import { sendProblem } from './problem-document.js';
import { refuseViewer } from './viewer.js';

/** A proxy in front may have gone by the other one of two. */
const SINGLE_HEADERS = ['host', 'authorization', 'content-type', 'content-encoding'];

/** A name, or an address in brackets, and a port (RFC 9110, 7.2): no user, and no path. */
const HOST = /^([\w.-]*|\[[\da-f:.]+\])(:\d*)?$/i;

/** Refuses a malformed or ambiguous head before anything else (RFC 9112, 3.2), and a body that is encoded. */
export async function demandHead(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  const reason = findFault(request);
  if (reason !== undefined) return sendProblem(reply, malformed(reason));
  const coding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  return coding === 'identity' ? undefined : sendProblem(reply.header('accept-encoding', 'identity'), ENCODED, 415);
}

function findFault({ url, headers, raw }: FastifyRequest): string | undefined {
  if (!url.startsWith('/')) return 'its target is not a path';
  const repeated = SINGLE_HEADERS.find((name) => (raw.headersDistinct[name]?.length ?? 0) > 1);
  if (repeated !== undefined) return `it has two headers ${repeated}`;
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked')
    return 'its body is not sent in chunks alone';
  const isHostOptional = raw.httpVersion === '1.0';
  if (headers.host === undefined) return isHostOptional ? undefined : 'it names no host';
  return HOST.test(headers.host) ? undefined : 'its host is neither a name nor an address';
}

const ENCODED: Problem = {
  code: 'BODY_NOT_JSON',
  message: 'The body is encoded, and the server accepts none of its encodings.',
  repair: 'Send it unencoded, without Content-Encoding.',
};

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

/** The router has decoded the path; it leaves undecodable parts of a query as they are. */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}
