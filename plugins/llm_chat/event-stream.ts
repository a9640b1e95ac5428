/**
 * The event stream of an answer. The client's own reader searches all that it holds at every arrival; here each byte is
 * looked at once. Within an event: its bytes are kept until the empty line that ends it. Done: the event `[DONE]` ends the
 * answer, whatever the endpoint goes on to send.
 */
import type { Capabilities } from 'chukwa/plugin';

const EVENT_BYTES_MAX = 1_048_576;
/** Far beyond any answer of one character an event; each costs as much as a long one. */
const EVENTS_MAX = 200_000;
/** How long the end of the response is waited for after `[DONE]`, so that its connection can be used again. */
const END_WAIT_MS = 100;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * Reads the data of each event until the answer is done. Comments, and events without data, are left out.
 * @returns of each arrival the data of the events that it completes
 * @throws SourceFailure, `result_too_large`, where an event or their number has no measure
 */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>,
  { failure, alarm }: Pick<Capabilities, 'failure' | 'alarm'>,
): AsyncGenerator<readonly string[]> {
  const reader = stream.getReader();
  const cutter = new EventCutter(failure);
  let isRead = false;
  try {
    while (!cutter.is_done) {
      const { done, value } = await reader.read();
      isRead = done;
      // What no empty line has ended was cut on its way.
      if (done) return;
      const data = cutter.take(value);
      if (data.length > 0) yield data;
    }
    await endGently(reader, alarm);
    isRead = true;
  } finally {
    if (!isRead) reader.cancel().catch(() => {});
  }
}

const decoder = new TextDecoder();

/** The data of one event, which its lines share; undefined where it has none. */
function findData(event: Uint8Array): string | undefined {
  const lines = decoder.decode(event).split(/\r\n|\n|\r/);
  const data = lines.filter((line) => line === 'data' || line.startsWith('data:'));
  return data.length === 0 ? undefined : data.map((line) => line.slice(line.startsWith('data: ') ? 6 : 5)).join('\n');
}

/** Nothing may follow `[DONE]` but the end; whoever sends more, or keeps silent, is hung up on. */
async function endGently(reader: Reader, alarm: Capabilities['alarm']): Promise<void> {
  const ended = reader.read().then(
    ({ done }) => done,
    () => true,
  );
  let cancel = (): void => {};
  const waited = new Promise<boolean>((resolve) => {
    cancel = alarm(END_WAIT_MS, () => resolve(false));
  });
  const isOver = await Promise.race([ended, waited]);
  cancel();
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

  /** The data of the events that these bytes complete. */
  take(bytes: Uint8Array): readonly string[] {
    const said: string[] = [];
    let start = 0;
    for (let index = 0; index < bytes.length && !this.is_done; index += 1) {
      if (!this.#endsEvent(bytes[index] ?? 0)) continue;
      const end = bytes[index] === CARRIAGE_RETURN && bytes[index + 1] === LINE_FEED ? index + 2 : index + 1;
      if (this.#says) said.push(...this.#finish(bytes.subarray(start, end)));
      else this.#forget();
      start = end;
    }
    if (!this.is_done) this.#keep(bytes.subarray(start));
    return said;
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

  #finish(end: Uint8Array): readonly string[] {
    this.#keep(end);
    const data = findData(this.#open.subarray(0, this.#openBytes));
    this.#forget();
    this.#events += 1;
    if (this.#events > EVENTS_MAX)
      throw this.#failure('result_too_large', `the answer has more than ${EVENTS_MAX} events, which is the limit`);
    this.is_done = data?.startsWith('[DONE]') === true;
    return data === undefined || this.is_done ? [] : [data];
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
