// Made by tools/generate-types.ts from schemas/connection.schema.json: do not edit, run `npm run generate`.
/** An operator's connection: the secret that requests to one origin get, in a variable such as `CHUKWA_CONNECTION_POST_OFFICE` or kept by `chukwa connections add`. */
export type Connection = HeaderConnection | BearerConnection | BasicConnection | QueryConnection | ClientConnection;
/** Scheme, host and port of the service. Requests to any other never get the secret. */
export type Origin = string;
/** Visible characters. One that is too easy to guess is refused. */
export type Secret = string;

export interface HeaderConnection {
  readonly kind: 'header';
  readonly origin: Origin;
  /** The header, such as X-Api-Key. Not one that HTTP or the engine sets, such as Host. */
  readonly name: string;
  readonly secret: Secret;
}
export interface BearerConnection {
  readonly kind: 'bearer';
  readonly origin: Origin;
  readonly secret: Secret;
}
export interface BasicConnection {
  readonly kind: 'basic';
  readonly origin: Origin;
  readonly user: string;
  readonly secret: Secret;
}
export interface QueryConnection {
  readonly kind: 'query';
  readonly origin: Origin;
  /** The member of the query, such as key. */
  readonly name: string;
  readonly secret: Secret;
}
/** OAuth 2.0 client credentials: the secret gets tokens, and requests get the token. */
export interface ClientConnection {
  readonly kind: 'client_credentials';
  readonly origin: Origin;
  /** Where tokens are issued. */
  readonly token_url: string;
  readonly client_id: string;
  readonly secret: Secret;
  readonly scope?: string;
  readonly audience?: string;
  /** Where the token endpoint takes client_id and secret; header by default. */
  readonly secret_in?: 'header' | 'body';
}
