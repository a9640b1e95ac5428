import type { Capabilities, InvocationContext, Json } from 'chukwa/plugin';
import type { HttpJsonInterface } from './interface.js';
import { percentEncode, toQuery } from './query.js';

export interface HttpRequest {
  readonly url: string;
  readonly method: HttpJsonInterface['method'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Many servers and proxies refuse a longer one. */
const TARGET_LENGTH_MAX = 8_000;

/** The capabilities that a request needs, beside the source. */
export interface Means extends Pick<Capabilities, 'failure' | 'fillPath' | 'variables'> {
  /** Without a slash at its end. */
  readonly origin_url: string;
}

/**
 * The request as HTTP: its members are the path's parameters, and the rest is the query or the body. The headers let a
 * service recognise a repeated call, and answer later.
 * @throws SourceFailure where the request does not fit the path or the query, or a secret is not set
 */
export function toHttpRequest(
  definition: HttpJsonInterface,
  { origin_url, failure, fillPath, variables }: Means,
  request: Json,
  call: Pick<InvocationContext, 'client_request_id' | 'correlation_id' | 'pending'>,
): HttpRequest {
  const { method } = definition;
  const { path, rest } = fillPath(definition.path, request, percentEncode);
  const has_body = method !== 'GET' && method !== 'DELETE';
  const query = has_body ? ({ ok: true, query: '' } as const) : toQuery(rest);
  if (!query.ok) throw failure('schema_invalid', `the request cannot be sent: ${query.reason}`);
  const target = `${path}${query.query}`;
  if (target.length > TARGET_LENGTH_MAX) {
    const message = `the request cannot be sent: its path and query have ${target.length} characters, and ${TARGET_LENGTH_MAX} are allowed`;
    throw failure('schema_invalid', message);
  }
  return {
    url: `${origin_url}${target}`,
    method,
    headers: {
      ...definition.headers,
      ...readSecrets(definition, { failure, variables }),
      accept: 'application/json',
      ...(has_body ? { 'content-type': 'application/json' } : {}),
      'x-client-request-id': call.client_request_id,
      'x-chukwa-correlation-id': call.correlation_id,
      ...(call.pending?.callback_url === undefined ? {} : { 'x-chukwa-callback-url': call.pending.callback_url }),
    },
    ...(has_body ? { body: JSON.stringify(rest) } : {}),
  };
}

/** Visible ASCII, as a header has it. */
const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

function readSecrets(
  { secret_headers = {} }: HttpJsonInterface,
  { failure, variables }: Pick<Means, 'failure' | 'variables'>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(secret_headers).map(([name, variable]) => {
      const value = variables[variable];
      if (value === undefined) throw failure('unavailable', `${variable} is not set, which holds the header ${name}`);
      if (!HEADER_VALUE.test(value))
        throw failure('unavailable', `${variable} holds a character that no header may have`);
      return [name, value];
    }),
  );
}
