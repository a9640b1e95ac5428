import type { Json } from '../../contract/json.js';
import { parseJson } from './parse-json.js';
import { redact } from './redact.js';

/** More of a text than tells a model why a call failed. */
const TEXT_LENGTH_MAX = 2_000;

/**
 * What may be seen of the body with which a service said that a call failed. Of JSON it is what the allow-list of the
 * binding lets through; a text has no parts that pointers name, and is seen whole or not at all.
 * @param body free of secrets
 * @returns undefined where there is nothing to be seen
 */
export function viewFailureBody(body: Uint8Array, allow: 'all' | readonly string[]): Json | undefined {
  const text = new TextDecoder().decode(body).trim();
  const parsed = parseJson(text);
  if (parsed.ok) {
    const view = redact(parsed.value, allow);
    return isBare(view) ? undefined : view;
  }
  if (text === '' || allow !== 'all') return undefined;
  return Array.from(text.replaceAll('\0', '')).slice(0, TEXT_LENGTH_MAX).join('');
}

/** Whether redaction has left nothing of a value but the frame. */
export function isBare(value: Json): boolean {
  if (typeof value !== 'object') return false;
  return value === null || Object.values(value).every(isBare);
}
