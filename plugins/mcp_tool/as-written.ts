import type { Capabilities, JsonObject, ParsedAnswer, SourceFailure } from 'chukwa/plugin';

/** The member of a result of which the client library is given another text than the server wrote. */
const AS_WRITTEN = 'chukwa/as_written';

/**
 * Reads a message as far as it can be kept. The library's own parser would round numbers in silence, so it is given a text
 * in which they are texts; the result then holds what the server wrote, for the source to judge.
 */
export function admitMessage(text: string, parseJson: Capabilities['parseJson']): ParsedAnswer {
  const parsed = parseJson(text, 'lenient');
  if (!parsed.ok || parsed.replaced === undefined) return parsed;
  const { value, replaced: reason } = parsed;
  if (!isObject(value) || !isObject(value['result'])) return parsed;
  return { ...parsed, value: { ...value, result: { ...value['result'], [AS_WRITTEN]: { text, reason } } } };
}

/**
 * Takes a result, with the body that is kept of it.
 * @throws SourceFailure where parts were replaced, and the source does not take that
 */
export function takeResult(
  result: JsonObject,
  is_lenient: boolean,
  failure: Capabilities['failure'],
): { readonly result: JsonObject; readonly body: Uint8Array | undefined } {
  const { [AS_WRITTEN]: written, ...rest } = result;
  if (!isObject(written)) return { result, body: encode(result) };
  const { text, reason } = written as { readonly text: string; readonly reason: string };
  const body = new TextEncoder().encode(text);
  if (is_lenient) return { result: rest, body };
  throw toNotJson(`${reason}; the source takes it with "json": "lenient"`, body, failure);
}

function toNotJson(reason: string, body: Uint8Array, failure: Capabilities['failure']): SourceFailure {
  return failure('non_json', `the server did not answer with JSON: ${reason}`, { body });
}

/** Undefined where it is nested too deeply, which the engine reports. */
function encode(result: JsonObject): Uint8Array | undefined {
  try {
    return new TextEncoder().encode(JSON.stringify(result));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
