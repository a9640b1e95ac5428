/**
 * A stream of events that always ends in an answer. The library leaves a request waiting whose stream ended without
 * one; so the stream is given one more event, an error for that request. Where the answer came before it, nobody waits
 * for the id any more and the event is dropped. A server that numbers its events permits resuming, and is left alone.
 */
import type { Capabilities, SourceFailure } from 'chukwa/plugin';
import { isSourceFailure } from './wire.js';

/** The library's own code for a connection that was closed. */
const CLOSED = -32_000;

/** An event's number, at the start of a line. */
const NUMBERED = /(^|[\r\n])id:/;
const NUMBERED_LENGTH = 4;

/**
 * Forwards the events of one request, and tells the library where they end.
 * @param lost gets the reason where the stream broke
 */
export function watchEvents(
  body: ReadableStream<Uint8Array>,
  id: string,
  lost: Map<string, SourceFailure>,
): ReadableStream<Uint8Array> {
  const [reader, decoder] = [body.getReader(), new TextDecoder()];
  let [numbered, tail] = [false, ''];
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          if (!numbered) controller.enqueue(toLastEvent(id));
          return controller.close();
        }
        tail = tail.slice(-NUMBERED_LENGTH) + decoder.decode(value, { stream: true });
        numbered ||= NUMBERED.test(tail);
        controller.enqueue(value);
      } catch (error) {
        if (isSourceFailure(error)) lost.set(id, error);
        if (numbered && !(isSourceFailure(error) && error.failure_class === 'result_too_large'))
          return controller.error(error);
        controller.enqueue(toLastEvent(id));
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Why there is no answer, where `error` is such an event. */
export function findLost(
  error: unknown,
  lost: Map<string, SourceFailure>,
  failure: Capabilities['failure'],
): SourceFailure | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== CLOSED) return undefined;
  const data = 'data' in error ? error.data : undefined;
  if (typeof data !== 'object' || data === null || !('lost_request' in data)) return undefined;
  const id = String(data.lost_request);
  const known = lost.get(id);
  lost.delete(id);
  return known ?? failure('transport', 'the server ended the stream before it had answered');
}

function toLastEvent(id: string): Uint8Array {
  // The library counts its requests from 0.
  const error = { code: CLOSED, message: 'lost', data: { lost_request: id } };
  const message = { jsonrpc: '2.0', id: Number(id), error };
  return new TextEncoder().encode(`\n\nevent: message\ndata: ${JSON.stringify(message)}\n\n`);
}
