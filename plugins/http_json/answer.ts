import type { Json, SourceFailureClass, SourcePending } from 'chukwa/plugin';

/** What came back: JSON, or why it is not an answer. */
export type Answer =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly failure_class: SourceFailureClass; readonly message: string };

/** Takes a status of 200 to 299 whose body is JSON in UTF-8, and nothing else. */
export function readAnswer(http_status: number, body: Uint8Array): Answer {
  if (http_status < 200 || http_status > 299) {
    return { ok: false, failure_class: 'http_status', message: `the service answered with status ${http_status}` };
  }
  if (body.byteLength === 0) return notJson('its body is empty');
  const text = decode(body);
  return text === undefined ? notJson('its body is not UTF-8') : parse(text);
}

/** What the body of status 202 says. It may be anything; only a text as `correlation_id` of an object means something. */
export function readPending(body: Uint8Array): SourcePending['pending'] {
  const text = decode(body);
  const answer = text === undefined ? undefined : parse(text);
  const value = answer?.ok ? answer.value : null;
  const named =
    typeof value === 'object' && value !== null && 'correlation_id' in value ? value['correlation_id'] : null;
  return typeof named === 'string' ? { correlation_id: named } : {};
}

function parse(text: string): Answer {
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    return notJson(describeFault(error));
  }
}

/** What the parser says quotes the body, which may hold anything: only the place is taken from it. */
function describeFault(error: unknown): string {
  const said = error instanceof Error ? error.message : '';
  if (/end of JSON|Unterminated/.test(said)) return 'its body ends too soon';
  const position = /at position (\d+)/.exec(said)?.[1];
  return position === undefined
    ? 'its body cannot be parsed'
    : `its body cannot be parsed from character ${position} on`;
}

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function notJson(reason: string): Answer {
  return { ok: false, failure_class: 'non_json', message: `the service did not answer with JSON: ${reason}` };
}
