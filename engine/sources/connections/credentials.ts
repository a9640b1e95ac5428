import { listSecretParts } from '../../core/content/variable-value.js';
import { unreachable } from '../../contract/unreachable.js';
import type { Connection } from '../../generated/connection.js';
import type { Secret } from '../secrets.js';

/** What the requests of one call get behind its plugin, at the origin of its connection alone. */
export interface Credentials {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A member of the query. */
  readonly query?: readonly [name: string, value: string];
  /** The service has refused them: the next call gets others, where others can be had. */
  readonly reject?: () => void;
}

/** The credentials of a connection. @param secret its own, or a token that was issued for it */
export function toCredentials(connection: Connection, secret = connection.secret): Credentials {
  const { origin } = new URL(connection.origin);
  switch (connection.kind) {
    case 'header':
      return { origin, headers: { [connection.name.toLowerCase()]: secret } };
    case 'bearer':
    case 'client_credentials':
      return { origin, headers: { authorization: `Bearer ${secret}` } };
    case 'basic':
      return { origin, headers: { authorization: `Basic ${toBasic(connection.user, secret)}` } };
    case 'query':
      return { origin, headers: {}, query: [connection.name, secret] };
    default:
      return unreachable(connection);
  }
}

/** All that no record may hold of a connection, but for its tokens. */
export function listConnectionSecrets(id: string, connection: Connection): readonly Secret[] {
  const names =
    connection.kind === 'basic'
      ? [connection.user]
      : connection.kind === 'client_credentials'
        ? [connection.client_id]
        : [];
  const encoded = names.flatMap((name) => [
    toBasic(name, connection.secret),
    toBasic(encodeForm(name), encodeForm(connection.secret)),
  ]);
  return [...listSecretParts(connection.secret), ...encoded].map((value) => toSecret(id, value));
}

export function toSecret(id: string, value: string): Secret {
  return { variable: `connection:${id}`, value };
}

function toBasic(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString('base64');
}

/** As a token endpoint is sent both: all but letters and digits is escaped. */
function encodeForm(text: string): string {
  const escape = (mark: string): string => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replaceAll(/[-_.!~*'()]/g, escape);
}
