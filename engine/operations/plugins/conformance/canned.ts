import type { ServerResponse } from 'node:http';
import type { Json } from '../../../contract/json.js';
import { isList } from '../../../core/content/json-pointer.js';
import type { CannedAnswer, Example } from '../../../generated/plugin-conformance.js';
import { fillReferences, fillToken, findToken } from './placeholders.js';
import type { Respond, SeenRequest } from './server.js';

interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Answers as an example says. The token of a call tells concurrent calls apart. */
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

/** The answer that ends an example's exchange, as it is sent. */
export function finalAnswer({ server = [] }: Example): CannedAnswer {
  return server.findLast(({ status = 200 }) => status < 300) ?? {};
}

export function toWire(answer: CannedAnswer, request: SeenRequest, token: string): WireAnswer {
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

/** Whether a value has each member of another one. */
function holds(value: Json | undefined, wanted: Json): boolean {
  if (typeof wanted !== 'object' || wanted === null || isList(wanted)) {
    return JSON.stringify(value) === JSON.stringify(wanted);
  }
  if (typeof value !== 'object' || value === null || isList(value)) return false;
  return Object.entries(wanted).every(([name, inner]) => holds(value[name], inner));
}
