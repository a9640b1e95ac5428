import type { Capabilities, ParsedAnswer } from 'chukwa/plugin';

/** Takes JSON in UTF-8. */
export function readAnswer(body: Uint8Array, parseJson: Capabilities['parseJson']): ParsedAnswer {
  const text = decode(body);
  return text === undefined ? { ok: false, reason: 'it is not UTF-8' } : parseJson(text);
}

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}
