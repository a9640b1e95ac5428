/**
 * Errors of providers. They share neither statuses nor codes, so the words decide: the same refusal comes as 400, as
 * 500, and as an event of a stream whose status is 200.
 */
import type { Capabilities, SourceFailureClass } from 'chukwa/plugin';
import { isFields } from './chunk.js';

/** Why there is no answer. */
export interface Failed {
  readonly failure_class: SourceFailureClass;
  readonly message: string;
}

/** An error that holds the model's answer: then the model is at fault, and not the endpoint. */
export interface SaidAfterAll {
  readonly text: string;
  readonly finish_reason: string;
}

/** The parts of a request that messages about its failure need. */
export interface AskedOf {
  readonly model: string;
  /** Tools were offered. */
  readonly is_native: boolean;
  /** The variables with the endpoint's URL and key. */
  readonly base_url_variable: string;
  readonly key_variable: string;
  /** How the request spoke of the schema, where it did so outside of the prompt. */
  readonly response_format?: 'json_schema' | 'json_object';
  readonly quote: Capabilities['quote'];
}

/** An error as it came. */
export interface ProviderError {
  /** The status, or the code of an error within an answer that is like one; left out for any other event in a stream. */
  readonly http_status?: number;
  /** The response itself was a success. */
  readonly in_answer?: true;
  readonly body: string;
  readonly retry_after?: string;
}

/** A kind of refusal, recognised by its words. One that would recur is `call_rejected`: nobody retries it. */
interface Kind {
  /** Left out where the status says it; of an event in a stream, that the connection broke off. */
  readonly failure_class?: SourceFailureClass;
  readonly words: RegExp;
  /** Excludes this kind, whatever the words. */
  readonly isNever?: (error: ProviderError) => boolean;
  /** The meaning, and the repair. */
  readonly advise: (asked: AskedOf, error: ProviderError) => string;
}

/** A status that says to wait: words about tokens or streams are about their rate then. */
const isThrottled = ({ http_status }: ProviderError): boolean => http_status === 429;

/** Statuses of a gateway, or of a service that is overloaded or being mended. */
const IS_DOWN: readonly number[] = [502, 503, 504];

const QUOTA: Kind = {
  failure_class: 'call_rejected',
  words:
    /insufficient[_ -]?(quota|balance|credit|funds)|exceeded your current quota|(out of|not enough|more) credits|billing|payment required/i,
  // Rate limits mention plans and billing too, but name a retry time. A service that is down may name its billing as
  // the part that is.
  isNever: ({ http_status = 0, body, retry_after }) =>
    IS_DOWN.includes(http_status) || retry_after !== undefined || /(try again|retry)[ _-]?(in|after|delay)/i.test(body),
  advise: () => "the key's quota or credit is used up: waiting does not help, paying or another key does",
};

const RATE: Kind = {
  words: /rate[_ -]?limit|too many requests|tokens per (minute|day)|requests per (minute|day)|\b[TR]P[MD]\b/i,
  advise: (_, error) => `the endpoint limits the rate of requests: ${adviseWait(error)}`,
};

const FILTER: Kind = {
  failure_class: 'model_refusal',
  words:
    /content[_ -]?(filter|policy|management policy|moderation)|responsible ?ai ?policy|violates (our )?usage guidelines|requires moderation|prompt was flagged|invalid_prompt/i,
  advise: () => "the endpoint's content filter refused the prompt: change what the prompt, or what flows into it, says",
};

const CONTEXT: Kind = {
  failure_class: 'call_rejected',
  words:
    /context[_ -]?(length|window|size)|context the overflows|maximum prompt length|prompt is too long|input is too long|too many (input )?tokens|exceeds? the (maximum|max)( allowed)? (number of |input )?tokens|reduce the length of the messages|input token count/i,
  isNever: isThrottled,
  advise: () =>
    'the prompt is longer than the context of the model: show it less (the projection, its memory, the prompt), or give the model a longer context where it is served',
};

const SCHEMA: Kind = {
  failure_class: 'structured_output_rejected',
  words:
    /response_format|json_schema|json_object|structured[ _-]outputs?|guided[ _-](json|decoding|grammar)|grammar|number of repetitions|invalid schema|unsupported schema|xgrammar|outlines/i,
  isNever: ({ http_status = 0 }) => [401, 403, 404, 429].includes(http_status),
  advise: ({ response_format }) =>
    response_format === 'json_object'
      ? 'write "schema_delivery": "prompt" in the source, and nothing but the prompt speaks of JSON'
      : 'write "schema_delivery": "json_object" in the source, or "prompt", which every endpoint takes: then the schema is in the prompt',
};

const USAGE: Kind = {
  failure_class: 'call_rejected',
  words: /stream_options|include_usage/i,
  isNever: isThrottled,
  advise: () => 'the endpoint does not take stream_options: write "usage": false in the source',
};

