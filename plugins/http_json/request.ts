import type { InvocationContext, Json } from 'chukwa/plugin';
import type { HttpJsonInterface } from './interface.js';

/** What goes over the wire. */
export interface HttpRequest {
  readonly url: string;
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How long an answer may take where the source does not say. */
export const TIMEOUT_DEFAULT_MS = 10_000;

/** The request as HTTP. `origin_url` has no slash at its end. The headers let a service recognise a call made twice, and answer later. */
export function toHttpRequest(
  definition: HttpJsonInterface,
  origin_url: string,
  request: Json,
  {
    client_request_id,
    correlation_id,
    pending,
  }: Pick<InvocationContext, 'client_request_id' | 'correlation_id' | 'pending'>,
): HttpRequest {
  return {
    url: `${origin_url}${definition.path}`,
    method: definition.method,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-client-request-id': client_request_id,
      'x-chukwa-correlation-id': correlation_id,
      ...(pending?.callback_url === undefined ? {} : { 'x-chukwa-callback-url': pending.callback_url }),
    },
    body: JSON.stringify(request),
  };
}
