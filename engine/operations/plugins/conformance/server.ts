import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../../contract/json.js';
import { findAt, isList, pointerTokens } from '../../../core/content/json-pointer.js';
import type { CannedAnswer, Example } from '../../../generated/plugin-conformance.js';
import { randomUUID } from 'node:crypto';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: JsonObject;
  readonly headers: JsonObject;
  readonly text: string;
  /** JSON where the text is, else the text. */
  readonly body: Json;
}

export type Respond = (request: SeenRequest, response: ServerResponse) => unknown;

interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly seen: readonly SeenRequest[];
}

/** Runs a task with a server of its own, which ends at once with all connections. */
export async function withServer<Value>(
  respond: Respond,
  task: (server: LoopbackServer) => Promise<Value>,
): Promise<Value> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    response.on('error', () => {});
    readRequest(incoming).then(
      (request) => {
        seen.push(request);
        return respond(request, response);
      },
      () => response.destroy(),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    return await task({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen });
  } finally {
    const closed = once(server.close(), 'close');
    server.closeAllConnections();
    await closed;
  }
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString('utf8');
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
    text,
    body: toBody(text),
  };
}

function toBody(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Answers as an example says. The token of a call distinguishes concurrent calls. */
export function answerAs(example: Example): Respond {
  const given = new Map<string, Set<CannedAnswer>>();
  return (request, response) => {
    const token = findToken(request);
    const before = given.get(token) ?? new Set();
    const answer = chooseAnswer(example.server ?? [], request, before);
    if (!answer) return send(response, NOTHING_FITS);
    given.set(token, before.add(answer));
    return send(response, toWire(answer, request, token));
  };
}

/** The answer that ends an example's exchange. */
export function finalAnswer({ server = [] }: Example): CannedAnswer {
  return server.findLast(({ status = 200 }) => status < 300) ?? {};
}

/** The same, as it is sent. */
export function toFinal(example: Example, request: SeenRequest): WireAnswer {
  return toWire(finalAnswer(example), request, findToken(request));
}

function toWire(answer: CannedAnswer, request: SeenRequest, token: string): WireAnswer {
  const fill = (value: Json): Json => fillReferences(fillToken(value, token), request);
  const toText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const { status = 200, headers = {}, body, events } = answer;
  const text = events
    ? events.map((event) => `data: ${toText(fill(event))}\n\n`).join('')
    : body === undefined
      ? ''
      : toText(fill(body));
  return { status, headers: { 'content-type': contentTypeOf(answer), ...headers }, text };
}

export function send(response: ServerResponse, { status, headers, text }: WireAnswer): void {
  response.writeHead(status, headers).end(text);
}

const NOTHING_FITS: WireAnswer = {
  status: 599,
  headers: { 'content-type': 'text/plain' },
  text: 'no answer of the example fits this request',
};

function contentTypeOf({ body, events }: CannedAnswer): string {
  if (events) return 'text/event-stream; charset=utf-8';
  return typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
}

function chooseAnswer(
  answers: readonly CannedAnswer[],
  request: SeenRequest,
  given: ReadonlySet<CannedAnswer>,
): CannedAnswer | undefined {
  const fitting = answers.filter((answer) => fits(answer, request));
  return fitting.find((answer) => !given.has(answer)) ?? fitting.at(-1);
}

function fits({ when = {} }: CannedAnswer, request: SeenRequest): boolean {
  const { method, path, body } = when;
  if (method !== undefined && method !== request.method) return false;
  if (path !== undefined && path !== request.path) return false;
  return body === undefined || holds(request.body, body);
}

function holds(value: Json | undefined, wanted: Json): boolean {
  if (typeof wanted !== 'object' || wanted === null || isList(wanted)) {
    return JSON.stringify(value) === JSON.stringify(wanted);
  }
  if (typeof value !== 'object' || value === null || isList(value)) return false;
  return Object.entries(wanted).every(([name, inner]) => holds(value[name], inner));
}

const PLACEHOLDER = '{{call}}';
const TOKEN = /call-[0-9a-f]{12}/;

/** A text that no other call has. */
export function makeToken(): string {
  return `call-${randomUUID().replaceAll('-', '').slice(0, 12)}`;
}

/** The token of a request's call; empty where the request holds none. */
function findToken({ method, path, query, headers, text }: SeenRequest): string {
  const all = [method, path, JSON.stringify(query), JSON.stringify(headers), text].join('\n');
  return TOKEN.exec(all)?.[0] ?? '';
}

/** Replaces each `{{call}}` by a call's token. */
export function fillToken<Value extends Json>(value: Value, token: string): Value {
  return mapTexts(value, (text) => text.replaceAll(PLACEHOLDER, token)) as Value;
}

/** Whether a value contains `{{call}}`. */
export function hasPlaceholder(value: Json): boolean {
  return JSON.stringify(value).includes(PLACEHOLDER);
}

/** Replaces each `{"$from": pointer}` by the request's value at the pointer; by null where there is none. */
function fillReferences(value: Json, request: SeenRequest): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => fillReferences(item, request));
  const from = value['$from'];
  if (typeof from === 'string' && Object.keys(value).length === 1) return valueAt(request, from);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillReferences(inner, request)]));
}

function valueAt({ method, path, query, headers, body }: SeenRequest, pointer: string): Json {
  return findAt({ method, path, query, headers, body }, pointerTokens(pointer)) ?? null;
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => mapTexts(item, change));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [change(name), mapTexts(inner, change)] as const),
  );
}
