// Made by tools/generate-types.ts from plugins/llm_chat/interface.schema.json: do not edit, run `npm run generate`.
/** A model behind an OpenAI-compatible chat completions endpoint. */
export interface LlmChatInterface {
  readonly name: 'llm_chat';
  /** As the endpoint names it. */
  readonly model: string;
  /** How the model learns the schema of its answer: beside the messages (not strict), beside them in the provider's strict subset, or in the prompt. What is written here is what happens; an endpoint that refuses it fails the call. */
  readonly schema_delivery: 'response_format' | 'response_format_strict' | 'prompt';
  /** Whether the model elects tools by a JSON answer, or by the provider's own tool calls. */
  readonly tool_calling: 'json_control' | 'native';
  /** The endpoint's own default where it is left out. */
  readonly temperature?: number;
  /** Not sent where it is left out. */
  readonly seed?: number;
  /** Sent as max_completion_tokens. The endpoint's own limit where it is left out. */
  readonly max_output_tokens?: number;
  /** How long one whole answer may take, in milliseconds; 120000 where it is left out. The call's own deadline may end it sooner. */
  readonly timeout_ms?: number;
}
