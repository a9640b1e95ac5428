import type { Json } from '../../contract/json.js';
import { problem } from '../../contract/problem.js';
import { findJsonFault } from '../content/json-parts.js';
import type { SyntaxFault } from '../../contract/problems/files.js';
import { findSyntaxFault } from '../content/source-syntax.js';
import { describeTextFault, parseJson } from '../content/parse-json.js';
import { quoteText } from '../prompt/quote.js';
import type { ChatAnswer } from '../../contract/source.js';
import type { ToolCalling } from '../protocol/program.js';
import type { Complaint } from './complaint.js';

/** Model text as JSON, or the complaint that says why it is none. */
export type ReadText =
  | { readonly ok: true; readonly normalised: string; readonly value: Json }
  | { readonly ok: false; readonly normalised: string; readonly complaint: Complaint };

/** Trims a model's text and strips one enclosing code fence. Nothing is repaired. */
function normaliseText(text: string): string {
  const trimmed = text.trim();
  const [opening, fence = ''] = /^(`{3,}|~{3,})[a-zA-Z0-9_-]*/.exec(trimmed) ?? [''];
  // Its end is looked at, and not searched for: a search would take a power of the text's length.
  const isFenced = fence !== '' && trimmed.length >= opening.length + fence.length && trimmed.endsWith(fence);
  return isFenced ? trimmed.slice(opening.length, -fence.length).trim() : trimmed;
}

/** Reads a model's answer as JSON. @param tools how the model calls tools */
export function readModelText(answer: ChatAnswer, tools: ToolCalling = 'json_control'): ReadText {
  const normalised = normaliseText(answer.text);
  if (isToolCall(normalised, answer)) return rejected(normalised, TOOL_CALLS[tools]);
  const parsed = parse(normalised);
  if (parsed.ok) return { ok: true, normalised, value: parsed.value };
  return rejected(normalised, parsed.fault, answer.finish_reason === 'length' ? cutNote(normalised) : '');
}

/** Why a text is no JSON, and whether the rest of it is worth keeping. */
interface Fault {
  readonly reason: string;
  /** The answer never began as JSON: nothing of it can be kept. */
  readonly from_scratch?: true;
}

function rejected(normalised: string, { reason, from_scratch }: Fault, note = ''): ReadText {
  const message = `The response is not one JSON object: ${reason}.${note}`;
  return {
    ok: false,
    normalised,
    complaint: { detail: 'non_json', message, ...(from_scratch ? { from_scratch } : {}) },
  };
}

/** Reasons to end with which endpoints say that the text is a native tool call. */
const TOOL_CALL_REASONS: readonly string[] = ['tool_calls', 'function_call', 'tool_use_failed'];

/** Native tool calls as models write them where no native tool is offered. */
const TOOL_CALL_BEGINS = /^(<tool_call|<\|tool_call|<function[=_]|\[TOOL_CALLS\]|<\|python_tag\|>)/;

const TOOL_CALLS: Readonly<Record<ToolCalling, Fault>> = {
  json_control: {
    reason:
      'it is a native tool call, and none was offered. Tools are called here by the JSON object itself, written as ordinary text',
    from_scratch: true,
  },
  native: {
    reason: 'it is a tool call that did not end as one: it was cut off, or is written as text',
    from_scratch: true,
  },
};

/** Some servers name the reason although the text is an ordinary answer: a text that begins as JSON is read as JSON. */
function isToolCall(normalised: string, { finish_reason }: ChatAnswer): boolean {
  if (TOOL_CALL_BEGINS.test(normalised)) return true;
  return TOOL_CALL_REASONS.includes(finish_reason) && !normalised.startsWith('{');
}

function cutNote(normalised: string): string {
  return normalised === ''
    ? ' The output limit was reached before it began: think less, and answer at once.'
    : ' It was cut off at the output limit: answer more briefly.';
}

function parse(
  text: string,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly fault: Fault } {
  if (text === '') return { ok: false, fault: { reason: 'it is empty', from_scratch: true } };
  const parsed = parseJson(text);
  if (parsed.ok) {
    const { value } = parsed;
    // A JSON text that holds the object.
    return typeof value === 'string' && value.trimStart().startsWith('{') ? parse(value.trim()) : parsed;
  }
  const begun = describeBeginning(text);
  return { ok: false, fault: begun ?? { reason: quoteText(describeSyntax(text) ?? describeTextFault(parsed.fault)) } };
}

/** How many characters are quoted before and behind a fault, as data: the model knows no character by its number. */
const NEAR_MAX = 20;

/** The fault of a text that stops being JSON before its end. */
function describeSyntax(text: string): string | undefined {
  const at = findJsonFault(text);
  if (at >= text.length) return undefined;
  const near = text.slice(Math.max(0, at - NEAR_MAX), at + NEAR_MAX).toWellFormed();
  const { message, repair } = problem('INVALID_JSON', findOwnFault(text, at));
  return `${message}, near ${JSON.stringify(near)}. ${repair.replace(/\.$/, '')}`;
}

/** Faults that models make and authors of documents do not, before those of both. */
function findOwnFault(text: string, at: number): SyntaxFault {
  const found = text.charAt(at);
  if (found === '\n' || found === '\r') return { kind: 'line_break' };
  if (found === '/') return { kind: 'comment_of_model' };
  const before = text.slice(0, at).trimEnd();
  if (parseJson(before).ok) return { kind: 'more' };
  if (before.endsWith('"') && /[^\s,:}\]"'/]/.test(found)) return { kind: 'text_goes_on' };
  return findSyntaxFault(text, at);
}

/** How much is quoted of the text where JSON should begin, in characters. */
const QUOTED_MAX = 60;

/** The fault of a text that never began as an object or a list, and is no other JSON. */
function describeBeginning(text: string): Fault | undefined {
  if (/^[{[]/.test(text)) return undefined;
  const quoted = Array.from(text).slice(0, QUOTED_MAX).join('');
  const more = quoted.length < text.length ? ' and goes on' : '';
  return { reason: `it begins with ${JSON.stringify(quoted)}${more}, where { should stand`, from_scratch: true };
}
