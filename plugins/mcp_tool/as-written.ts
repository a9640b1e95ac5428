import type { Capabilities, Json, JsonObject, ParsedAnswer, SourceFailure } from 'chukwa/plugin';

/** The member of a result of which the client library is given another text than the server wrote. */
const AS_WRITTEN = 'chukwa/as_written';

/**
 * Reads a message as far as it can be kept. The library's own parser would round numbers in silence, so it is given a text
 * in which they are texts; the result then holds what the server wrote, for the source to judge.
 * @returns with `replaced` where the value is not what the text says
 */
export function admitMessage(text: string, parseJson: Capabilities['parseJson']): ParsedAnswer {
  const read = parseJson(text, 'lenient');
  if (!read.ok || !isObject(read.value)) return read;
  const value = withoutNulls(read.value);
  const { replaced: reason } = read;
  if (reason === undefined) return value === read.value ? read : { ...read, value, replaced: NULLS };
  if (!isObject(value['result'])) return { ...read, value };
  return { ...read, value: { ...value, result: { ...value['result'], [AS_WRITTEN]: { text, reason } } } };
}

/** Reads a list of tools, of which each is judged by itself. @returns undefined where it goes on as it is */
export function admitList(text: string): ParsedAnswer | undefined {
  const said = parseObject(text);
  const value = said && withoutNulls(said);
  return value === undefined || value === said ? undefined : { ok: true, value, replaced: NULLS };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const said = JSON.parse(text) as Json;
    return isObject(said) ? said : undefined;
  } catch {
    return undefined;
  }
}

const NULLS = 'a member that is null was left out';

/** Members of a message, whose own members may be null where a server sets none. */
const HELD: readonly string[] = [
  'result',
  'error',
  'params',
  'capabilities',
  'tools',
  'prompts',
  'resources',
  'serverInfo',
];

/**
 * The library takes null for no optional member. What a tool has answered, and a result that is null, stay as they are.
 * @returns the value itself where it has none
 */
function withoutNulls(value: JsonObject): JsonObject {
  const isNullResult = value['error'] === undefined || value['error'] === null;
  const kept = Object.entries(value).filter(
    ([name, member]) => member !== null || name === 'id' || (name === 'result' && isNullResult),
  );
  const read = kept.map(
    ([name, member]) => [name, HELD.includes(name) && isObject(member) ? withoutNulls(member) : member] as const,
  );
  const isSame = kept.length === Object.keys(value).length && read.every(([name, member]) => member === value[name]);
  return isSame ? value : Object.fromEntries(read);
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
