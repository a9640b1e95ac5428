import type { Capabilities, Json, SourceFailureClass, SourcePending } from 'chukwa/plugin';

/** A parsed answer, or why it is none. */
export type Answer =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly failure_class: SourceFailureClass; readonly message: string };

const NO_CONTENT = 204;

type ParseJson = Capabilities['parseJson'];

/** The answer of a status from 200 to 299: JSON in UTF-8; null where it is 204, which has no body. */
export function readAnswer(http_status: number, body: Uint8Array, parseJson: ParseJson): Answer {
  if (http_status === NO_CONTENT) return { ok: true, value: null };
  if (body.byteLength === 0) return notJson('it is empty');
  const text = decode(body);
  return text === undefined ? notJson('it is not UTF-8') : parse(text, parseJson);
}

/** Reads the body of status 202. It may be anything; only a text as `correlation_id` of an object has a meaning. */
export function readPending(body: Uint8Array, parseJson: ParseJson): SourcePending['pending'] {
  const text = decode(body);
  const answer = text === undefined ? undefined : parse(text, parseJson);
  const value = answer?.ok ? answer.value : null;
  const named =
    typeof value === 'object' && value !== null && 'correlation_id' in value ? value['correlation_id'] : null;
  return typeof named === 'string' ? { correlation_id: named } : {};
}

function parse(text: string, parseJson: ParseJson): Answer {
  const parsed = parseJson(text);
  return parsed.ok ? parsed : notJson(parsed.reason);
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
