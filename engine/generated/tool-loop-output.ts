// Made by tools/generate-types.ts from schemas/tool-loop-output.schema.json: do not edit, run `npm run generate`.
import type { JsonObject } from '../contract/json.js';

/** What a model says in a tool loop: a call of one tool, or the final patch. */
export type ToolLoopOutput = ToolCallOutput | FinalPatchOutput;

export interface ToolCallOutput {
  readonly kind: 'tool_call';
  readonly tool_call: ToolCall;
}
export interface ToolCall {
  readonly name: string;
  readonly arguments: JsonObject;
}
export interface FinalPatchOutput {
  readonly kind: 'final_patch';
  readonly patch: JsonObject;
}
