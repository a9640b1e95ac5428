import type { Json } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import { describeTextFault, parseJson } from '../../core/content/parse-json.js';
import type { SaidReport } from '../../operations/reports.js';

/** What a service may send as its answer, and as its word that there will be none. */
export const ANSWER_TYPE = 'application/json';
export const FAILURE_TYPE = 'application/problem+json';

type Read<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problem: Problem };

/** What was POSTed to a callback: JSON is the answer; a problem document says that there is none. */
export function readReport(type: string, body: Uint8Array): Read<SaidReport> {
  const text = decode(body);
  if (text === undefined) return { ok: false, problem: unreadable('it is not UTF-8') };
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  if (!type.startsWith(FAILURE_TYPE)) return { ok: true, value: { kind: 'answered', value: parsed.value } };
  return { ok: true, value: { kind: 'failed', message: describe(parsed.value) } };
}

/** What is replaced in silence would be another answer. */
function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

function parse(text: string): Read<Json> {
  const parsed = parseJson(text);
  return parsed.ok ? parsed : { ok: false, problem: unreadable(describeTextFault(parsed.fault)) };
}

function unreadable(reason: string): Problem {
  return {
    code: 'BODY_NOT_JSON',
    message: `The body is not JSON that can be kept: ${reason}.`,
    repair: 'Send the answer as JSON in UTF-8. Nothing was taken in; it can be sent again.',
  };
}

function describe(value: Json): string {
  const { detail, title } = (typeof value === 'object' && value !== null ? value : {}) as Readonly<
    Record<string, unknown>
  >;
  const said = [detail, title].find((text) => typeof text === 'string' && text !== '');
  return typeof said === 'string' ? said : 'the service reported a failure, and did not say which';
}
