import type { ParsedAnswer } from '../contract/source.js';
import { describeFaultPlace, parseJson } from '../core/content/parse-json.js';

/** Parses what a source answered. The reason names no member: redaction may hide it. */
export function parseAnswer(text: string): ParsedAnswer {
  const parsed = parseJson(text);
  return parsed.ok ? parsed : { ok: false, reason: describeFaultPlace(parsed.fault) };
}
