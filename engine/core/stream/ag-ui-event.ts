import type { ToolErrorCode } from '../../contract/tool-error-code.js';
import type { Json, JsonObject } from '../../contract/json.js';

// The events of AG-UI 1.0 (https://docs.ag-ui.com) that represent the record of an attempt.

/** An operation of a JSON Patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'add' | 'replace';
  readonly path: string;
  readonly value: Json;
}

type Body =
  | { readonly type: 'RUN_STARTED'; readonly threadId: string; readonly runId: string; readonly parentRunId?: string }
  | { readonly type: 'RUN_FINISHED'; readonly threadId: string; readonly runId: string; readonly result: Json }
  | { readonly type: 'RUN_ERROR'; readonly message: string; readonly code: string }
  | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
  | {
      readonly type: 'TEXT_MESSAGE_START';
      readonly messageId: string;
      readonly role: 'assistant';
      readonly name?: string;
    }
  | { readonly type: 'TEXT_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'TEXT_MESSAGE_END'; readonly messageId: string }
  | { readonly type: 'REASONING_START' | 'REASONING_END' | 'REASONING_MESSAGE_END'; readonly messageId: string }
  | { readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning' }
  | { readonly type: 'REASONING_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | {
      readonly type: 'TOOL_CALL_START';
      readonly toolCallId: string;
      readonly toolCallName: string;
      readonly parentMessageId?: string;
    }
  | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
  | {
      readonly type: 'TOOL_CALL_RESULT';
      readonly messageId: string;
      readonly toolCallId: string;
      readonly role: 'tool';
      readonly content: string;
      /** Set where the call failed: `content` is then `{"ok": false, "errorCode", "message"}`. */
      readonly metadata?: { readonly failure_class: string; readonly error_code: ToolErrorCode };
    }
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: JsonObject }
  | { readonly type: 'STATE_DELTA'; readonly delta: readonly PatchOperation[] }
  | { readonly type: 'CUSTOM'; readonly name: string; readonly value: JsonObject };

/** One event; its time in milliseconds since 1970, where the record says when it happened. */
export type AgUiEvent = Body & { readonly timestamp?: number };

/** An event without its time. */
export type AgUiBody = Body;
