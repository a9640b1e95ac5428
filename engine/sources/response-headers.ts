/** What is kept of a response's headers. Cookies, tokens and everything unknown are not. */
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
  'x-ratelimit-limit-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-requests',
  'x-ratelimit-reset-tokens',
  'x-request-id',
]);

/** The headers that a record may hold, names in lower case. */
export function keepResponseHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(named.filter(([name]) => KEPT.has(name)));
}
