import type { Json, ParsedAnswer, SourceFailureClass, SourcePending } from 'chukwa/plugin';

/** A parsed answer, or why it is none. */
export type Answer =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly failure_class: SourceFailureClass; readonly message: string };

const NO_CONTENT = 204;

/** Parses a body, in the reading that its call asks for. */
export type ReadJson = (text: string) => ParsedAnswer;

/** A body, and the content type under which it came. */
export interface Received {
  readonly http_status: number;
  readonly content_type: string;
  readonly body: Uint8Array;
}

/**
 * The answer of a status from 200 to 299: JSON; null where it is 204, which has no body.
 * @param is_lenient no body is null, too, what is no UTF-8 is replaced, and a plain text is a text
 */
export function readAnswer(received: Received, readJson: ReadJson, is_lenient: boolean): Answer {
  const isEmpty = received.body.byteLength === 0;
  if (received.http_status === NO_CONTENT || (isEmpty && is_lenient)) return { ok: true, value: null };
  if (isEmpty) return notJson('it is empty');
  const text = decode(received) ?? (is_lenient ? new TextDecoder().decode(received.body) : undefined);
  if (text === undefined) return notJson('it is not UTF-8');
  const answer = parse(text, readJson);
  return !answer.ok && is_lenient && /^text\/plain\b/i.test(received.content_type) ? { ok: true, value: text } : answer;
}

/** Reads the body of status 202. It may be anything; only a text as `correlation_id` of an object has a meaning. */
export function readPending(received: Received, readJson: ReadJson): SourcePending['pending'] {
  const text = decode(received);
  const answer = text === undefined ? undefined : parse(text, readJson);
  const value = answer?.ok ? answer.value : null;
  const named =
    typeof value === 'object' && value !== null && 'correlation_id' in value ? value['correlation_id'] : null;
  return typeof named === 'string' ? { correlation_id: named } : {};
}

function parse(text: string, readJson: ReadJson): Answer {
  const parsed = readJson(text);
  if (parsed.ok) return parsed;
  return notJson(parsed.is_json ? `${parsed.reason}; the source takes it with "json": "lenient"` : parsed.reason);
}

/** JSON is UTF-8 (RFC 8259), and some services name another charset all the same, which is tried where it is not. */
function decode({ content_type, body }: Received): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(content_type)?.[1] ?? 'utf-8';
  const charsets = /^utf-?16/i.test(charset) ? [charset] : ['utf-8', charset];
  for (const label of charsets) {
    try {
      return new TextDecoder(label, { fatal: true }).decode(body);
    } catch {
      // Of another charset, or of one that is unknown.
    }
  }
  return undefined;
}

function notJson(reason: string): Answer {
  return { ok: false, failure_class: 'non_json', message: `the service did not answer with JSON: ${reason}` };
}
