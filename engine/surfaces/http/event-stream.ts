import type { FastifyReply, FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { StreamSink } from '../../operations/stream/streams.js';

/** How many may read streams. Less than may be connected, so that pages, callbacks and health stay within reach. */
interface StreamLimits {
  readonly all: number;
  readonly per_address: number;
}

export const STREAM_LIMITS: StreamLimits = { all: 800, per_address: 150 };

/** The backpressure limits: unread bytes of live events, and the time without reading stored ones. */
const UNREAD_BYTES_MAX = 1_048_576;
const STALLED_MS = 30_000;
/** How long a reader that is given up may take for what is on its way. */
const CUT_MS = 500;
/** Proxies may cut a connection that is silent for longer. */
const HEARTBEAT_MS = 15_000;
/** The age at which a stream ends, so that the client is authorised again: a token may have changed. */
const STREAM_MS_MAX = 3_600_000;
const COME_BACK_MS = 1_000;

export type StreamPlaces = ReturnType<typeof openStreamPlaces>;

/** Counts the readers of streams: the places of a server, all free. */
export function openStreamPlaces(limits: StreamLimits) {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** @returns what gives the place back; undefined where all are taken */
    acquire(address: string): (() => void) | undefined {
      const own = taken.get(address) ?? 0;
      if (all >= limits.all || own >= limits.per_address) return undefined;
      taken.set(address, own + 1);
      all += 1;
      return () => {
        all -= 1;
        const left = (taken.get(address) ?? 1) - 1;
        if (left === 0) taken.delete(address);
        else taken.set(address, left);
      };
    },
  };
}

/** One server-sent event stream; heartbeats are comments. */
interface EventStream extends StreamSink {
  readonly has_begun: () => boolean;
  /** Ends it after a moment for data in flight; a client that reconnects resumes where it was. */
  readonly cut: () => void;
}

/** Takes a response over. Its head is sent with the first event, or once the stream is certain to continue. */
export function openEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
): EventStream {
  const { raw: response } = reply;
  const left = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const stop = (): void => {
    for (const timer of timers) clearTimeout(timer);
    left.abort();
  };
  response.once('close', stop);
  const finish = (within_ms: number): void => {
    stop();
    if (response.headersSent) response.end();
    timers.push(setTimeout(() => response.destroy(), within_ms).unref());
  };
  const end = (): void => finish(STALLED_MS);
  const cut = (): void => finish(CUT_MS);
  const begin = (): void => {
    if (response.headersSent) return;
    reply.hijack();
    response.writeHead(200, { ...toRawHeaders(reply), ...HEADERS, ...headers });
    response.write(`retry: ${COME_BACK_MS}\n\n`);
    request.socket.setNoDelay(true);
    timers.push(
      setInterval(() => response.write(':\n\n'), HEARTBEAT_MS),
      setTimeout(end, STREAM_MS_MAX),
    );
  };
  return {
    left: left.signal,
    has_begun: () => response.headersSent,
    begin,
    end,
    cut,
    async write(bytes) {
      if (left.signal.aborted) return;
      begin();
      if (response.write(bytes) || response.destroyed) return;
      const stalled = AbortSignal.any([left.signal, AbortSignal.timeout(STALLED_MS)]);
      await once(response, 'drain', { signal: stalled }).catch(cut);
    },
    push(bytes) {
      if (left.signal.aborted) return;
      if (response.writableLength <= UNREAD_BYTES_MAX) return void response.write(bytes);
      cut();
    },
  };
}

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

const HEADERS = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-store',
  // Proxies would hold back what is small.
  'x-accel-buffering': 'no',
};

function toRawHeaders(reply: FastifyReply): Readonly<Record<string, string | number | string[]>> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
