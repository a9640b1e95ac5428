import { type Outcome, problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { isWritableFailure } from '../../contract/failure-class.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { reasonOfDenial } from '../../core/approvals/approval.js';
import { listCalls } from '../../core/prompt/items.js';
import { withoutQuotation } from '../../core/protocol/failure.js';
import type { Answer, SourceClass, TextAnswer } from '../../generated/workflow-test.js';
import type { InvocationRecord, InvocationView, LlmCallRecord } from '../../ports/records.js';
import type { Engine } from '../engine.js';
import { showInvocation, showLlmCall } from '../browse/records.js';
import { isObject } from '../../core/content/json-pointer.js';

/** A call's answer in the form of a document of answers. */
export interface RecordedCall {
  readonly key: string;
  readonly answer: Answer;
  readonly is_hidden: boolean;
}

/** Makes an answer of a call's record. @param is_refused nothing left the process @returns undefined for a refused call: it is refused again with any answer */
export async function recordAnswer(
  engine: Engine,
  source_invocation_id: string,
  view: InvocationView,
  is_refused: boolean,
): Promise<Outcome<RecordedCall | undefined>> {
  const shown = await showInvocation(engine, source_invocation_id, view);
  if (!shown.ok) return shown;
  const record = shown.value;
  if (is_refused && !isSourceClass(record.failure_class)) return succeed(undefined);
  const key = record.command_key;
  if (record.llm_call_id !== null) {
    const generation = await showLlmCall(engine, record.llm_call_id);
    if (!generation.ok) return generation;
    return succeed({ key, answer: toSaid(generation.value, toStatus(record)), is_hidden: false });
  }
  const filled = record.hidden_by_redaction ? await fillAnswer(engine, record) : record;
  if ('ok' in filled) return filled;
  return succeed({ key, answer: toReplied(filled), is_hidden: record.hidden_by_redaction });
}

function isSourceClass(failure_class: string | null): failure_class is SourceClass {
  return failure_class !== null && isWritableFailure(failure_class);
}

/** A model's answer. The core derives the rest again. */
function toSaid(
  { raw_text, items, finish_reason, tokens, failure_class, failure_message }: LlmCallRecord,
  http_status: number | undefined,
): Answer {
  const usage =
    tokens === null ? {} : { usage: { input_tokens: tokens.input_tokens, output_tokens: tokens.output_tokens } };
  if (isSourceClass(failure_class))
    return toFailure(failure_class, failure_message, present({ http_status, text: raw_text || undefined }));
  const [call, ...others] = listCalls(present({ items: items ?? undefined }));
  const args = call && others.length === 0 ? parseExactly(call.arguments || '{}') : undefined;
  if (call !== undefined && args !== undefined)
    return { json: { kind: 'tool_call', tool_call: { name: call.name, arguments: args } }, ...usage };
  const json = parseExactly(raw_text);
  if (json !== undefined && finish_reason === 'stop') return { json, ...usage };
  return { text: raw_text, ...(isFinishReason(finish_reason) ? { finish_reason } : {}), ...usage };
}

const FINISH_REASONS: readonly (string | null)[] = ['stop', 'length', 'content_filter'];

function isFinishReason(reason: string | null): reason is NonNullable<TextAnswer['finish_reason']> {
  return FINISH_REASONS.includes(reason);
}

/** The JSON of a text, where writing it gives the same characters. */
function parseExactly(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function toReplied(record: InvocationRecord): Answer {
  const { failure_class, failure_message, response_text, response_json } = record;
  // The schema is checked again; a refused request has no answer.
  const isJudged = failure_class === 'schema_invalid' && response_json !== null;
  if (!isSourceClass(failure_class) || isJudged) return { json: response_json };
  const more = present({ http_status: toStatus(record), text: response_text ?? undefined });
  return toFailure(failure_class, failure_message, more);
}

/** The status by which `retry` and `fallback` know a failure, where the service gave one. */
function toStatus({ http_status }: Pick<InvocationRecord, 'http_status'>): number | undefined {
  return http_status === null || http_status < 100 ? undefined : http_status;
}

function toFailure(
  failure: SourceClass,
  message: string | null,
  more: { readonly http_status?: number; readonly text?: string },
): Answer {
  const isDenied = failure === 'approval_denied' && message !== null;
  const said = isDenied
    ? reasonOfDenial(message)
    : (message ?? undefined) && withoutQuotation(message ?? '', more.text);
  return { failure, ...present({ message: said }), ...more };
}

/**
 * Fills the parts that redaction hides and the answer's schema requires.
 * @returns a refusal where the schema requires more than can be made up
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
  return refuse(problem('RECORDING_HIDDEN', { key: command_key, reasons }));
}

const HIDDEN = 'hidden';

/**
 * Completes a redacted answer with members that its schema requires. No turn sees them: redaction hides them again.
 * Only plain keywords of the schema are followed, so the result may still not fit.
 */
function fillHidden(value: Json, schema: Json | undefined): Json {
  if (!isObject(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => fillHidden(item, schema['items']));
  if (!isObject(value)) return value;
  const { required = [], properties = {} } = schema as {
    readonly required?: readonly string[];
    readonly properties?: JsonObject;
  };
  const shown = Object.entries(value).map(([name, member]) => [name, fillHidden(member, properties[name])] as const);
  const hidden = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => [name, sampleOf(properties[name])] as const);
  return Object.fromEntries([...shown, ...hidden]);
}

function sampleOf(schema: Json | undefined): Json {
  if (!isObject(schema)) return HIDDEN;
  const { const: only, enum: listed, default: usual, examples, type, minimum = 0 } = schema;
  const given = only ?? first(listed) ?? usual ?? first(examples);
  if (given !== undefined) return given;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return fillHidden({}, schema);
    case 'array':
      return [];
    case 'number':
    case 'integer':
      return minimum;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return HIDDEN;
  }
}

function first(list: Json | undefined): Json | undefined {
  return Array.isArray(list) ? (list as readonly Json[])[0] : undefined;
}
