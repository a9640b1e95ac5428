// Made by tools/generate-types.ts from plugins/llm_chat/interface.schema.json: do not edit, run `npm run generate`.
import type { JsonObject } from 'chukwa/plugin';

/** A model behind an OpenAI-compatible chat completions endpoint. */
export interface LlmChatInterface {
  readonly name: 'llm_chat';
  /** As the endpoint names it. Beside model_env, the model to use where that variable is not set. */
  readonly model?: string;
  /** The variable that holds the model's name, so that it can change without changing this document. It begins with CHUKWA_ and ends with MODEL. */
  readonly model_env?: string;
  /** The variable that holds the base URL of the endpoint, for a source with an endpoint of its own. It begins with CHUKWA_ and ends with URL. Where it is left out: CHUKWA_LLM_BASE_URL, else OPENAI_BASE_URL, else OpenAI's own. */
  readonly base_url_env?: string;
  /** The variable that holds the key. It begins with CHUKWA_ and ends with KEY. Where it is left out: no key for an endpoint that base_url_env names; for any other CHUKWA_LLM_API_KEY, else OPENAI_API_KEY. */
  readonly api_key_env?: string;
  /** How the model learns the schema of its answer. response_format: beside the messages, not strict, without the bounds that endpoints refuse. json_object: in the prompt, and the endpoint is told to answer with some JSON object. prompt: in the prompt alone. response_format_strict: not available yet. What is written here is what happens; an endpoint that refuses it fails the call. */
  readonly schema_delivery: 'response_format' | 'json_object' | 'prompt' | 'response_format_strict';
  /** Whether the model elects tools by a JSON answer, or by the provider's own tool calls. */
  readonly tool_calling: 'json_control' | 'native';
  /** Whether the answer is asked for as a stream. Without one nothing is seen before the answer is whole. */
  readonly stream?: boolean;
  /** Whether a stream is asked for its token counts, by stream_options. Some endpoints refuse that. */
  readonly usage?: boolean;
  /** What becomes of reasoning that a model writes into its answer, before the JSON, between tags such as <think>. strip_think: it is kept beside the answer, as reasoning in fields of its own is. keep: it stays in the answer, which then is no JSON. */
  readonly reasoning?: 'keep' | 'strip_think';
  /** More members of the request's body, as the endpoint documents them; merged last. Members that have a setting here may not stand in it. */
  readonly extra_body?: JsonObject;
  /** The endpoint's own default where it is left out. */
  readonly temperature?: number;
  /** Not sent where it is left out. */
  readonly seed?: number;
  /** Sent as max_completion_tokens. The endpoint's own limit where it is left out. */
  readonly max_output_tokens?: number;
  /** How long one whole answer may take, in milliseconds; 120000 where it is left out. The call's own deadline may end it sooner. */
  readonly timeout_ms?: number;
}
