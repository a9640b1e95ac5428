import { succeed } from '../../contract/problem.js';
import { connectionVariable } from '../../contract/engine-variables.js';
import type { ConnectionStore, TestConnection, TestedConnection } from '../../ports/connections.js';
import type { Clock } from '../../ports/clock.js';
import type { Connection } from '../../generated/connection.js';
import { withinCall } from '../call-bounds.js';
import type { Origin } from '../origin.js';
import type { OriginFetches } from '../origin-fetch.js';
import { createSecretReplacer, type Secret } from '../secrets.js';
import { describeThrown, findSourceFailure } from '../source-failure.js';
import { openClientTokens } from './client-tokens.js';
import { type Credentials, listConnectionSecrets, toCredentials, toSecret } from './credentials.js';

/** A connection that a call may use at its origin. */
export interface OpenConnection {
  /**
   * Its credentials, for one call. A token endpoint is asked once `durable` resolves.
   * @throws SourceFailure
   */
  readonly authenticate: (durable: Promise<void>) => Promise<Credentials>;
}

/** Why a call cannot use its connection. */
export interface ConnectionFault {
  readonly failure_class: 'unavailable' | 'policy_denied';
  readonly message: string;
}

type Fetches = Pick<OriginFetches, 'bind'>;

/** The only part of the engine that knows the secrets of connections, but for the stores that keep them. */
export interface Broker {
  /** Reads a connection as it is now, for a source that leads to this origin. */
  open(id: string, origin: Pick<Origin, 'url' | 'variable'> | undefined): Promise<OpenConnection | ConnectionFault>;
  /** The secrets and tokens of a connection that has been read, the newest first. */
  secretsOf(id: string): readonly Secret[];
  readonly test: TestConnection;
}

/** How many secrets of one connection are remembered, so that old tokens are replaced in late answers. */
const REMEMBERED_MAX = 16;

export function openBroker(
  { find }: Pick<ConnectionStore, 'find'>,
  fetches: Fetches,
  clock: Pick<Clock, 'now'>,
): Broker {
  const known = new Map<string, readonly Secret[]>();
  const remember = (id: string, secrets: readonly Secret[]): void => {
    const values = new Map([...secrets, ...(known.get(id) ?? [])].map((secret) => [secret.value, secret]));
    known.set(id, [...values.values()].slice(0, REMEMBERED_MAX));
  };
  const tokens = openClientTokens(fetches, clock);
  const authenticate = async (id: string, connection: Connection, durable: Promise<void>): Promise<Credentials> => {
    if (connection.kind !== 'client_credentials') return toCredentials(connection);
    const token = await tokens.get(id, connection, durable);
    remember(id, [toSecret(id, token)]);
    return { ...toCredentials(connection, token), reject: () => tokens.forget(connection, token) };
  };
  const broker: Pick<Broker, 'open' | 'secretsOf'> = {
    async open(id, origin) {
      const found = await find(id);
      if (!found.ok) {
        const said = found.problems.map(({ message, repair }) => `${message} ${repair}`).join(' ');
        return unusable(`the connection ${id} cannot be used: ${said}`);
      }
      const connection = found.value;
      if (connection === undefined)
        return unusable(
          `there is no connection ${id}: write chukwa connections add ${id}, or set ${connectionVariable(id)}`,
        );
      if (origin === undefined)
        return unusable(`the connection ${id} is for a service behind a URL, and this source asks none`);
      remember(id, listConnectionSecrets(id, connection));
      const [own, asked] = [new URL(connection.origin).origin, new URL(origin.url).origin];
      if (own !== asked) {
        const message = `the connection ${id} is for ${own} alone, and ${origin.variable} leads to ${asked}`;
        return { failure_class: 'policy_denied', message };
      }
      return { authenticate: (durable) => authenticate(id, connection, durable) };
    },
    secretsOf: (id) => known.get(id) ?? [],
  };
  return { ...broker, test: (id, path) => testConnection({ ...broker, find, fetches }, id, path) };
}

/** Where the operator has set none. */
export const NO_CONNECTIONS: ConnectionStore = {
  find: async () => succeed(undefined),
  list: async () => ({ connections: [], file: succeed({}) }),
};

/** The key-like secrets of all connections, which no record of any source may hold. */
export async function listAllSecrets({ list }: Pick<ConnectionStore, 'list'>): Promise<readonly Secret[]> {
  const { connections } = await list();
  return connections.flatMap(({ id, connection }) =>
    connection.ok ? listConnectionSecrets(id, connection.value) : [],
  );
}

function unusable(message: string): ConnectionFault {
  return { failure_class: 'unavailable', message };
}

/** How long a tested service may take. */
const TEST_MS_MAX = 10_000;
const TEST_BYTES_MAX = 1_048_576;

/** Statuses with which a service says that it does not take the credentials. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 407]);

async function testConnection(
  {
    open,
    secretsOf,
    find,
    fetches,
  }: Pick<Broker, 'open' | 'secretsOf'> & { readonly find: ConnectionStore['find']; readonly fetches: Fetches },
  id: string,
  path: string,
): Promise<TestedConnection> {
  const found = await find(id);
  const url = found.ok && found.value ? new URL(found.value.origin).origin : undefined;
  const origin = url === undefined ? undefined : { variable: `the connection ${id}`, url, endpoint: url, secrets: [] };
  const opened = await open(id, origin);
  if (origin === undefined || 'message' in opened)
    return { outcome: 'refused', said: 'message' in opened ? opened.message : 'it is gone' };
  try {
    const credentials = await opened.authenticate(Promise.resolve());
    const signal = AbortSignal.timeout(TEST_MS_MAX);
    const limits = { left: () => TEST_MS_MAX, max_response_bytes: TEST_BYTES_MAX };
    const bounds = { signal, farewell: () => signal, ...limits, credentials };
    const { status, body } = await withinCall(bounds, () => fetches.bind(origin)(`${url}${path}`));
    await body?.cancel();
    const isPassing = status === 429 || status >= 500;
    const outcome = REFUSALS.has(status) ? 'refused' : isPassing ? 'out_of_reach' : 'works';
    return { outcome, said: `${url} answered with status ${status}` };
  } catch (error) {
    const failure = findSourceFailure(error);
    const isRefused = failure?.failure_class === 'call_rejected' && failure.facts === undefined;
    const { text } = createSecretReplacer(secretsOf(id));
    return { outcome: isRefused ? 'refused' : 'out_of_reach', said: text(failure?.message ?? describeThrown(error)) };
  }
}
