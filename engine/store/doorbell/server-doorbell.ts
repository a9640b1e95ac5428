import pg from 'pg';
import { backoffMs } from '../../core/inbox/backoff.js';
import type { Doorbell } from '../../ports/doorbell.js';
import { readServerAddress } from '../server-address.js';
import { WAKEUP_CHANNEL } from './bell.js';

const BACKOFF = { first_ms: 100, most_ms: 10_000 };
const CONNECT_MS = 5_000;
/** A connection that was cut without a word is found by asking whether it lives. */
const ASK_MS = 15_000;
const ANSWER_MS = 5_000;

/**
 * The doorbell that a PostgreSQL server has by itself. The store notifies of every row that it makes due, so only
 * listeners ring from here: listening takes a connection of its own, which is made anew after each loss.
 */
export function openServerDoorbell(connectionString: string): Doorbell {
  const listening = new Set<(world_slug: string | undefined) => void>();
  const notify = (world_slug: string | undefined): void => {
    for (const listener of listening) listener(world_slug);
  };
  let line: Line | undefined;
  return {
    description: 'PostgreSQL, by LISTEN and NOTIFY',
    ring: (world_slug) => line?.ring(world_slug),
    listen(onRing) {
      line ??= openLine(connectionString, notify);
      const listener = (world_slug: string | undefined): void => onRing(world_slug);
      listening.add(listener);
      return () => listening.delete(listener);
    },
    findFault: () => line?.findFault(),
    close: async () => line?.close(),
  };
}

/** The doorbell of a configured server, without a connection to it; undefined for an embedded database. */
export function findServer(url: string | undefined): { openDoorbell(): Doorbell } | undefined {
  const address = url === undefined ? undefined : readServerAddress(url);
  return address?.ok ? { openDoorbell: () => openServerDoorbell(address.value.url) } : undefined;
}

/** A connection that listens, for as long as it is wanted. */
interface Line {
  ring(world_slug: string): void;
  readonly findFault: () => string | undefined;
  readonly close: () => Promise<void>;
}

function openLine(connectionString: string, notify: (world_slug: string | undefined) => void): Line {
  let fault: string | undefined = 'not connected yet';
  let isWanted = true;
  let retries = 0;
  let timer: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;

  const connect = async (): Promise<void> => {
    const mine = makeClient(connectionString);
    client = mine;
    mine.on('notification', ({ payload }) => notify(payload));
    mine.on('error', (error) => lose(mine, error.message));
    mine.on('end', () => lose(mine, 'the connection was closed'));
    try {
      await mine.connect();
      await mine.query(`LISTEN ${WAKEUP_CHANNEL}`);
      fault = undefined;
      retries = 0;
      ask(mine);
      // A ring without a listener is lost.
      notify(undefined);
    } catch (error) {
      lose(mine, error instanceof Error ? error.message : String(error));
    }
  };
  const ask = (mine: pg.Client): void => {
    timer = setTimeout(() => {
      mine.query('SELECT 1').then(
        () => mine === client && isWanted && ask(mine),
        (error: Error) => lose(mine, error.message),
      );
    }, ASK_MS);
    timer.unref();
  };
  const lose = (mine: pg.Client, reason: string): void => {
    if (mine !== client) return;
    client = undefined;
    clearTimeout(timer);
    mine.end().catch(() => {});
    if (!isWanted) return;
    fault = reason;
    timer = setTimeout(() => void connect(), backoffMs(BACKOFF, retries, Math.random()));
    timer.unref();
    retries += 1;
  };
  void connect();
  return {
    ring(world_slug) {
      const rung = client?.query('SELECT pg_notify($1, $2)', [WAKEUP_CHANNEL, world_slug]);
      // A connection that is gone is noticed by its end.
      rung?.catch(() => {});
    },
    findFault: () => fault,
    async close() {
      isWanted = false;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}

function makeClient(connectionString: string): pg.Client {
  return new pg.Client({
    connectionString,
    application_name: 'chukwa doorbell',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
  });
}
