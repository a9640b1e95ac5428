import type { FastifyRequest } from 'fastify';
import type { Json } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { describeTextFault, parseJson, type Reading } from '../../core/content/parse-json.js';
import type { SaidReport } from '../../operations/settling/reports.js';

// A malformed body is refused, and not repaired: a silent replacement would be another text.

export const FORM_TYPE = 'application/x-www-form-urlencoded';

type Form = ReadonlyMap<string, string>;

/** The bytes of a request's body; none where it has none. */
export function bodyOf({ body }: FastifyRequest): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array();
}

export function isForm({ headers }: FastifyRequest): boolean {
  return (headers['content-type'] ?? '').toLowerCase().startsWith(FORM_TYPE);
}

/** Reads a body as JSON. @returns a refusal of what is not UTF-8, or not I-JSON where that is asked for */
export function readJson(bytes: Uint8Array, reading?: Reading): Outcome<Json> {
  const text = decode(bytes);
  if (text === undefined) return refuse(problem('BODY_NOT_JSON', { kind: 'unreadable', reason: 'it is not UTF-8' }));
  const parsed = parseJson(text, reading);
  if (parsed.ok) return succeed(parsed.value);
  return refuse(problem('BODY_NOT_JSON', { kind: 'unreadable', reason: describeTextFault(parsed.fault) }));
}

/** Reads a body as a form. @returns a refusal of what is not UTF-8, cannot be stored, or says two things of one field */
export function readForm(bytes: Uint8Array): Outcome<Form> {
  const text = decode(bytes);
  if (text === undefined) return refuse(FORM_NOT_UTF8);
  const form = new Map<string, string>();
  for (const pair of text.split('&').filter((piece) => piece !== '')) {
    const [name, value] = toField(pair);
    if (name === undefined || value === undefined) return refuse(FORM_NOT_UTF8);
    if (value.includes('\0'))
      return refuse(problem('REQUEST_MALFORMED', { reason: 'its form holds the character U+0000' }));
    if (form.has(name)) return refuse(problem('REQUEST_MALFORMED', { said_twice: name }));
    form.set(name, value);
  }
  return succeed(form);
}

/** Name and value of a field; undefined where they are not UTF-8 in percent-encoding. */
function toField(pair: string): readonly (string | undefined)[] {
  const [name = '', ...value] = pair.split('=');
  return [name, value.join('=')].map(decodePercent);
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const FORM_NOT_UTF8 = problem('REQUEST_MALFORMED', { reason: 'its form is not UTF-8' });

/** The media types of an answer, and of a report that there will be none. */
export const ANSWER_TYPE = 'application/json';
export const FAILURE_TYPE = 'application/problem+json';

/**
 * The report that a callback's body holds. JSON is the answer; a problem document reports a failure. It is read leniently:
 * a service that cannot say otherwise what it did would leave its call in doubt.
 */
export function readReport(type: string, body: Uint8Array): Outcome<SaidReport> {
  const said = readJson(body, 'lenient');
  if (!said.ok) return said;
  if (!type.startsWith(FAILURE_TYPE)) return succeed({ kind: 'answered', value: said.value });
  return succeed({ kind: 'failed', message: describe(said.value) });
}

function describe(value: Json): string {
  const { detail, title } = (typeof value === 'object' && value !== null ? value : {}) as Readonly<
    Record<string, unknown>
  >;
  const said = [detail, title].find((text) => typeof text === 'string' && text !== '');
  return typeof said === 'string' ? said : 'the service reported a failure, and did not say which';
}
