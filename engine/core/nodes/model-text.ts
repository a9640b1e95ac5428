import type { Json } from '../../contract/json.js';
import { describeTextFault, parseJson } from '../content/parse-json.js';
import { quoteText } from '../prompt/quote.js';
import type { ChatAnswer } from '../../contract/source.js';
import type { Complaint } from './generation.js';

/** Model text as JSON, or the complaint that says why it is none. */
export type ReadText =
  | { readonly ok: true; readonly normalised: string; readonly value: Json }
  | { readonly ok: false; readonly normalised: string; readonly complaint: Complaint };

/** Trims a model's text and strips one enclosing code fence. Nothing is repaired. */
export function normaliseText(text: string): string {
  const trimmed = text.trim();
  const fenced = /^```[a-zA-Z0-9_-]*[ \t]*\r?\n([\s\S]*?)\r?\n?```$/.exec(trimmed);
  return fenced?.[1] === undefined ? trimmed : fenced[1].trim();
}

/** Reads a model's answer as JSON. */
export function readModelText(answer: ChatAnswer): ReadText {
  const normalised = normaliseText(answer.text);
  const parsed = parse(normalised);
  if (parsed.ok) return { ok: true, normalised, value: parsed.value };
  const cut = answer.finish_reason === 'length' ? ' It was cut off at the output limit: answer more briefly.' : '';
  return {
    ok: false,
    normalised,
    complaint: { detail: 'non_json', message: `The response is not one JSON object: ${parsed.reason}.${cut}` },
  };
}

function parse(
  text: string,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly reason: string } {
  if (text === '') return { ok: false, reason: 'it is empty' };
  const parsed = parseJson(text);
  return parsed.ok ? parsed : { ok: false, reason: quoteText(describeTextFault(parsed.fault)) };
}
