import type { ChatRequest } from 'chukwa/plugin';
import type OpenAI from 'openai';
import type { LlmChatInterface } from './interface.js';

/** Where the client connects when the operator names no endpoint; the manifest says the same. */
const DEFAULT_ORIGIN = 'https://api.openai.com/v1';

/** How long a whole answer may take where the source does not say. */
export const TIMEOUT_DEFAULT_MS = 120_000;

/** What is sent of the headers that the client makes up. */
const SENT_HEADERS = ['accept', 'authorization', 'content-type', 'x-client-request-id'];

/** The body of the request. */
export function toChatParams(
  told: LlmChatInterface,
  { messages, output_schema }: ChatRequest,
): OpenAI.ChatCompletionCreateParamsStreaming {
  return {
    model: told.model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    stream: true,
    stream_options: { include_usage: true },
    ...(told.temperature === undefined ? {} : { temperature: told.temperature }),
    ...(told.seed === undefined ? {} : { seed: told.seed }),
    ...(told.max_output_tokens === undefined ? {} : { max_completion_tokens: told.max_output_tokens }),
    ...(output_schema ? { response_format: toResponseFormat(output_schema) } : {}),
  };
}

function toResponseFormat({
  name,
  schema,
}: NonNullable<ChatRequest['output_schema']>): OpenAI.ResponseFormatJSONSchema {
  return { type: 'json_schema', json_schema: { name, strict: false, schema: { ...schema } } };
}

/** What the client is told where there is no key, without which it does not begin; nothing of it is sent. */
const NO_KEY = 'none';

/** An explicit few: the client would tell of the machine that it runs on, and take more from the environment. */
export function toSentHeaders(given: RequestInit['headers']): Readonly<Record<string, string>> {
  const sent = [...new Headers(given).entries()].filter(([name]) => SENT_HEADERS.includes(name));
  return Object.fromEntries(sent.filter(([name, value]) => name !== 'authorization' || value !== `Bearer ${NO_KEY}`));
}

/** The operator's key; a stand-in for an endpoint of their own that needs none. Undefined where there must be one. */
export function findKey(variables: Readonly<Record<string, string>>, origin_url: string): string | undefined {
  const key = variables['CHUKWA_LLM_API_KEY'] ?? variables['OPENAI_API_KEY'];
  return key ?? (origin_url === DEFAULT_ORIGIN ? undefined : NO_KEY);
}

/** What the source asks for and this plugin does not do: said before anything is sent, never replaced by something else. */
export function findUnsupported({ schema_delivery, tool_calling }: LlmChatInterface): string | undefined {
  if (schema_delivery === 'response_format_strict') {
    return 'schema_delivery response_format_strict is not available yet: write response_format or prompt';
  }
  if (tool_calling === 'native') return 'tool_calling native is not available yet: write json_control';
  return undefined;
}
