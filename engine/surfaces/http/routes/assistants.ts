import type { FastifyRequest } from 'fastify';
import { problem } from '../../../contract/problem.js';
import { REQUEST_BYTES_MAX } from '../../mcp/endpoint.js';
import type { Caller } from '../../mcp/offer.js';
import { actorOf } from '../actors.js';
import { bodyOf } from '../body.js';
import { isCommand, sendProblem } from '../problem-document.js';
import { METADATA_PATH, viewerOf } from '../viewer.js';
import type { Exchange, Route } from './route.js';

const SURFACES = [
  { url: '/mcp', access: 'assistant', summary: 'The Model Context Protocol, for consumers' },
  { url: '/operator-mcp', access: 'operator_assistant', summary: 'The Model Context Protocol, for operators' },
] as const;

const METHODS = {
  POST: 'a message, and its answer.',
  GET: 'the messages of a session, as server-sent events.',
  DELETE: 'ends a session.',
};

const A_MESSAGE = { 'application/json': { type: 'object' }, 'text/event-stream': { type: 'string' } };

/** The surfaces of assistants, and who issues the tokens of consumers (RFC 9728). */
export const ASSISTANT_ROUTES: readonly Route[] = [
  ...SURFACES.flatMap(({ url, access, summary }): readonly Route[] =>
    (['POST', 'GET', 'DELETE'] as const).map((method) => ({
      method,
      url,
      access,
      summary: `${summary}: ${METHODS[method]}`,
      body_bytes_max: REQUEST_BYTES_MAX,
      ...(method === 'POST' ? { takes: { 'application/json': { type: 'object' } } } : {}),
      answers: { 200: A_MESSAGE, 202: {} },
      answer: (exchange: Exchange) => answer(exchange, url),
    })),
  ),
  {
    method: 'GET',
    url: `${METADATA_PATH}/mcp`,
    access: 'anybody',
    summary: 'Who issues tokens for consumers, where the operator names somebody.',
    answers: { 200: { 'application/json': { type: 'object' } } },
    answer: async ({ desk: { issuer }, reply }) =>
      issuer === undefined
        ? sendProblem(reply, problem('NOTHING_HERE'))
        : { resource: issuer.resource(), authorization_servers: [issuer.url], bearer_methods_supported: ['header'] },
  },
];

/** The consumers' path offers the consumers' tools to every caller, to operators too. */
async function answer({ desk, request, reply }: Exchange, url: string): Promise<unknown> {
  const isOperator = url === '/operator-mcp' && viewerOf(request)?.reader === 'operator';
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  const leave = request.method === 'GET' ? desk.places.acquire(request.ip) : () => {};
  if (leave === undefined) return sendProblem(reply.header('retry-after', '60'), problem('READERS_TOO_MANY'));
  left.signal.addEventListener('abort', leave, { once: true });
  if (isTooDeep(bodyOf(request)))
    return sendProblem(reply, problem('BODY_NOT_JSON', { kind: 'unreadable', reason: TOO_DEEP }));
  const caller = { reader: isOperator ? 'operator' : 'consumer', ...whoIs(request) } as const;
  const response = await desk.endpoint.answer(toRequest(request, left.signal), caller, parse(bodyOf(request)));
  reply.send(response);
  // The first message of a stream may be long in coming, and its reader waits for the head.
  if (response.headers.get('content-type') === 'text/event-stream') setImmediate(() => reply.raw.flushHeaders());
  return reply;
}

/** Whose tasks and sessions are whose, and what the audit calls them: a command, a person that an issuer names, or a token. */
function whoIs(request: FastifyRequest): Pick<Caller, 'principal' | 'actor'> {
  const { reader = 'consumer', subject } = viewerOf(request) ?? {};
  const { acted_by, address } = actorOf(request);
  const actor = {
    acted_by: subject === undefined ? acted_by : `token of ${subject}`,
    address,
    surface: 'mcp',
  } as const;
  if (isCommand(request)) return { actor, principal: `the person ${acted_by}` };
  return { actor, principal: subject === undefined ? `the ${reader} of a token` : actor.acted_by };
}

/** How deep a message may be nested: documents are at most 64 deep, within their request. */
const DEPTH_MAX = 100;
const TOO_DEEP = `it is nested deeper than ${DEPTH_MAX} levels`;

/** The protocol refuses what is no JSON, and the tools what cannot be stored. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Whether brackets are nested deeper than a message needs: what reads it once more does so by recursion. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isText && byte === 0x5c) at += 1;
    else if (byte === 0x22) isText = !isText;
    else if (!isText && (byte === 0x5b || byte === 0x7b)) depth += 1;
    else if (!isText && (byte === 0x5d || byte === 0x7d)) depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

function toRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, String(value));
  // The token stays here.
  headers.delete('authorization');
  const bytes = bodyOf(request);
  const body = request.method === 'POST' ? { body: Buffer.from(bytes) } : {};
  return new Request(`http://localhost${request.url}`, { method: request.method, headers, signal, ...body });
}
