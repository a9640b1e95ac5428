/**
 * The sources of one server share a connection, and with it the server's memory of the session. Without a session: the
 * next call opens one, and others that come meanwhile wait for it. With one: every call uses it, side by side. A session
 * ends when its wire breaks, when the server has forgotten it, or when it hangs; the next call opens another.
 */
import type { Capabilities } from 'chukwa/plugin';
import { openHttpWire } from './http-wire.js';
import { openProgramWire } from './program-wire.js';
import { openSession, type Session } from './session.js';
import type { Wire } from './wire.js';

/** The deadline of a ping that tests whether a server still reacts. */
const PING_MS = 2_000;

export interface Connection {
  /** The open session, or a new one. @throws SourceFailure, or the signal's reason */
  session(signal: AbortSignal, max_result_bytes: number): Promise<Session>;
  /** Opens another next time. */
  forget(session: Session): void;
  close(): Promise<void>;
}

/** Sources with one server are handed the same door to it. */
const connections = new WeakMap<object, Connection>();

/** The connection behind the door that a source was handed, or undefined where it was handed none. */
export function findConnection(capabilities: Capabilities): Connection | undefined {
  const door = capabilities.spawn ?? capabilities.origin;
  if (!door) return undefined;
  const connection = connections.get(door) ?? new SharedConnection(capabilities);
  connections.set(door, connection);
  return connection;
}

class SharedConnection implements Connection {
  readonly #capabilities: Capabilities;
  #opening: Promise<Session> | undefined;
  #current: Session | undefined;

  constructor(capabilities: Capabilities) {
    this.#capabilities = capabilities;
  }

  async session(signal: AbortSignal, max_result_bytes: number): Promise<Session> {
    for (;;) {
      signal.throwIfAborted();
      const opening = this.#opening;
      if (!opening) return this.#open(signal, max_result_bytes);
      // The call that opened the session may have been aborted; the others must not fail for that.
      const session = await untilAborted(
        signal,
        opening.catch(() => undefined),
      );
      if (session && (await this.#listens(session, signal))) {
        session.wire.allow(max_result_bytes);
        return session;
      }
      if (this.#opening === opening) this.#opening = undefined;
    }
  }

  forget(session: Session): void {
    if (this.#current === session) this.#opening = undefined;
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    const session = await opening?.catch(() => undefined);
    await session?.wire.close();
  }

  #open(signal: AbortSignal, max_result_bytes: number): Promise<Session> {
    const opening = this.#greet(signal, max_result_bytes);
    this.#opening = opening;
    return opening;
  }

  async #greet(signal: AbortSignal, max_result_bytes: number): Promise<Session> {
    const wire = await this.#openWire();
    wire.allow(max_result_bytes);
    this.#current = await openSession(wire, this.#capabilities.failure, signal);
    return this.#current;
  }

  async #openWire(): Promise<Wire> {
    const { origin, spawn, failure } = this.#capabilities;
    if (spawn) return openProgramWire(spawn, this.#capabilities);
    if (origin) return openHttpWire(origin, this.#capabilities);
    throw failure('unavailable', 'there is no server to ask');
  }

  /** A server that was left in the middle of a call may hang. One that does not even answer a ping is ended. */
  async #listens(session: Session, signal: AbortSignal): Promise<boolean> {
    if (session.wire.broken()) return false;
    if (!session.doubted) return true;
    session.doubted = false;
    try {
      await session.ask('ping', {}, AbortSignal.any([signal, AbortSignal.timeout(PING_MS)]));
      return true;
    } catch {
      if (signal.aborted) session.doubted = true;
      signal.throwIfAborted();
      await session.wire.close();
      return false;
    }
  }
}

async function untilAborted<Value>(signal: AbortSignal, wanted: Promise<Value>): Promise<Value> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([wanted, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
