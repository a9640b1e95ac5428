import { readMoment } from './told-moment.js';

/** The response headers that are kept. Cookies, tokens and everything unknown are not. */
const KEPT = new Set([
  'age',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'etag',
  'last-modified',
  'openai-model',
  'openai-processing-ms',
  'openai-version',
  'retry-after',
  'retry-after-ms',
  'server',
  'server-timing',
  'x-request-id',
]);

/** Headers that say how many requests or tokens a service still allows in its current period. */
const OF_LIMITS = /^(?:x-|anthropic-)?rate-?limit(?:-[a-z-]{1,64})?$/;

/** The headers that a record may hold, names in lower case. */
export function keepResponseHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(named.filter(([name]) => KEPT.has(name) || OF_LIMITS.test(name)));
}

/** The longest time that a column of the record and a timer's arithmetic can hold; no service means a longer one. */
const RETRY_AFTER_MS_MAX = 366 * 24 * 60 * 60 * 1000;

/**
 * How long a service asks to be left alone: `retry-after-ms`, else `Retry-After`, which is to be seconds or an HTTP date
 * (RFC 9110), and is a moment or a duration of other forms as well.
 * @param headers names in lower case
 * @param now in milliseconds since 1970
 * @returns milliseconds from now, none below 0; undefined where the headers do not say so
 */
export function readRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = headers['retry-after-ms']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(exact)) return boundWait(Number(exact));
  const wait = readMoment(headers['retry-after'] ?? '', now);
  return wait === undefined ? undefined : boundWait(wait);
}

/** A wait as a record can hold it. */
export function boundWait(after_ms: number): number {
  return Math.min(Math.max(0, Math.ceil(after_ms)), RETRY_AFTER_MS_MAX);
}
