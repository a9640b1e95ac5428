/**
 * The event stream of an answer. The client's own reader searches all that it holds at every arrival; here each byte is
 * looked at once. Within an event: its bytes are kept until the empty line that ends it. Done: the event `[DONE]` ends the
 * answer, whatever follows.
 *
 * Errors come as `data` with a member `error`, as an event named `error`, or in a field `error` of their own: all three are
 * given as the first.
 */
import type { Capabilities } from 'chukwa/plugin';
import { ByteBuffer } from './byte-buffer.js';
import { isFields } from './chunk.js';

const EVENT_BYTES_MAX = 1_048_576;
/** Far beyond any answer of one character an event; each costs as much as a long one. */
const EVENTS_MAX = 200_000;
/** How long to wait for the end of the response after `[DONE]`, so that its connection can be used again. */
const END_WAIT_MS = 100;

/** The data of the event that ends an answer. */
export const DONE = '[DONE]';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;

/** The source of bytes: a reader of a stream, or a wrapper of one. */
export type ByteReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/**
 * Reads the data of each event until the answer is done, `[DONE]` included. Comments, and events without data, are left out.
 * @returns of each arrival the data of the events that it completes
 * @throws SourceFailure, `result_too_large`, where an event or their number has no measure
 */
export async function* readEvents(
  reader: ByteReader,
  { failure, alarm }: Pick<Capabilities, 'failure' | 'alarm'>,
): AsyncGenerator<readonly string[]> {
  const cutter = new EventCutter(failure);
  let isRead = false;
  try {
    while (!cutter.is_done) {
      const { done, value } = await reader.read();
      isRead = done;
      if (done) {
        const last = cutter.end();
        if (last.length > 0) yield last;
        return;
      }
      const data = cutter.push(value);
      if (data.length > 0) yield data;
    }
    await endGently(reader, alarm);
    isRead = true;
  } finally {
    if (!isRead) reader.cancel().catch(() => {});
  }
}

/** The data of one event, which its lines share; undefined where it has none. */
function findData(event: string): string | undefined {
  const lines = event.split(/\r\n|\n|\r/);
  const data = findField(lines, 'data');
  if (!lines.some((line) => line.startsWith('e'))) return data;
  const error = findField(lines, 'error') ?? (findField(lines, 'event') === 'error' ? data : undefined);
  return error === undefined ? data : toErrorData(error);
}

function findField(lines: readonly string[], name: string): string | undefined {
  const found = lines.filter((line) => line === name || line.startsWith(`${name}:`));
  if (found.length === 0) return undefined;
  const start = name.length + 1;
  return found.map((line) => line.slice(line[start] === ' ' ? start + 1 : start)).join('\n');
}

function toErrorData(error: string): string {
  const said = parse(error);
  if (said === undefined) return JSON.stringify({ error });
  return isFields(said) && 'error' in said ? error : JSON.stringify({ error: said });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Only the end may follow `[DONE]`; a stream that continues, or stays open in silence, is cancelled. */
async function endGently(reader: ByteReader, alarm: Capabilities['alarm']): Promise<void> {
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
  /** The event that has not ended yet. */
  readonly #open = new ByteBuffer();
  #isInLine = false;
  #afterReturn = false;
  /** The open event holds more than comments. */
  #says = false;
  #events = 0;
  is_done = false;

  constructor(failure: Capabilities['failure']) {
    this.#failure = failure;
  }

  /** The data of the events that these bytes complete. */
  push(bytes: Uint8Array): readonly string[] {
    const said: string[] = [];
    let start = 0;
    for (let index = 0; index < bytes.length && !this.is_done; index += 1) {
      const byte = bytes[index] ?? 0;
      if ((byte > CARRIAGE_RETURN && this.#isInLine) || !this.#endsEvent(byte)) continue;
      const end = byte === CARRIAGE_RETURN && bytes[index + 1] === LINE_FEED ? index + 2 : index + 1;
      if (this.#says) said.push(...this.#finish(bytes.subarray(start, end)));
      else this.#forget();
      start = end;
    }
    if (!this.is_done) this.#keep(bytes.subarray(start));
    return said;
  }

  /** An event without the empty line at its end was cut, unless its data is complete JSON. */
  end(): readonly string[] {
    if (this.is_done || !this.#says) return [];
    const data = findData(this.#open.text());
    const isWhole = data !== undefined && (data === DONE || parse(data) !== undefined);
    return isWhole ? [data] : [];
  }

  #endsEvent(byte: number): boolean {
    const isPair = byte === LINE_FEED && this.#afterReturn;
    this.#afterReturn = byte === CARRIAGE_RETURN;
    if (isPair) return false;
    if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) {
      if (!this.#isInLine && byte !== COLON) this.#says = true;
      this.#isInLine = true;
      return false;
    }
    const isEmptyLine = !this.#isInLine;
    this.#isInLine = false;
    return isEmptyLine;
  }

  #finish(end: Uint8Array): readonly string[] {
    this.#keep(end);
    const data = findData(this.#open.text());
    this.#forget();
    this.#events += 1;
    if (this.#events > EVENTS_MAX)
      throw this.#failure('result_too_large', `the answer has more than ${EVENTS_MAX} events, which is the limit`);
    this.is_done = data?.startsWith(DONE) === true;
    return data === undefined ? [] : [this.is_done ? DONE : data];
  }

  #keep(bytes: Uint8Array): void {
    if (this.#open.length + bytes.length > EVENT_BYTES_MAX)
      throw this.#failure(
        'result_too_large',
        `one event of the answer has more than ${EVENT_BYTES_MAX} bytes, which is the limit`,
      );
    this.#open.append(bytes);
  }

  #forget(): void {
    this.#open.clear();
    this.#says = false;
  }
}
