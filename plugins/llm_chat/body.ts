/**
 * The body of a response. Its first byte decides its form, since content types do not: streams come as text/plain or
 * without any type, and complete answers where a stream was requested. A brace or a bracket begins JSON, everything
 * else a stream.
 */
import type { Capabilities, TransportFacts } from 'chukwa/plugin';
import { ByteBuffer } from './byte-buffer.js';
import { type ByteReader, readEvents } from './event-stream.js';

/** How many bytes of a body that is no answer are kept. */
const KEPT_BYTES_MAX = 65_536;

/** The limit of an answer that is not streamed. */
const WHOLE_BYTES_MAX = 16_777_216;

interface Handed extends Pick<Capabilities, 'failure' | 'alarm'> {
  /** Is given the function that ends the reading early. */
  readonly onReader?: (cancel: () => void) => void;
}

/** A part of the body: data of events, `[DONE]` included; a complete JSON document; or the head of neither. */
export type Arrival =
  | { readonly kind: 'events'; readonly events: readonly string[] }
  | { readonly kind: 'whole'; readonly text: string }
  | { readonly kind: 'neither'; readonly body: Uint8Array; readonly is_body_cut: boolean };

/**
 * Reads a body as it arrives.
 * @throws SourceFailure, `result_too_large`, where it has no measure
 */
export async function* readBody(body: ReadableStream<Uint8Array>, handed: Handed): AsyncGenerator<Arrival> {
  const kept = new ByteBuffer();
  const { first, whole } = await peek(body, kept);
  handed.onReader?.(() => void whole.cancel().catch(() => {}));
  if (first === undefined) return whole.cancel();
  if (isJson(first)) {
    yield { kind: 'whole', text: await readWhole(whole, handed.failure) };
    return;
  }
  let isStream = false;
  for await (const events of readEvents(whole, handed)) {
    isStream = true;
    yield { kind: 'events', events };
  }
  if (!isStream) yield { kind: 'neither', body: kept.bytes(), is_body_cut: kept.length >= KEPT_BYTES_MAX };
}

interface Peeked {
  /** The first byte that is no white space; undefined where there is none. */
  readonly first: number | undefined;
  /** Reads the whole body, from its beginning. */
  readonly whole: ByteReader;
}

const WHITE_SPACE = [0x09, 0x0a, 0x0d, 0x20];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Behind so much white space nothing is worth a wait. */
const PEEKED_BYTES_MAX = 1_048_576;

/** @param kept receives the beginning, which explains why a body is no answer */
async function peek(body: ReadableStream<Uint8Array>, kept: ByteBuffer): Promise<Peeked> {
  const reader = body.getReader();
  const seen: Uint8Array[] = [];
  let first: number | undefined;
  let bytes = 0;
  while (first === undefined && bytes < PEEKED_BYTES_MAX) {
    const { done, value } = await reader.read();
    if (done) break;
    seen.push(value);
    bytes += value.length;
    first = value.find((byte) => !WHITE_SPACE.includes(byte) && !BYTE_ORDER_MARK.includes(byte));
  }
  return { first, whole: rejoin(seen, reader, kept) };
}

/** No stream of its own: each costs as much for every arrival as reading does. */
function rejoin(seen: Uint8Array[], reader: ByteReader, kept: ByteBuffer): ByteReader {
  return {
    read: async () => {
      const next = seen.shift();
      const arrived = next === undefined ? await reader.read() : { done: false as const, value: next };
      if (!arrived.done && kept.length < KEPT_BYTES_MAX)
        kept.append(arrived.value.subarray(0, KEPT_BYTES_MAX - kept.length));
      return arrived;
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

function isJson(first: number): boolean {
  return first === 0x7b || first === 0x5b;
}

async function readWhole(reader: ByteReader, failure: Capabilities['failure']): Promise<string> {
  const buffer = new ByteBuffer();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    buffer.append(read.value);
    if (buffer.length <= WHOLE_BYTES_MAX) continue;
    await reader.cancel();
    throw failure('result_too_large', `the answer has more than ${WHOLE_BYTES_MAX} bytes, which is the limit`);
  }
  return buffer.text();
}

/** Reads the beginning of a refusal. Where the body breaks off, the status is still reported. */
export async function readRefused(response: Response): Promise<Required<Pick<TransportFacts, 'body' | 'is_body_cut'>>> {
  const body = new Uint8Array(KEPT_BYTES_MAX);
  let length = 0;
  let isCut = true;
  try {
    // Leaving the loop hangs up.
    for await (const piece of response.body ?? []) {
      const part = (piece as Uint8Array).subarray(0, KEPT_BYTES_MAX - length);
      body.set(part, length);
      length += part.length;
      if (length === KEPT_BYTES_MAX) break;
    }
    isCut = length === KEPT_BYTES_MAX;
  } catch {
    // The part that arrived is kept.
  }
  return { body: body.slice(0, length), is_body_cut: isCut };
}
