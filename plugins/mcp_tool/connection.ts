/**
 * The sources of one server share a connection, and with it the server's memory of the session. Without a session: the
 * next call opens one, and others that come meanwhile wait for it. A program goes on starting when the call that began it
 * is over. With a session: every call uses it, side by side. It ends when its wire breaks, when the server has forgotten
 * it, or when it hangs; the next call opens another.
 */
import type { Capabilities } from 'chukwa/plugin';
import { openHttpWire } from './http-wire.js';
import { openProgramWire } from './program-wire.js';
import { findOtherVersion, openSession, type Session } from './session.js';
import type { Wire } from './wire.js';

/** The deadline of a ping that tests whether a server still reacts. */
const PING_MS = 2_000;

/** How long a program may take to start and to greet. Some are first downloaded. */
const START_MS = 120_000;

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

interface Opening {
  readonly session: Promise<Session>;
  readonly giveUp: () => void;
  /** Whether it was given up for the call that began it, and not for the server. */
  readonly isGivenUp: () => boolean;
}

class SharedConnection implements Connection {
  readonly #capabilities: Capabilities;
  #opening: Opening | undefined;
  #current: Session | undefined;

  constructor(capabilities: Capabilities) {
    this.#capabilities = capabilities;
  }

  async session(signal: AbortSignal, max_result_bytes: number): Promise<Session> {
    for (;;) {
      signal.throwIfAborted();
      const opening = (this.#opening ??= this.#open(signal, max_result_bytes));
      const session = await this.#wait(opening, signal);
      if (session && (await this.#listens(session, signal))) {
        session.wire.allow(max_result_bytes);
        return session;
      }
      this.#leave(opening);
    }
  }

  forget(session: Session): void {
    if (this.#current === session) this.#opening = undefined;
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    opening?.giveUp();
    const session = await opening?.session.catch(() => undefined);
    await session?.wire.close();
  }

  /** Undefined where the call that opened the session was aborted: the others must not fail for that. */
  async #wait({ session, isGivenUp }: Opening, signal: AbortSignal): Promise<Session | undefined> {
    try {
      return await untilAborted(signal, session);
    } catch (error) {
      if (signal.aborted || !isGivenUp()) throw error;
      return undefined;
    }
  }

  #leave(opening: Opening): void {
    if (this.#opening === opening) this.#opening = undefined;
  }

  /** Only a program can go on starting without its call: over HTTP, nothing is sent outside of one. */
  #open(call: AbortSignal, max_result_bytes: number): Opening {
    const { spawn, failure, alarm } = this.#capabilities;
    const start = new AbortController();
    const cancel = spawn ? alarm(START_MS, () => start.abort()) : (): void => {};
    const session = this.#greet(spawn ? start.signal : call, max_result_bytes).finally(cancel);
    const opening: Opening = {
      session: session.catch((error: unknown) => {
        this.#leave(opening);
        if (!start.signal.aborted) throw error;
        throw failure('unavailable', `the server did not start within ${START_MS / 1000} s, and was ended`);
      }),
      giveUp: () => start.abort(),
      isGivenUp: () => !spawn && call.aborted,
    };
    // Every call that waited for it may be over.
    opening.session.catch(() => {});
    return opening;
  }

  async #greet(signal: AbortSignal, max_result_bytes: number): Promise<Session> {
    const { failure } = this.#capabilities;
    const openWire = async (): Promise<Wire> => {
      const wire = await this.#openWire();
      wire.allow(max_result_bytes);
      return wire;
    };
    try {
      this.#current = await openSession(await openWire(), failure, signal);
    } catch (error) {
      const version = await findOtherVersion(error);
      if (version === undefined) throw error;
      this.#current = await openSession(await openWire(), failure, signal, version);
    }
    return this.#current;
  }

  async #openWire(): Promise<Wire> {
    const { origin, spawn, failure } = this.#capabilities;
    if (spawn) return openProgramWire(spawn, this.#capabilities);
    if (origin) return openHttpWire(origin, this.#capabilities);
    throw failure('unavailable', 'there is no server to ask');
  }

  /** A server that was left in the middle of a call may hang, and one that answered with an error may have forgotten us. */
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
      // Over HTTP, other calls may still wait for their answers in it.
      if (session.wire.can_hang) await session.wire.close();
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
