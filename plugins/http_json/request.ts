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
export interface Means extends Pick<Capabilities, 'failure' | 'fillPath'> {
  /** Without a slash at its end. */
  readonly origin_url: string;
}

/**
 * The request as HTTP: its members are the path's parameters, and the rest is the query or the body. The headers let a
 * service recognise a repeated call, and answer later.
 * @throws SourceFailure where the request does not fit the path or the query
 */
export function toHttpRequest(
  definition: HttpJsonInterface,
  { origin_url, failure, fillPath }: Means,
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
      accept: 'application/json',
      ...(has_body ? { 'content-type': 'application/json' } : {}),
      'x-client-request-id': call.client_request_id,
      'x-chukwa-correlation-id': call.correlation_id,
      ...(call.pending?.callback_url === undefined ? {} : { 'x-chukwa-callback-url': call.pending.callback_url }),
    },
    ...(has_body ? { body: JSON.stringify(rest) } : {}),
  };
}