const STREAM: Kind = {
  failure_class: 'call_rejected',
  words:
    /stream(ing)? (is|was|are)? ?(not|un)[ -]?(supported|allowed|available|enabled)|(does not|doesn't|cannot) (support )?stream|unsupported value: 'stream'/i,
  isNever: isThrottled,
  advise: () => 'the endpoint does not stream: write "stream": false in the source',
};

const LENGTH_SETTING: Kind = {
  failure_class: 'call_rejected',
  words: /max_completion_tokens/i,
  isNever: isThrottled,
  advise: () =>
    'the endpoint does not take max_completion_tokens: write "extra_body": {"max_tokens": N} in the source in place of max_output_tokens',
};

const ROLES: Kind = {
  failure_class: 'call_rejected',
  words: /roles must alternate|system (role|message)s? (is |are )?(not|un)[ -]?supported|only user(,| and) assistant/i,
  isNever: isThrottled,
  advise: () =>
    "the model's own template does not take these roles: write the prompt as one user message, without a system message",
};

/** Of several that fit, the first is meant. */
const KINDS: readonly Kind[] = [LENGTH_SETTING, CONTEXT, USAGE, STREAM, QUOTA, RATE, FILTER, SCHEMA, ROLES];

/** The failure that a provider's error means. */
export function readProviderError(error: ProviderError, asked: AskedOf): Failed | SaidAfterAll {
  const { http_status } = error;
  const content = readContent(error.body);
  const generation = content['failed_generation'];
  if (typeof generation === 'string') return { text: generation, finish_reason: toReason(content['code']) };
  const said = findMessage(content) ?? error.body.trim();
  const cause = said === '' ? '' : `: ${asked.quote(said)}`;
  const opening = error.in_answer
    ? `the endpoint broke off its answer with ${http_status === undefined ? 'an error' : `error ${http_status}`}`
    : `the endpoint answered with status ${http_status}`;
  const sentence = `${opening}${cause}`;
  const kind = http_status === 402 ? QUOTA : findKind(error, asked);
  const advice = kind?.advise(asked, error) ?? adviseByStatus(error, content, asked);
  return {
    failure_class: kind?.failure_class ?? (http_status === undefined ? 'transport' : 'http_status'),
    message: advice === '' ? sentence : `${sentence.replace(/[.;,\s]+$/, '')}; ${advice}`,
  };
}

/** The reason to end that such an answer is given: the provider's own code. */
function toReason(code: unknown): string {
  return typeof code === 'string' && code !== '' ? code : 'failed_generation';
}

function findKind(error: ProviderError, { response_format }: AskedOf): Kind | undefined {
  return KINDS.find((kind) => {
    if (kind === SCHEMA && response_format === undefined) return false;
    return kind.isNever?.(error) !== true && kind.words.test(error.body);
  });
}

function adviseByStatus(error: ProviderError, content: Fields, asked: AskedOf): string {
  const { model, key_variable, base_url_variable } = asked;
  const { http_status } = error;
  if (http_status === undefined) return '';
  if (http_status === 401) return `set ${key_variable} to a key that the endpoint knows`;
  if (http_status === 403) return `the key has no right to the model ${model}`;
  if (http_status === 404 && !hasExplained(content))
    return `the endpoint has no model ${model}, or ${base_url_variable} does not lead to its API (most end in /v1)`;
  if (http_status === 429)
    return `the endpoint limits the rate of requests, or the quota is used up: ${adviseWait(error)}`;
  if (http_status >= 500) return `the fault is on its side; ${adviseWait(error)}`;
  return '';
}

/** A wait that its own words tell is quoted before. */
function adviseWait({ retry_after, body }: ProviderError): string {
  if (retry_after) return `try again after ${retry_after} s`;
  return /(try again|retry|wait)["_ -]{0,2}(in|after|for|delay)\W{1,6}\d/i.test(body)
    ? 'try again after the time that it tells'
    : 'try again later';
}

/** The code of an error within a successful answer, where it is a status of failure; some servers write it as a text. */
export function readErrorStatus(body: string): number | undefined {
  const { code, status, status_code } = readContent(body);
  const found = [code, status, status_code].map(Number).find((number) => number >= 400 && number <= 599);
  return Number.isInteger(found) ? found : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Whether the endpoint has explained what is missing, beyond "no such model". */
function hasExplained(content: Fields): boolean {
  return content['code'] !== 'model_not_found' && (findMessage(content) ?? '') !== '';
}

/** The error object: under `error`, or the body itself; one provider sends a list of them. */
function readContent(body: string): Fields {
  const parsed = parse(body);
  const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isFields(first)) return {};
  const error = findError(first);
  if (isFields(error)) return error;
  return typeof error === 'string' ? { ...first, message: error } : first;
}

/** The error of an event, the first of several, or that of its choice. */
export function findError({ error, errors, choices }: Fields): unknown {
  const [choice, first] = [choices, errors].map((list): unknown => (Array.isArray(list) ? list[0] : undefined));
  return error || (isFields(first) ? first : isFields(choice) ? choice['error'] : undefined);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** @returns undefined where there is no message: many proxies answer with a page */
function findMessage(content: Fields): string | undefined {
  const { message, detail, errors, metadata } = content;
  // A router's own message only says that a provider failed.
  const raw = isFields(metadata) ? metadata['raw'] : undefined;
  const said = [message, detail, errors].find((member) => member !== undefined && member !== null);
  if (said === undefined) return undefined;
  if (raw) return [said, raw].map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(': ');
  return typeof said === 'string' ? said : JSON.stringify(said);
}
