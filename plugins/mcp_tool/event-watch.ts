/**
 * A stream of events that always ends in an answer. The library leaves a request waiting whose stream ended without
 * one; so the stream is given one more event, an error for that request. Where the answer came before it, nobody waits
 * for the id any more and the event is dropped. A server that numbers its events permits resuming, and is left alone.
 */
import type { Capabilities, ParsedAnswer, SourceFailure } from 'chukwa/plugin';
import { isSourceFailure } from './wire.js';

/** The library's own code for a connection that was closed. */
const CLOSED = -32_000;

/** An event's number, at the start of a line. */
const NUMBERED = /(^|[\r\n])id:/;
const NUMBERED_LENGTH = 4;

/** A blank line. */
const EVENT_ENDS = /\r\n\r\n|\n\r?\n|\r\r/;
/** More characters than one of them has before its last. */
const END_LENGTH = 3;

interface WatchParts {
  readonly id: string;
  readonly lost: Map<string, SourceFailure>;
  /** Undefined where a message goes on as it is. */
  readonly admit: (message: string) => ParsedAnswer | undefined;
}

/** An event whose message is the one that the library is to read. */
function admitEvent(event: string, admit: WatchParts['admit']): string {
  const lines = event.split(/\r\n|\n|\r/);
  const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : []));
  const admitted = data.length === 0 ? undefined : admit(data.join('\n'));
  if (admitted?.ok !== true || admitted.replaced === undefined) return event;
  const others = lines.filter((line) => !line.startsWith('data:'));
  return [...others, `data: ${JSON.stringify(admitted.value)}`].join('\n');
}

/**
 * Forwards the events of one request, each when it is whole, and tells the library where they end.
 * @param parts `lost` gets the reason where the stream broke; `admit` reads a message
 */
export function watchEvents(
  body: ReadableStream<Uint8Array>,
  { id, lost, admit }: WatchParts,
): ReadableStream<Uint8Array> {
  const [reader, decoder, encoder] = [body.getReader(), new TextDecoder(), new TextEncoder()];
  let [numbered, tail, begun, near] = [false, '', '', ''];
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          if (!numbered) controller.enqueue(toLastEvent(id));
          return controller.close();
        }
        const text = decoder.decode(value, { stream: true });
        tail = tail.slice(-NUMBERED_LENGTH) + text;
        numbered ||= NUMBERED.test(tail);
        // What an event has before its last characters is not looked at again with each chunk: it may have very many.
        const [first = '', ...more] = (near + text).split(EVENT_ENDS);
        const events = [begun + first, ...more];
        const last = more.at(-1) ?? first;
        events.pop();
        begun = (more.length === 0 ? begun : '') + last.slice(0, -END_LENGTH);
        near = last.slice(-END_LENGTH);
        controller.enqueue(encoder.encode(events.map((event) => `${admitEvent(event, admit)}\n\n`).join('')));
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
