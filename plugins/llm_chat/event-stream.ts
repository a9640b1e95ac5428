/**
 * An event stream on its way to the client, which searches all that it holds at every arrival. Here each byte is looked at
 * once, and the client gets whole events only. Within an event: its bytes are kept until the empty line that ends it.
 * Done: the event `[DONE]` ends the answer, whatever the endpoint goes on to send.
 */
import type { Capabilities } from 'chukwa/plugin';

const EVENT_BYTES_MAX = 1_048_576;
/** Far beyond any answer of one character an event; each costs the client as much as a long one. */
const EVENTS_MAX = 200_000;
/** How long the end of the response is waited for after `[DONE]`, so that its connection can be used again. */
const END_WAIT_MS = 100;
const BATCH_BYTES = 1024;
const DONE_BYTES_MAX = 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * Hands on whole events until the answer is done. Comments, and events with nothing in them, are left out.
 * @throws SourceFailure through the stream, `result_too_large`, where an event or their number has no measure
 */
export function toWholeEvents(
  stream: ReadableStream<Uint8Array>,
  failure: Capabilities['failure'],
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  const cutter = new EventCutter(failure);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) {
          const rest = cutter.rest();
          if (rest.length > 0) controller.enqueue(rest);
          return controller.close();
        }
        const events = takeOrCancel(cutter, value, reader);
        for (const batch of toBatches(events)) controller.enqueue(batch);
        if (cutter.is_done) {
          await endGently(reader);
          return controller.close();
        }
        if (events.length > 0) return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function takeOrCancel(cutter: EventCutter, bytes: Uint8Array, reader: Reader): readonly Uint8Array[] {
  try {
    return cutter.take(bytes);
  } catch (thrown) {
    reader.cancel().catch(() => {});
    throw thrown;
  }
}

/** Nothing may follow `[DONE]` but the end; whoever sends more, or keeps silent, is hung up on. */
async function endGently(reader: Reader): Promise<void> {
  const ended = reader.read().then(
    ({ done }) => done,
    () => true,
  );
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), END_WAIT_MS);
  });
  const isOver = await Promise.race([ended, waited]);
  clearTimeout(timer);
  if (!isOver) await reader.cancel().catch(() => {});
}

class EventCutter {
  readonly #failure: Capabilities['failure'];
  /** Holds the event that has not ended yet, and grows with it: a slow endpoint sends a byte at a time. */
  #open = new Uint8Array(0);
  #openBytes = 0;
  #lineBytes = 0;
  #afterReturn = false;
  /** The open event holds more than comments. */
  #says = false;
  #events = 0;
  is_done = false;

  constructor(failure: Capabilities['failure']) {
    this.#failure = failure;
  }

  /** The events that these bytes complete. */
  take(bytes: Uint8Array): readonly Uint8Array[] {
    const whole: Uint8Array[] = [];
    let start = 0;
    for (let index = 0; index < bytes.length && !this.is_done; index += 1) {
      if (!this.#endsEvent(bytes[index] ?? 0)) continue;
      const end = bytes[index] === CARRIAGE_RETURN && bytes[index + 1] === LINE_FEED ? index + 2 : index + 1;
      if (this.#says) whole.push(this.#finish(bytes.subarray(start, end)));
      else this.#forget();
      start = end;
    }
    if (!this.is_done) this.#keep(bytes.subarray(start));
    return whole;
  }

  /** What an endpoint left without the empty line that would have ended it. */
  rest(): Uint8Array {
    return this.#says ? this.#open.slice(0, this.#openBytes) : new Uint8Array(0);
  }

  #endsEvent(byte: number): boolean {
    const isPair = byte === LINE_FEED && this.#afterReturn;
    this.#afterReturn = byte === CARRIAGE_RETURN;
    if (isPair) return false;
    if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) {
      if (this.#lineBytes === 0 && byte !== COLON) this.#says = true;
      this.#lineBytes += 1;
      return false;
    }
    const isEmptyLine = this.#lineBytes === 0;
    this.#lineBytes = 0;
    return isEmptyLine;
  }

  #finish(end: Uint8Array): Uint8Array {
    this.#keep(end);
    const event = this.#open.slice(0, this.#openBytes);
    this.#forget();
    this.#events += 1;
    if (this.#events > EVENTS_MAX)
      throw this.#failure('result_too_large', `the answer has more than ${EVENTS_MAX} events, which is the limit`);
    this.is_done = event.length <= DONE_BYTES_MAX && /(^|[\r\n])data: ?\[DONE\]/.test(new TextDecoder().decode(event));
    return event;
  }

  #keep(bytes: Uint8Array): void {
    const length = this.#openBytes + bytes.length;
    if (length > EVENT_BYTES_MAX)
      throw this.#failure(
        'result_too_large',
        `one event of the answer has more than ${EVENT_BYTES_MAX} bytes, which is the limit`,
      );
    if (length > this.#open.length) {
      const larger = new Uint8Array(Math.max(length, this.#open.length * 2));
      larger.set(this.#open.subarray(0, this.#openBytes));
      this.#open = larger;
    }
    this.#open.set(bytes, this.#openBytes);
    this.#openBytes = length;
  }

  #forget(): void {
    this.#openBytes = 0;
    this.#says = false;
  }
}

/** The client copies what it holds for each event that it takes out, so that it must never hold much. */
function toBatches(events: readonly Uint8Array[]): readonly Uint8Array[] {
  const batches: Uint8Array[] = [];
  let open: Uint8Array[] = [];
  let bytes = 0;
  for (const event of events) {
    open.push(event);
    bytes += event.length;
    if (bytes < BATCH_BYTES) continue;
    batches.push(join(open));
    open = [];
    bytes = 0;
  }
  return open.length === 0 ? batches : [...batches, join(open)];
}

function join(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1 && pieces[0]) return pieces[0];
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
