import { setTimeout } from 'node:timers/promises';
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import { present } from '../contract/present.js';
import { backoffMs } from '../core/inbox/backoff.js';
import type { Doorbell } from '../ports/doorbell.js';
import type { NatsAddress } from './nats-url.js';
import { Rings } from './process.js';

const BACKOFF = { first_ms: 250, most_ms: 15_000 };
const CONNECT_MS = 2_000;
const LOST = 'the connection was lost';
/** Our server gets a ping so often; after two without an answer it counts as gone. */
const PING_MS = 10_000;
/** How long a last ring may take to leave the process. */
const GOODBYE_MS = 1_000;

const REFUSALS: ReadonlySet<string> = new Set(['AuthorizationError', 'UserAuthenticationExpiredError']);

/** The subjects to which workers listen: one word for the world, or more for one of its agents. */
const ALL_WAKEUPS = 'cmd.agent.*.wakeup';

function wakeupOf(world_slug: string): string {
  return `cmd.agent.${world_slug}.wakeup`;
}

/**
 * A doorbell over NATS, where any number of processes ring and listen. It connects when it is first used, in the
 * background, and again for ever whenever the connection is gone.
 */
export function openNatsDoorbell(address: NatsAddress): Doorbell {
  const rings = new Rings();
  const closing = new AbortController();
  /** Rung before there was a connection. */
  const early = new Set<string>();
  let connection: NatsConnection | undefined;
  let connected: Promise<void> | undefined;
  let fault: string | undefined = 'not connected yet';

  const serve = async (): Promise<void> => {
    connection = await connectPatiently(address, closing.signal, (reason) => (fault = reason));
    if (connection === undefined || closing.signal.aborted) return;
    void connection.closed().then(comeBack);
    connection.subscribe(ALL_WAKEUPS, { callback: (_error, message) => rings.ring(message.subject.split('.')[2]) });
    void watch(connection, (reason) => {
      // Why it was lost says more than that it was.
      fault = reason === LOST ? (fault ?? reason) : reason;
      // A ring without a connection is lost.
      if (reason === undefined) rings.ring(undefined);
    });
    for (const world_slug of early) connection.publish(wakeupOf(world_slug));
    early.clear();
    // Until the server has answered, it may not know of the subscription, and a ring elsewhere would be lost.
    await connection.flush();
    fault = undefined;
    rings.ring(undefined);
  };
  /** The client gives a connection up for good where it is refused again and again: then another one is made. */
  const comeBack = async (why: unknown): Promise<void> => {
    if (closing.signal.aborted) return;
    fault = why instanceof Error ? toReason(why) : LOST;
    await pause(BACKOFF.first_ms, closing.signal);
    connected = undefined;
    if (!closing.signal.aborted) void open();
  };
  const open = (): Promise<void> => (connected ??= serve().catch((error: unknown) => void (fault = toReason(error))));

  return {
    description: `NATS at ${address.place}`,
    listen(onRing) {
      void open();
      return rings.listen(onRing);
    },
    ring(world_slug) {
      if (connection?.isClosed() === false) return connection.publish(wakeupOf(world_slug));
      early.add(world_slug);
      void open();
    },
    findFault: () => fault,
    async close() {
      if (early.size > 0) await atMost(GOODBYE_MS, connected);
      closing.abort();
      // Its first answer may never come; what is not connected yet gives up soon.
      if (connection === undefined) await connected;
      if (connection !== undefined) await leave(connection);
    },
  };
}

/** Tries until it succeeds; undefined where that is not wanted any more. */
async function connectPatiently(
  address: NatsAddress,
  signal: AbortSignal,
  onFault: (reason: string) => void,
): Promise<NatsConnection | undefined> {
  const { connect } = await import('@nats-io/transport-node');
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      return await connect(toOptions(address));
    } catch (error) {
      onFault(toReason(error));
      await pause(backoffMs(BACKOFF, tries, Math.random()), signal);
    }
  }
  return undefined;
}

function toOptions({ place, is_encrypted, user, password }: NatsAddress): ConnectionOptions {
  return {
    servers: place,
    name: 'chukwa',
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: BACKOFF.first_ms,
    reconnectJitter: BACKOFF.first_ms,
    pingInterval: PING_MS,
    ...present({ tls: is_encrypted ? {} : undefined, user, pass: password }),
  };
}

/** Handles every loss and every return of a connection, until it is closed. */
async function watch(connection: NatsConnection, onState: (fault: string | undefined) => void): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') onState(LOST);
    if (status.type === 'error') onState(toReason(status.error));
    // It says so before the server has answered, as in `serve`. Where it is lost meanwhile, that is said next.
    if (status.type === 'reconnect')
      await connection.flush().then(
        () => onState(undefined),
        () => {},
      );
  }
}

async function leave(connection: NatsConnection): Promise<void> {
  await atMost(
    GOODBYE_MS,
    connection.drain().catch(() => {}),
  );
  await connection.close();
}

/** Waits for work that does not fail, and not longer than so many milliseconds. */
async function atMost(delay_ms: number, work: Promise<void> | undefined): Promise<void> {
  const ended = new AbortController();
  await Promise.race([work, pause(delay_ms, ended.signal)]);
  ended.abort();
}

/** Waits, or until it is not wanted any more. */
async function pause(delay_ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(delay_ms, undefined, { signal }).catch(() => {});
}

function toReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message.replace(/\.$/, '');
  return REFUSALS.has(error.name) ? `the server refuses the user or password of CHUKWA_NATS_URL (${message})` : message;
}
