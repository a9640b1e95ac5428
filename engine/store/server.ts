import { Socket } from 'node:net';
import { type Outcome, problem, type Problem, refuse } from '../contract/problem.js';
import { isPassing } from './database-fault.js';
import { openDatabase, type OpenDatabase } from './database.js';
import { openBell } from './doorbell/bell.js';
import { readServerAddress } from './server-address.js';
import { findCause } from './unreachable.js';

const CONNECTIONS_MAX = 10;
const CONNECTION_TIMEOUT_MS = 10_000;
const OLDEST_VERSION = 140_000;
/** Our statements take milliseconds. A server that is silent for so long is frozen or disconnected. */
const ANSWER_MS = 60_000;
/** How long closing a connection in good order may take. */
const GOODBYE_MS = 2_000;

/**
 * Opens a PostgreSQL server's database, and makes sure that it answers.
 * @param answer_ms how long a statement may take before the server is taken for lost
 */
export async function openServer(given: string, answer_ms = ANSWER_MS): Promise<Outcome<OpenDatabase>> {
  const address = readServerAddress(given);
  if (!address.ok) return address;
  const { url, place } = address.value;
  const sockets = new Set<Socket>();
  const opened = openDatabase(
    {
      connectionString: url,
      max: CONNECTIONS_MAX,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      query_timeout: answer_ms,
      application_name: 'chukwa',
      stream: () => keep(sockets, new Socket()),
    },
    { description: `PostgreSQL at ${place}`, is_exclusive: false, is_kept: true, release: async () => {} },
  );
  const bell = openBell(opened);
  const close = async (): Promise<void> => {
    await bell.close();
    await opened.close();
  };
  const { ring } = bell;
  const database = { ...opened, ring, server_url: url, close: () => closeWithin(GOODBYE_MS, { close }, sockets) };
  const problem = await findProblem(database, place);
  if (!problem) return { ok: true, value: database };
  await database.close();
  return refuse(problem);
}

function keep(sockets: Set<Socket>, socket: Socket): Socket {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  return socket;
}

/** Closes a database; a server that does not even answer a goodbye is hung up on. */
async function closeWithin(
  limit_ms: number,
  { close }: Pick<OpenDatabase, 'close'>,
  sockets: ReadonlySet<Socket>,
): Promise<void> {
  const patience = setTimeout(() => sockets.forEach((socket) => socket.destroy()), limit_ms);
  try {
    await close();
  } finally {
    clearTimeout(patience);
  }
}

async function findProblem(database: OpenDatabase, place: string): Promise<Problem | undefined> {
  try {
    const answer = await database.query<{ number: number; version: string; encoding: string }>(
      `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
         current_setting('server_encoding') AS encoding`,
    );
    const found = answer.rows[0];
    if (found === undefined) return undefined;
    const { number, version, encoding } = found;
    if (number < OLDEST_VERSION)
      return problem('DATABASE_TOO_OLD', { place, version }, { details: { place, version } });
    if (encoding === 'UTF8') return undefined;
    return problem('DATABASE_NOT_UTF8', { place, encoding }, { details: { place, encoding } });
  } catch (error) {
    const [reason, code] = toReason(error);
    const details = { place, may_pass: isPassing(error) };
    return problem('DATABASE_UNREACHABLE', { place, reason, cause: findCause(code, reason) }, { details });
  }
}

/** Several addresses of one host fail as one nameless error that holds the real ones. */
function toReason(error: unknown): readonly [said: string, code: string] {
  if (error instanceof AggregateError && error.errors.length > 0) return toReason(error.errors[0]);
  if (!(error instanceof Error)) return [String(error), ''];
  const { code } = error as NodeJS.ErrnoException;
  return [error.message.replace(/\.$/, ''), code ?? ''];
}
