import type { FastifyReply } from 'fastify';
import { problem } from '../../../contract/problem.js';
import { STREAM_FORMATS, type StreamFormat } from '../../../core/stream/frames.js';
import type { StreamRequest } from '../../../operations/stream/streams.js';
import type { Track } from '../../../operations/stream/track.js';
import { EVENT_STREAM, openEventStream } from '../event-stream.js';
import { firstOf, sendProblem, statusOf } from '../problem-document.js';
import { sessionOf, viewerOf } from '../viewer.js';
import { type Exchange, type Route, TEXT } from './route.js';

interface EventRoute extends Pick<Route, 'url' | 'summary'> {
  readonly track: (parameters: Readonly<Record<string, string>>) => Track;
}

const TRACKS: readonly EventRoute[] = [
  {
    url: '/attempts/:attempt_id/events',
    summary: 'The events of an attempt, as server-sent events.',
    track: ({ attempt_id = '' }) => ({ kind: 'attempt', attempt_id }),
  },
  {
    url: '/worlds/:world_slug/events',
    summary: 'The events of a world, attempt after attempt, as server-sent events.',
    track: ({ world_slug = '' }) => ({ kind: 'world', world_slug }),
  },
];

/** The events of an attempt from its beginning to its end, and those of a world, attempt after attempt. */
export const EVENT_ROUTES: readonly Route[] = TRACKS.map(({ url, summary, track }) => ({
  method: 'GET',
  url,
  access: 'viewer',
  summary,
  query: ['format', 'since'],
  answers: { 200: { [EVENT_STREAM]: TEXT }, 204: {} },
  answer: (exchange) => answerEvents(track(exchange.request.params as Readonly<Record<string, string>>), exchange),
}));

/** The headers that clients of each format expect. */
const FORMAT_HEADERS: Readonly<Record<StreamFormat, Readonly<Record<string, string>>>> = {
  'ag-ui': {},
  'ai-sdk': { 'x-vercel-ai-ui-message-stream': 'v1' },
};

async function answerEvents(track: Track, { desk, request, reply }: Exchange): Promise<FastifyReply> {
  const { format = 'ag-ui', since = 'start' } = request.query as {
    readonly format?: unknown;
    readonly since?: unknown;
  };
  if (!isFormat(format)) return sendProblem(reply, problem('FORMAT_UNKNOWN', { of: 'stream' }));
  if (since !== 'start' && since !== 'now')
    return sendProblem(reply, problem('REQUEST_MALFORMED', { parameter: 'since', values: ['start', 'now'] }));
  const last_event_id = request.headers['last-event-id'];
  const asked: StreamRequest = {
    track,
    view: { format, reader: viewerOf(request)?.reader ?? 'consumer' },
    ...(typeof last_event_id === 'string' && last_event_id !== '' ? { last_event_id } : {}),
    from_now: since === 'now',
  };
  if (request.method === 'HEAD') {
    const found = await desk.streams.find(asked);
    return found.ok ? reply.type(EVENT_STREAM).send() : sendProblem(reply, firstOf(found), statusOf(found));
  }
  const leave = desk.places.acquire(request.ip);
  if (leave === undefined) return sendProblem(reply.header('retry-after', '60'), problem('READERS_TOO_MANY'));
  const stream = openEventStream(request, reply, FORMAT_HEADERS[format]);
  stream.left.addEventListener('abort', leave, { once: true });
  const session = sessionOf(request);
  if (session !== undefined)
    stream.left.addEventListener('abort', desk.sessions.onEnd(session, stream.cut), { once: true });
  const followed = await desk.streams.follow(asked, stream).catch((bug: unknown) => {
    // Nothing else ends a hijacked response.
    stream.end();
    throw bug;
  });
  if (stream.has_begun()) {
    if (!followed.ok || followed.value.is_over) stream.end();
    return reply;
  }
  if (stream.left.aborted)
    return sendProblem(reply.header('www-authenticate', 'Bearer'), problem('UNAUTHORISED', { kind: 'missing' }));
  // A client that has had all events must not reconnect.
  return followed.ok ? reply.code(204).send() : sendProblem(reply, firstOf(followed), statusOf(followed));
}

function isFormat(format: unknown): format is StreamFormat {
  return STREAM_FORMATS.some((known) => known === format);
}
