/**
 * Access tokens by OAuth 2.0 client credentials. A token is kept in memory until shortly before it expires, and one request
 * for the next is under way at a time. It ends in one of three ways: a new token; refused, whoever asks again; or the token
 * endpoint is out of reach, when a token that is still valid is used on. No answer of a token endpoint is recorded.
 */
import { present } from '../../contract/present.js';
import type { ClientConnection } from '../../generated/connection.js';
import type { Clock } from '../../ports/clock.js';
import { withinCall } from '../call-bounds.js';
import { isHeaderValue } from '../origin.js';
import type { OriginFetches } from '../origin-fetch.js';
import { findSourceFailure, makeSourceFailure } from '../source-failure.js';

interface Token {
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly expires_at: number;
  readonly renewed_at: number;
}

/** The tokens of one client at one token endpoint. */
interface Client {
  token?: Token | undefined;
  asking?: Promise<Token> | undefined;
}

export interface ClientTokens {
  /**
   * The token to send now. A token endpoint is asked once `durable` resolves.
   * @throws SourceFailure `call_rejected` where it is refused, `unavailable` where it can be had later
   */
  get(id: string, connection: ClientConnection, durable: Promise<void>): Promise<string>;
  /** Forgets a token that the service has refused. */
  forget(connection: ClientConnection, value: string): void;
}

/** How long a token endpoint may take. */
const TOKEN_MS_MAX = 10_000;
const TOKEN_BYTES_MAX = 65_536;

/** Of a token that does not say how long it is valid. */
const LIFETIME_S = 300;

/** The longest time before its end at which a token is renewed. */
const MARGIN_MS_MAX = 60_000;

export function openClientTokens(fetches: Pick<OriginFetches, 'bind'>, clock: Pick<Clock, 'now'>): ClientTokens {
  const clients = new Map<string, Client>();
  const clientOf = (connection: ClientConnection): Client => {
    const key = JSON.stringify(connection);
    const client = clients.get(key) ?? {};
    clients.set(key, client);
    return client;
  };
  return {
    async get(id, connection, durable) {
      const client = clientOf(connection);
      if (client.token && clock.now() < client.token.renewed_at) return client.token.value;
      await durable;
      client.asking ??= requestToken(id, connection, fetches, clock).finally(() => (client.asking = undefined));
      try {
        client.token = await client.asking;
      } catch (error) {
        const isRefused = findSourceFailure(error)?.failure_class === 'call_rejected';
        if (isRefused || client.token === undefined || clock.now() >= client.token.expires_at) throw error;
      }
      return client.token.value;
    },
    forget(connection, value) {
      const client = clientOf(connection);
      if (client.token?.value === value) client.token = undefined;
    },
  };
}

async function requestToken(
  id: string,
  connection: ClientConnection,
  fetches: Pick<OriginFetches, 'bind'>,
  clock: Pick<Clock, 'now'>,
): Promise<Token> {
  const asked_at = clock.now();
  const response = await sendRequest(id, connection, fetches);
  const issued = await readToken(response);
  if ('token' in issued) {
    const lifetime_ms = (issued.lifetime_s ?? LIFETIME_S) * 1000;
    const expires_at = asked_at + lifetime_ms;
    return { value: issued.token, expires_at, renewed_at: expires_at - Math.min(MARGIN_MS_MAX, lifetime_ms / 4) };
  }
  const failure_class = issued.is_final ? 'call_rejected' : 'unavailable';
  throw makeSourceFailure(failure_class, `the token endpoint of the connection ${id} ${issued.why}`);
}

async function sendRequest(
  id: string,
  { token_url, client_id, secret, secret_in, scope, audience }: ClientConnection,
  fetches: Pick<OriginFetches, 'bind'>,
): Promise<Response> {
  const oauth = await import('oauth4webapi');
  const { origin: url } = new URL(token_url);
  const send = fetches.bind({ variable: `the connection ${id}`, url, endpoint: url, secrets: [] });
  const signal = AbortSignal.timeout(TOKEN_MS_MAX);
  const bounds = { signal, farewell: () => signal, left: () => TOKEN_MS_MAX, max_response_bytes: TOKEN_BYTES_MAX };
  const authenticate = secret_in === 'body' ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
  try {
    return await withinCall(bounds, () =>
      oauth.clientCredentialsGrantRequest(
        { issuer: url, token_endpoint: token_url },
        { client_id },
        authenticate,
        { ...present({ scope, audience }) },
        {
          [oauth.customFetch]: (place, init) => send(place, init),
          [oauth.allowInsecureRequests]: true,
          signal,
        },
      ),
    );
  } catch (error) {
    const why = signal.aborted
      ? `it did not answer within ${TOKEN_MS_MAX / 1000} s`
      : findSourceFailure(error)?.message;
    throw makeSourceFailure('unavailable', `the connection ${id} got no token: ${why ?? 'its token endpoint failed'}`);
  }
}

type Issued =
  | { readonly token: string; readonly lifetime_s?: number }
  | { readonly is_final: boolean; readonly why: string };

/** Statuses with which a server says that it may answer otherwise later. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** Nothing of an answer is repeated but its status and the error code of OAuth. */
async function readToken(response: Response): Promise<Issued> {
  const oauth = await import('oauth4webapi');
  const { status } = response;
  try {
    const server = { issuer: new URL('https://any.example').origin };
    const read = await oauth.processClientCredentialsResponse(server, { client_id: 'any' }, response);
    if (!isHeaderValue(read.access_token))
      return { is_final: true, why: 'gave a token with a character that no header may have' };
    return { token: read.access_token, ...present({ lifetime_s: read.expires_in }) };
  } catch (error) {
    const is_final = status >= 400 && status <= 499 && !PASSING.has(status);
    const code =
      error instanceof oauth.ResponseBodyError && /^[a-z_]{1,40}$/.test(error.error) ? ` (${error.error})` : '';
    const what = is_final ? 'refuses its client' : 'gave no token';
    return { is_final, why: `${what}: it answered with status ${status}${code}` };
  }
}
