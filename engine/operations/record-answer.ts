import { isWritableFailure } from '../contract/failure-class.js';
import type { Json } from '../contract/json.js';
import type { Answer, SourceClass, TextAnswer } from '../generated/workflow-test.js';
import type { InvocationRecord, InvocationView, LlmCallRecord } from '../ports/records.js';
import { type Done, type Engine, refuse, type Refused } from './engine.js';
import { fillHidden } from './fill-hidden.js';
import { showInvocation, showLlmCall } from './records.js';

/** What a call was answered, as a document of answers says it. */
export interface RecordedCall {
  readonly key: string;
  readonly answer: Answer;
  readonly is_hidden: boolean;
}

interface CallToRecord {
  readonly source_invocation_id: string;
  readonly view: InvocationView;
  /** Nothing left the process. */
  readonly is_refused: boolean;
}

/** Makes an answer of a call's record. @returns nothing for a call that is refused again whatever is answered */
export async function recordAnswer(engine: Engine, call: CallToRecord): Promise<Done<RecordedCall | undefined>> {
  const shown = await showInvocation(engine, call.source_invocation_id, call.view);
  if (!shown.ok) return shown;
  const record = shown.value;
  if (call.is_refused && record.failure_class !== 'unavailable') return { ok: true, value: undefined };
  const key = record.command_key;
  if (record.llm_call_id !== null) {
    const generation = await showLlmCall(engine, record.llm_call_id);
    if (!generation.ok) return generation;
    return { ok: true, value: { key, answer: toSaid(generation.value), is_hidden: false } };
  }
  const filled = record.hidden_by_redaction ? await fillAnswer(engine, record) : record;
  if ('ok' in filled) return filled;
  return { ok: true, value: { key, answer: toReplied(filled), is_hidden: record.hidden_by_redaction } };
}

function isSourceClass(failure_class: string | null): failure_class is SourceClass {
  return failure_class !== null && isWritableFailure(failure_class);
}

/** What a model said. What the core made of it comes by itself again. */
function toSaid({ raw_text, finish_reason, tokens, failure_class, failure_message }: LlmCallRecord): Answer {
  const usage =
    tokens === null ? {} : { usage: { input_tokens: tokens.input_tokens, output_tokens: tokens.output_tokens } };
  if (isSourceClass(failure_class))
    return toFailure(failure_class, failure_message, raw_text === '' ? {} : { text: raw_text });
  const json = parseExactly(raw_text);
  if (json !== undefined && finish_reason === 'stop') return { json, ...usage };
  return { text: raw_text, ...(isFinishReason(finish_reason) ? { finish_reason } : {}), ...usage };
}

const FINISH_REASONS: readonly (string | null)[] = ['stop', 'length', 'content_filter'];

function isFinishReason(reason: string | null): reason is NonNullable<TextAnswer['finish_reason']> {
  return FINISH_REASONS.includes(reason);
}

/** JSON that would be said in just these characters. */
function parseExactly(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What any other source answered. */
function toReplied(record: InvocationRecord): Answer {
  const { failure_class, failure_message, http_status, response_text, response_json } = record;
  // Whether an answer fits its schema is judged again; a request that was refused has no answer.
  const isJudged = failure_class === 'schema_invalid' && response_json !== null;
  if (!isSourceClass(failure_class) || isJudged) return { json: response_json };
  return toFailure(failure_class, failure_message, {
    ...(http_status === null || http_status < 100 ? {} : { http_status }),
    ...(response_text === null ? {} : { text: response_text }),
  });
}

function toFailure(
  failure: SourceClass,
  message: string | null,
  more: { readonly http_status?: number; readonly text?: string },
): Answer {
  return { failure, ...(message === null ? {} : { message }), ...more };
}

/**
 * Fills what redaction hides of an answer and its schema asks for.
 * @returns a refusal where the schema asks for more than can be made up
 */
async function fillAnswer(engine: Engine, record: InvocationRecord): Promise<InvocationRecord | Refused> {
  const { output_schema_hash, response_json, status, command_key } = record;
  if (status !== 'succeeded' || output_schema_hash === null) return record;
  const stored = await engine.store.components.find('json_schema', output_schema_hash);
  const compiled = stored && engine.authoring.compileSchema(output_schema_hash, stored.content);
  if (!compiled?.ok) return record;
  const filled = fillHidden(response_json, stored?.content);
  const problems = compiled.value(filled).filter(({ severity }) => severity !== 'note');
  if (problems.length === 0) return { ...record, response_json: filled };
  const reasons = problems.map(({ message, pointer }) => (pointer ? `${message} (at ${pointer})` : message));
  return refuse({
    code: 'RECORDING_HIDDEN',
    message: `Redaction hides a part of the answer to ${command_key} that its schema asks for, and that cannot be made up: ${reasons.join('; ')}.`,
    repair: 'Where all of it may stand in a file, record it with --unredacted.',
  });
}
