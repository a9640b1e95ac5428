// Made by tools/generate-types.ts from plugins/llm_chat/interface.schema.json: do not edit, run `npm run generate`.
import type { JsonObject } from 'chukwa/plugin';

/** A model behind an OpenAI-compatible chat completions endpoint. */
export interface LlmChatInterface {
  readonly name: 'llm_chat';
  /** The model's name at the endpoint. Where model_env is written too, this model is used while its variable is not set. */
  readonly model?: string;
  /** The environment variable that holds the model's name, so that the model can change and this document stays. Its name begins with CHUKWA_ and ends with MODEL. */
  readonly model_env?: string;
  /** The environment variable that holds the endpoint's base URL, for a source with an endpoint of its own. Its name begins with CHUKWA_ and ends with URL. Where it is left out, the URL is that of CHUKWA_LLM_BASE_URL, else of OPENAI_BASE_URL, else OpenAI's own. */
  readonly base_url_env?: string;
  /** The environment variable that holds the key. Its name begins with CHUKWA_ and ends with KEY. Where it is left out, an endpoint of base_url_env gets no key, and any other gets the key of CHUKWA_LLM_API_KEY, else of OPENAI_API_KEY. */
  readonly api_key_env?: string;
  /** How the model gets the schema of its answer. response_format: beside the messages, not strict, without the bounds that endpoints refuse. json_object: in the prompt, and the endpoint is asked to answer with any JSON object. prompt: in the prompt alone. Nothing else is tried: where the endpoint refuses the setting, the call fails. */
  readonly schema_delivery: 'response_format' | 'json_object' | 'prompt';
  /** How the model calls a tool. json_control: by its JSON answer. native: by the provider's own tool calls; the arguments schemas then have to be of the kind that providers take. */
  readonly tool_calling: 'json_control' | 'native';
  /** Sent with the tools of native tool calling while calls are left; after the last one, none is sent. Where it is left out, the endpoint's own default applies. */
  readonly tool_choice?: 'auto' | 'required';
  /** Whether the endpoint streams the answer. Without a stream nothing is seen before the answer is whole. */
  readonly stream?: boolean;
  /** Whether the endpoint reports the tokens of a stream. The request asks for them by stream_options, which some endpoints refuse. */
  readonly usage?: boolean;
  /** What happens to reasoning that a model writes into its answer, before the JSON, between tags such as <think>. strip_think: it is recorded beside the answer, like reasoning that comes in a field of its own. keep: it stays in the answer, which is no JSON then. */
  readonly reasoning?: 'keep' | 'strip_think';
  /** More members of the request's body, as the endpoint documents them. They are merged last. A member that has a field of its own here is refused. */
  readonly extra_body?: JsonObject;
  /** The sampling temperature. Where it is left out, the endpoint's own default applies. */
  readonly temperature?: number;
  /** The seed of sampling. Where it is left out, none is sent. */
  readonly seed?: number;
  /** The most tokens of an answer, sent as max_completion_tokens. Where it is left out, the endpoint's own limit applies. */
  readonly max_output_tokens?: number;
  /** How long one whole answer may take, in milliseconds. It is 120000 where it is left out. The call's own deadline may end it sooner. */
  readonly timeout_ms?: number;
}
