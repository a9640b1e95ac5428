import type { Capabilities, ChatRequest, Json, JsonObject } from 'chukwa/plugin';
import type { LlmChatInterface } from './interface.js';
import { toNativeBody } from './items.js';

/** The default endpoint; the manifest has the same. */
const DEFAULT_ORIGIN = 'https://api.openai.com/v1';

const BASE_URL_VARIABLES = ['CHUKWA_LLM_BASE_URL', 'OPENAI_BASE_URL'] as const;
const KEY_VARIABLES = ['CHUKWA_LLM_API_KEY', 'OPENAI_API_KEY'] as const;

/** The body of the request. @throws SourceFailure where it holds tool calls that do not fit their results */
export function toBody(
  settings: LlmChatInterface,
  { model = '', failure }: Pick<Capabilities, 'model' | 'failure'>,
  { messages, output_schema, max_output_tokens, native }: ChatRequest,
): JsonObject {
  const streams = settings.stream ?? true;
  const response_format = toResponseFormat(settings, output_schema);
  return {
    model,
    ...(native === undefined
      ? { messages: messages.map(({ role, content }) => ({ role, content })) }
      : toNativeBody(native, settings, failure)),
    stream: streams,
    ...(streams && (settings.usage ?? true) ? { stream_options: { include_usage: true } } : {}),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(settings.seed === undefined ? {} : { seed: settings.seed }),
    ...(response_format === undefined ? {} : { response_format }),
    ...settings.extra_body,
    ...toOutputLimit(settings, max_output_tokens),
  };
}

/** The limit of the answer: the source's own, or what budgets leave, under the name that the source's endpoint takes. */
function toOutputLimit({ max_output_tokens, extra_body }: LlmChatInterface, left: number | undefined): JsonObject {
  if (left !== undefined && extra_body?.['max_tokens'] !== undefined) return { max_tokens: left };
  const limit = left ?? max_output_tokens;
  return limit === undefined ? {} : { max_completion_tokens: limit };
}

function toResponseFormat(
  { schema_delivery }: LlmChatInterface,
  output_schema: ChatRequest['output_schema'],
): Json | undefined {
  if (output_schema) {
    const { name, schema } = output_schema;
    return { type: 'json_schema', json_schema: { name, strict: false, schema } };
  }
  return schema_delivery === 'json_object' ? { type: 'json_object' } : undefined;
}

/** All headers of a request. */
export function toHeaders(key: string | undefined, client_request_id: string): Readonly<Record<string, string>> {
  return {
    accept: 'text/event-stream, application/json',
    'content-type': 'application/json',
    'x-client-request-id': client_request_id,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
}

/** The variable that names the endpoint, for messages. */
export function baseUrlVariable({ base_url_env }: LlmChatInterface): string {
  return base_url_env ?? BASE_URL_VARIABLES[0];
}

/** The variable that holds the key, for messages. */
export function keyVariable({ api_key_env }: LlmChatInterface): string {
  return api_key_env ?? KEY_VARIABLES[0];
}

/** The operator's key; none for an endpoint of their own that needs none; or a sentence where there must be one. */
export type FoundKey =
  | { readonly ok: true; readonly key: string | undefined }
  | {
      readonly ok: false;
      /** A missing key may be set later; one that no header may have stays what it is. */
      readonly failure_class: 'unavailable' | 'call_rejected';
      readonly message: string;
    };

/**
 * Finds the key; none where a connection has one. An endpoint that the source names by a variable of its own never gets the key of another.
 */
export function findKey(
  settings: LlmChatInterface,
  variables: Readonly<Record<string, string>>,
  origin: Pick<NonNullable<Capabilities['origin']>, 'url' | 'connection'>,
): FoundKey {
  if (origin.connection !== undefined) return { ok: true, key: undefined };
  const { api_key_env, base_url_env } = settings;
  if (api_key_env !== undefined) {
    const key = variables[api_key_env];
    return key === undefined
      ? {
          ok: false,
          failure_class: 'unavailable',
          message: `${api_key_env} is not set: set it to the key of the endpoint`,
        }
      : toFoundKey(api_key_env, key);
  }
  if (base_url_env !== undefined) return { ok: true, key: undefined };
  const variable = KEY_VARIABLES.find((name) => variables[name] !== undefined);
  if (variable !== undefined) return toFoundKey(variable, variables[variable] ?? '');
  if (origin.url !== DEFAULT_ORIGIN) return { ok: true, key: undefined };
  const message = `no key is set: set ${KEY_VARIABLES[0]}, or ${BASE_URL_VARIABLES[0]} to an endpoint that needs none, such as http://127.0.0.1:11434/v1 for a local model`;
  return { ok: false, failure_class: 'unavailable', message };
}

/** HTTP sends a header in Latin-1. */
function toFoundKey(variable: string, key: string): FoundKey {
  const message = `${variable} holds a character that no header may have`;
  return /^[\u0020-\u00FF]*$/.test(key) ? { ok: true, key } : { ok: false, failure_class: 'call_rejected', message };
}
