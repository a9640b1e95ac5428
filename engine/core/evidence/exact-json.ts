import { readParts } from '../content/json-parts.js';
import { toPointer } from '../content/json-pointer.js';
import { parseJson } from '../content/parse-json.js';

/**
 * Parses I-JSON in which each number is written as canonical JSON (RFC 8785) writes it. Readers of other languages keep `1.0`,
 * `1e0` or more digits than a double has in different ways: a file that has them would mean something else to each.
 */
export function parseExactJson(text: string): ReturnType<typeof parseJson> {
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  for (const { at, ...part } of readParts(text)) {
    if (part.kind !== 'value' || !/^[-\d]/.test(part.written) || String(Number(part.written)) === part.written)
      continue;
    const reason = 'holds a number that canonical JSON writes otherwise';
    return { ok: false, fault: { reason, at, pointer: toPointer(part.path) } };
  }
  return parsed;
}
