import type { PoolConfig } from 'pg';
import pg from 'pg';
import { findFault } from './database-fault.js';
import { prepareSession } from './session-settings.js';
import type { Runner } from './statement.js';

/** Hands out connections, each to one user at a time. Statements of their own go through `OpenDatabase.query`. */
export interface Connections {
  connect(): Promise<pg.PoolClient>;
}

/** An open database, embedded or served, by one code path. */
export interface OpenDatabase {
  /** For people; holds no password. */
  readonly description: string;
  /** Only one process at a time has it open. When it is opened, all leases in it are stale: their drivers are gone. */
  readonly is_exclusive: boolean;
  /** Whether it is there when this process has ended. */
  readonly is_kept: boolean;
  /** Where connections beside the pool lead to; left out where there can be none. It may hold a password. */
  readonly server_url?: string;
  readonly pool: Connections;
  /** Runs one statement on any connection. */
  readonly query: Runner['query'];
  /** Notifies other processes, after a commit, of worlds in which something is to be done. It waits for nothing. */
  readonly ring: (world_slugs: readonly string[]) => void;
  close(): Promise<void>;
}

const INT8 = 20;
const NUMERIC = 1700;

const TIMESTAMPTZ = 1184;

const parseTimestamp: (text: string) => unknown = pg.types.getTypeParser(TIMESTAMPTZ);

/** A moment as answers have it: RFC 3339 in UTC, to the millisecond. `infinity`, and years beyond a date, stay as they are. */
function toRfc3339(text: string): string {
  const moment = parseTimestamp(text);
  return moment instanceof Date && !Number.isNaN(moment.getTime()) ? moment.toISOString() : text;
}

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: Number,
  [NUMERIC]: Number,
  [TIMESTAMPTZ]: toRfc3339,
};

/** Counts and turns come back as numbers, moments as text; everything else as the driver has it. */
const types: NonNullable<PoolConfig['types']> = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    PARSERS[type] ?? (pg.types.getTypeParser(type, format) as (text: string) => unknown),
};

/** The pool awaits it, though its type does not say so. */
const onConnect: (client: pg.ClientBase) => unknown = prepareSession;

/** The facts of a database before it is opened, and the release of its resources. */
interface AboutDatabase extends Pick<OpenDatabase, 'description' | 'is_exclusive' | 'is_kept'> {
  readonly release: () => Promise<void>;
  /** Asked before each statement and each transaction. @throws where this process cannot, or may not, use the database */
  readonly ensureUsable?: () => Promise<void>;
}

/** Joins a pool's configuration and the release of the resources behind it. */
export function openDatabase(config: PoolConfig, about: AboutDatabase): OpenDatabase {
  const opened = new pg.Pool({ ...config, types, onConnect });
  // A server that goes away ends its clients, idle or not; the next statement fails with the reason.
  opened.on('error', () => {});
  opened.on('connect', (client) => client.on('error', () => {}));
  const pool = toConnections(opened, about);
  const close = async (): Promise<void> => {
    await opened.end();
    await about.release();
  };
  const { description, is_exclusive, is_kept } = about;
  // No other process is there to be notified, unless a server adds a bell.
  return { description, is_exclusive, is_kept, pool, query: queryOf(pool), ring: () => {}, close };
}

/** Connections of a pool; whether this process can still use the database is checked before each is handed out. */
function toConnections(pool: pg.Pool, { ensureUsable }: AboutDatabase): Connections {
  return {
    connect: async () => {
      await ensureUsable?.();
      return pool.connect();
    },
  };
}

/**
 * `pool.query` throws the connection away with every statement that fails, and the embedded database has one only,
 * in the middle of its protocol. Here a connection is given back, and the pool drops it if it is broken.
 */
function queryOf(pool: Connections): Runner['query'] {
  return async (query, values) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      return await client.query(query, values);
    } catch (error) {
      broken = toBroken(error);
      throw error;
    } finally {
      client.release(broken);
    }
  };
}

/**
 * A process that pauses in the middle of a transaction keeps its locks, perhaps on a world that another is to take
 * over. The server ends such a transaction after so many milliseconds.
 */
const BEGIN = 'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 10000';

/**
 * Runs work in one transaction of the pool; rolls back when it throws.
 * Await nothing else of this database inside: an embedded one has a single connection.
 */
export async function inTransaction<Result>(
  pool: Connections,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(BEGIN);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    broken = toBroken(error) ?? (await rollBack(client));
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * A connection without an answer would delay its next user; a read-only one stays so, while a new one may lead to the
 * server that takes over.
 */
function toBroken(error: unknown): Error | undefined {
  const kind = findFault(error)?.kind;
  return error instanceof Error && (kind === 'lost' || kind === 'refused') ? error : undefined;
}

/** @returns why the client cannot be used again, if so */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
