import type { Json } from '../../contract/json.js';
import { parseJson } from './parse-json.js';
import { redact } from './redact.js';

/** The most text that can tell a model why a call failed. */
const TEXT_LENGTH_MAX = 2_000;

/**
 * The visible part of the body with which a service said that a call failed. JSON is cut to the binding's allow-list; a
 * text has no parts that pointers name, and is seen whole or not at all.
 * @param body free of secrets
 * @returns undefined where no part is visible
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
