import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** A span as it arrived. */
export interface ReceivedSpan {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string;
  readonly name: string;
  readonly kind: number;
  readonly began_at: number;
  readonly ended_at: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly links: readonly { readonly trace_id: string; readonly span_id: string }[];
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A value of a metric as it arrived: of a histogram, the sum of what was measured. */
export interface ReceivedPoint {
  readonly name: string;
  readonly value: number;
  /** Of a histogram: how many values. */
  readonly count?: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** An OTLP receiver: it reads the protobuf of any sender. Close it. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly points: ReceivedPoint[];
  readonly headers: Readonly<Record<string, unknown>>[];
  /** Everything that arrived, as bytes. */
  readonly bodies: Buffer[];
  close(): Promise<void>;
}

/** Starts a receiver on loopback. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const points: ReceivedPoint[] = [];
  const headers: OtlpReceiver['headers'] = [];
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const sent = Buffer.concat(pieces);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      bodies.push(body);
      headers.push(request.headers);
      if (request.url === '/v1/traces') spans.push(...toSpans(body));
      if (request.url === '/v1/metrics') points.push(...toPoints(body));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, spans, points, headers, bodies, close };
}

/** The fields of a message, by number: each as often as it stands there. */
type Fields = ReadonlyMap<number, readonly (Buffer | bigint)[]>;

function readFields(bytes: Buffer): Fields {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => bytes.subarray(at, (at += length));
  const readers = [readVarint, () => take(8), () => take(Number(readVarint())), undefined, undefined, () => take(4)];
  while (at < bytes.length) {
    const tag = Number(readVarint());
    const read = readers[tag & 7];
    if (read === undefined) throw new Error(`a field of wire type ${tag & 7}`);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), read()]);
  }
  return fields;
}

function messages(fields: Fields, number: number): readonly Fields[] {
  return (fields.get(number) ?? []).map((bytes) => readFields(bytes as Buffer));
}

function bytesOf(fields: Fields, number: number): Buffer {
  return (fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
}

const textOf = (fields: Fields, number: number): string => bytesOf(fields, number).toString('utf8');
const hexOf = (fields: Fields, number: number): string => bytesOf(fields, number).toString('hex');
const numberOf = (fields: Fields, number: number): number =>
  Number((fields.get(number)?.[0] as bigint | undefined) ?? 0);
const millisecondsOf = (fields: Fields, number: number): number =>
  Number(bytesOf(fields, number).readBigUInt64LE() / 1000n) / 1000;

function valueOf(value: Fields): unknown {
  if (value.has(1)) return textOf(value, 1);
  if (value.has(2)) return numberOf(value, 2) === 1;
  if (value.has(3)) return numberOf(value, 3);
  if (value.has(4)) return bytesOf(value, 4).readDoubleLE();
  return messages(value, 5).flatMap((array) => messages(array, 1).map(valueOf));
}

function attributesOf(fields: Fields, number: number): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    messages(fields, number).map((pair) => [textOf(pair, 1), messages(pair, 2).map(valueOf)[0]]),
  );
}

function toSpans(body: Buffer): readonly ReceivedSpan[] {
  return messages(readFields(body), 1).flatMap((group) => {
    const resource = messages(group, 1).map((found) => attributesOf(found, 1))[0] ?? {};
    return messages(group, 2).flatMap((scope) => messages(scope, 2).map((span) => ({ ...toSpan(span), resource })));
  });
}

function toSpan(span: Fields): Omit<ReceivedSpan, 'resource'> {
  const [status] = messages(span, 15);
  return {
    trace_id: hexOf(span, 1),
    span_id: hexOf(span, 2),
    parent_span_id: hexOf(span, 4),
    name: textOf(span, 5),
    kind: numberOf(span, 6),
    began_at: millisecondsOf(span, 7),
    ended_at: millisecondsOf(span, 8),
    attributes: attributesOf(span, 9),
    status: status === undefined ? {} : { code: numberOf(status, 3), message: textOf(status, 2) },
    links: messages(span, 13).map((link) => ({ trace_id: hexOf(link, 1), span_id: hexOf(link, 2) })),
  };
}

function toPoints(body: Buffer): readonly ReceivedPoint[] {
  return messages(readFields(body), 1)
    .flatMap((group) => messages(group, 2))
    .flatMap((scope) => messages(scope, 2))
    .flatMap((metric) => {
      const name = textOf(metric, 1);
      const sums = messages(metric, 7).flatMap((sum) => messages(sum, 1));
      const histograms = messages(metric, 9).flatMap((histogram) => messages(histogram, 1));
      return [
        ...sums.map((point) => ({ name, value: sumOf(point), attributes: attributesOf(point, 7) })),
        ...histograms.map((point) => ({
          name,
          value: bytesOf(point, 5).readDoubleLE(),
          count: Number(bytesOf(point, 4).readBigUInt64LE()),
          attributes: attributesOf(point, 9),
        })),
      ];
    });
}

function sumOf(point: Fields): number {
  return point.has(6) ? Number(bytesOf(point, 6).readBigInt64LE()) : bytesOf(point, 4).readDoubleLE();
}
