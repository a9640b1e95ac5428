import type { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import type { PoolConfig } from 'pg';
import { DatabaseEnded } from './database-fault.js';

/** How long a statement waits for a connection: only a forgotten await inside a transaction makes it wait so long. */
const CONNECTION_TIMEOUT_MS = 60_000;

type Execute = PGlite['execProtocolStream'];
type Answers = Awaited<ReturnType<Execute>>;

/** PostgreSQL, started from its files; or what it said where it does not start. */
export type Started = { readonly ok: true; readonly value: PGlite } | { readonly ok: false; readonly said: string };

/** @returns undefined where it is too early for a start */
type StartAnew = (end: DatabaseEnded) => Promise<Started | undefined>;

/** Messages that are answered to the end, whatever happens: a query, and the end of a sequence. */
const ANSWERED_TO_THE_END = ['Q', 'S'].map((letter) => letter.charCodeAt(0));

/**
 * The PostgreSQL in this process. It ends where it cannot continue, such as without room for its log. PGlite does not report
 * that end: it would give the next message to the dead PostgreSQL, or would never answer. This session fails the statement
 * under way and all later ones, until PostgreSQL is started anew, as after a crash.
 */
export class EmbeddedSession implements Pick<PGlite, 'waitReady' | 'execProtocolStream'> {
  readonly waitReady = Promise.resolve();
  /** It uses no other members of PGlite than these two. */
  readonly #driver = createPgConfig(this as unknown as PGlite);
  #pglite: PGlite;
  /** Left out where nothing is kept, or the files are no good. */
  #startAnew: StartAnew | undefined;
  #end: DatabaseEnded | undefined;
  #starting: Promise<void> | undefined;

  constructor(pglite: PGlite, startAnew?: StartAnew) {
    this.#pglite = pglite;
    this.#startAnew = startAnew;
  }

  /** One session serves all, so there is one connection, which lasts as long as the database is open. */
  toPoolConfig(): PoolConfig {
    return Object.assign({}, this.#driver, {
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    });
  }

  /** @throws DatabaseEnded */
  async execProtocolStream(...[message, options]: Parameters<Execute>): Promise<Answers> {
    if (this.#end) throw this.#end;
    const answers = await this.#pglite.execProtocolStream(message, options).catch(toEnd);
    this.#end = answers instanceof DatabaseEnded ? answers : findEnd(message, answers);
    if (this.#end === undefined) return answers as Answers;
    try {
      // Closes the files, so that the dead PostgreSQL writes nothing more.
      this.#pglite.Module.FS.quit();
    } catch {
      // Its end is the error to report.
    }
    throw this.#end;
  }

  /** Starts PostgreSQL anew where it has ended. @throws DatabaseEnded where that cannot be done, or not yet */
  async ensureStarted(): Promise<void> {
    if (this.#end === undefined) return;
    this.#starting ??= this.#replace(this.#end).finally(() => {
      this.#starting = undefined;
    });
    await this.#starting;
  }

  async #replace(end: DatabaseEnded): Promise<void> {
    const started = await this.#startAnew?.(end);
    if (started === undefined) throw end;
    if (!started.ok) {
      this.#startAnew = undefined;
      this.#end = new DatabaseEnded(`PostgreSQL does not start again from its files: ${started.said}`);
      throw this.#end;
    }
    this.#pglite = started.value;
    // Prepared statements ended with the old session.
    this.#driver.connection.parsedStatements = {};
    this.#driver.connection.submittedNamedStatements = {};
    this.#end = undefined;
  }

  /** Closes PostgreSQL; one that has ended wrote its last already. */
  async close(): Promise<void> {
    // A start under way would open the files after their lock is given back.
    await this.#starting?.catch(() => {});
    if (this.#end === undefined) await this.#pglite.close();
  }
}

function toEnd(error: unknown): DatabaseEnded {
  return new DatabaseEnded(error instanceof Error ? error.message : String(error));
}

function findEnd(message: Uint8Array, answers: Answers): DatabaseEnded | undefined {
  for (const answer of answers) {
    const { severity, code } = answer as { readonly severity?: string; readonly code?: string };
    if (answer instanceof Error && (severity === 'PANIC' || severity === 'FATAL'))
      return new DatabaseEnded(answer.message, code);
  }
  const is_whole = answers.at(-1)?.name === 'readyForQuery' || !ANSWERED_TO_THE_END.includes(message[0] ?? 0);
  return is_whole ? undefined : new DatabaseEnded('PostgreSQL has ended in the middle of a statement');
}
