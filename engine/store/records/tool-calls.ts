import type { Json, JsonObject } from '../../contract/json.js';
import type { AnswerItem } from '../../contract/source.js';
import { type RejectedToolCall, toolErrorCodeOf } from '../../contract/tool-error-code.js';
import { isList, isObject } from '../../core/content/json-pointer.js';
import { redact } from '../../core/content/redact.js';
import { listRejectedCalls } from '../../core/prompt/items.js';
import type { InvocationRecord, ToolCallRecord, ToolResultRecord } from '../../ports/records.js';
import { type InWorld, query } from '../queries.js';
import type { Runner } from '../statement.js';
import { type Redacted, toChatAnswer } from './invocation-rows.js';

/** What is known of a call that failed. */
export type FailedAnswer = Pick<
  InvocationRecord,
  'command_key' | 'failure_class' | 'failure_detail' | 'failure_message'
>;

/** A call with the view of its answer. */
type Seen = FailedAnswer &
  Pick<InvocationRecord, 'source_invocation_id' | 'invocation_kind' | 'status' | 'tool_name' | 'request_json'> & {
    readonly tool_call_id: string | null;
    readonly response_json: Json;
  };

/** The tool calls of a generation whose answer was rejected. @param view the answer, as redaction shows it */
export function findRejectedCalls(
  { command_key, failure_class, failure_detail: detail, failure_message: message }: FailedAnswer,
  view: Json,
): readonly RejectedToolCall[] {
  const items = isObject(view) ? view['items'] : undefined;
  if (failure_class !== 'model_content' || items === undefined || !isList(items) || !items.every(isWhole)) return [];
  return listRejectedCalls(items as unknown as readonly AnswerItem[], command_key, { detail, message });
}

/** Redaction may hide parts of an item. */
function isWhole(item: Json): boolean {
  if (!isObject(item)) return false;
  return item['type'] === 'reasoning' || (typeof item['call_id'] === 'string' && typeof item['name'] === 'string');
}

/** The end of a tool's call; null of any other call, and until then. */
export function toToolResult(call: Seen): ToolResultRecord | null {
  const { invocation_kind, status, response_json, failure_class, failure_message: safeMessage } = call;
  if (invocation_kind !== 'model_elected_tool') return null;
  const toolCallId = call.tool_call_id ?? call.source_invocation_id;
  if (status === 'succeeded') return { toolCallId, ok: true, value: response_json, errorCode: null, safeMessage: null };
  if (failure_class === null) return null;
  return { toolCallId, ok: false, value: null, errorCode: toolErrorCodeOf(failure_class), safeMessage };
}

/** The tool calls of a call, as programs are told of them: its own, or those of an answer that was rejected. */
export function toToolCalls(call: Seen): readonly ToolCallRecord[] {
  if (call.invocation_kind === 'model_elected_tool') {
    const toolCallId = call.tool_call_id ?? call.source_invocation_id;
    const ended = toToolResult(call);
    const start = { toolCallId, toolName: call.tool_name ?? '', args: call.request_json };
    return [{ tool_call_start: start, tool_call_result: ended && { toolCallId, result: toResult(ended) } }];
  }
  return findRejectedCalls(call, call.response_json).map(({ tool_call_id: toolCallId, tool_name, ...failed }) => ({
    tool_call_start: { toolCallId, toolName: tool_name, args: null },
    tool_call_result: { toolCallId, result: toFailure(failed.error_code, failed.message) },
  }));
}

function toResult({ ok, value, errorCode, safeMessage }: ToolResultRecord): Json {
  return ok ? value : toFailure(errorCode, safeMessage);
}

function toFailure(errorCode: string | null, message: string | null): JsonObject {
  return { ok: false, errorCode, message };
}

type AskedCalls = InWorld & { readonly source_invocation_ids: readonly string[] };

const readCalls = query(({ from }, { world_slug, source_invocation_ids }: AskedCalls) =>
  from('source_invocations as calls')
    .select(['source_invocation_id', 'invocation_kind', 'llm_call_id', 'command_key', 'status', 'tool_name'])
    .select(['tool_call_id', 'request_json', 'response_json', 'redaction'])
    .select(['failure_class', 'failure_detail', 'failure_message'])
    .where('world_slug', '=', world_slug)
    .where('source_invocation_id', '=', (eb) => eb.fn.any(eb.val(source_invocation_ids)))
    .orderBy('invocation_seq')
    .$narrowType<Redacted>(),
);

/** Reads the tool calls of several calls by one statement, in the order of their issue. */
export async function listToolCalls(
  runner: Runner,
  world_slug: string,
  source_invocation_ids: readonly string[],
): Promise<readonly ToolCallRecord[]> {
  const rows = await readCalls(runner, { world_slug, source_invocation_ids });
  return rows.flatMap(({ redaction, llm_call_id, response_json, ...call }) => {
    const answer = llm_call_id === null ? response_json : toChatAnswer(null, null, response_json);
    return toToolCalls({ ...call, response_json: answer === null ? null : redact(answer, redaction) });
  });
}
