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

/** What is left of the limits of a rate. */
const OF_LIMITS = /^(?:x-|anthropic-)?rate-?limit(?:-[a-z-]{1,64})?$/;

/** The headers that a record may hold, names in lower case. */
export function keepResponseHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(named.filter(([name]) => KEPT.has(name) || OF_LIMITS.test(name)));
}

/** The longest time that a column of the record and a timer's arithmetic can hold; no service means a longer one. */
const RETRY_AFTER_MS_MAX = 366 * 24 * 60 * 60 * 1000;

/** An HTTP date, in the one form that may still be sent: `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long a service asks to be left alone: `retry-after-ms`, else `Retry-After` in seconds or as an HTTP date (RFC 9110).
 * @param headers names in lower case
 * @param now in milliseconds since 1970
 * @returns milliseconds from now, none below 0; undefined where the headers do not say so
 */
export function readRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = headers['retry-after-ms']?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(exact)) return boundWait(Number(exact));
  const said = headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(said)) return boundWait(Number(said) * 1000);
  if (!HTTP_DATE.test(said)) return undefined;
  const at = Date.parse(said);
  return Number.isNaN(at) ? undefined : boundWait(at - now);
}

/** A wait as a record can hold it. */
export function boundWait(after_ms: number): number {
  return Math.min(Math.max(0, Math.ceil(after_ms)), RETRY_AFTER_MS_MAX);
}
