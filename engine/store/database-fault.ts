import { type Problem, problem } from '../contract/problem.js';

/**
 * The codes with which a server ends or refuses connections: a broken connection, a shutdown, an idle transaction, too
 * many clients, a failed authentication, a missing or closed database.
 */
const SENT_AWAY = /^(08|57P0[1-5]|25P03|53300|28|3D000|55000)/;

/** It takes this client, and not what it would do: it may only be read, or not by this user, or has no schema for it. */
const REFUSED = /^(25006|42501|3F000)$/;

/** The statement was cancelled, waited too long for others, or blocked them: it can be retried. */
const BUSY = /^(57014|55P03|40001|40P01)$/;

/** No room for what is to be written. */
const FULL = /^(53100|ENOSPC|EDQUOT)$/;

/** The resources under the database are gone, damaged or failing: files, the disk, memory. */
const TROUBLED = /^(58|XX001|XX002|53200|EIO$|EROFS$)/;

/** No file descriptor is left, here or at the server. The embedded database says so in words alone. */
const OUT_OF_DESCRIPTORS = /^(EMFILE|ENFILE)$/;
const OUT_OF_DESCRIPTORS_SAID = /too many open files|no file descriptors available/i;

/** The driver's messages, which carry no code, about a connection that ended or no longer answers. */
const ENDED =
  /^Connection terminated|connection error and is not queryable|when trying to connect$|^Query read timeout$/;

const WAYS = ['connect', 'read', 'write'];

/** The lock file of an embedded database no longer names its holder. */
export class LockLost extends Error {
  constructor() {
    super('its lock file no longer says that this process has it');
  }
}

/** The PostgreSQL of an embedded database has ended; the code is that of its last words, if it had any. */
export class DatabaseEnded extends Error {
  readonly code: string | undefined;
  constructor(said: string, code?: string) {
    super(said);
    this.code = code;
  }
}

/** The file of which embedded databases are made cannot be unpacked. */
export class TemplateDamaged extends Error {
  constructor(template_file: string, said: string) {
    super(`${template_file}, of which it is made, cannot be unpacked: ${said}`);
  }
}

const CODES = {
  lock_lost: 'DATABASE_LOCK_LOST',
  /** The server was there, and is gone. */
  lost: 'DATABASE_UNREACHABLE',
  /** The database could write, and has no room any more. */
  full: 'DATABASE_FULL',
  descriptors: 'DESCRIPTORS_EXHAUSTED',
  /** The resources under the database fail it. */
  troubled: 'DATABASE_TROUBLED',
  /** The database can be read, and takes nothing, or not this from this user. */
  refused: 'DATABASE_REFUSES',
  /** A statement was broken off that could have been done. */
  busy: 'DATABASE_BUSY',
} as const;

/**
 * Why a statement could not be done, where its surroundings are at fault and not the statement.
 * @returns undefined for everything that a database in good order has to say
 */
export function findFault(error: unknown): { readonly kind: keyof typeof CODES; readonly reason: string } | undefined {
  // Several addresses of one host fail as one nameless error that holds the real ones.
  if (error instanceof AggregateError) return findFault((error.errors as readonly unknown[])[0]);
  if (!(error instanceof Error)) return undefined;
  const kind = findKind(error);
  return kind === undefined ? undefined : { kind, reason: error.message.replace(/\.$/, '') };
}

function findKind(error: Error & { readonly code?: unknown; readonly syscall?: unknown }) {
  const { syscall, message } = error;
  const code = typeof error.code === 'string' ? error.code : '';
  if (error instanceof LockLost) return 'lock_lost';
  if (error instanceof TemplateDamaged) return 'troubled';
  if (OUT_OF_DESCRIPTORS.test(code) || OUT_OF_DESCRIPTORS_SAID.test(message)) return 'descriptors';
  if (FULL.test(code)) return 'full';
  if (SENT_AWAY.test(code) || ENDED.test(message)) return 'lost';
  if (TROUBLED.test(code)) return 'troubled';
  if (REFUSED.test(code)) return 'refused';
  if (BUSY.test(code)) return 'busy';
  if (error instanceof DatabaseEnded) return 'troubled';
  return typeof syscall === 'string' && WAYS.includes(syscall) ? 'lost' : undefined;
}

/** Connections that were refused or broken, a server that starts, stops or is full: no wrong user or address. */
const PASSING_STATES = /^(08(00|3)|57P0[1-3]|53300)/;
const PASSING_CODES = /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|EAI_AGAIN)$/;

/** Whether a database that cannot be reached may be reached later with nothing changed here. */
export function isPassing(error: unknown): boolean {
  // A host of several addresses may answer at one of them.
  if (error instanceof AggregateError) return (error.errors as readonly unknown[]).some(isPassing);
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (ENDED.test(error.message)) return true;
  // The socket of a local server comes into being with it.
  if (code === 'ENOENT') return syscall === 'connect';
  return code !== undefined && (PASSING_STATES.test(code) || PASSING_CODES.test(code));
}

/** The same as a problem of the database that is described. */
export function findFaultProblem(description: string, error: unknown): Problem | undefined {
  const fault = findFault(error);
  return fault && problem(CODES[fault.kind], { description, reason: fault.reason });
}
