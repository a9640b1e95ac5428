import { present } from '../contract/present.js';
import { PERCENT_ENCODE } from '../core/content/variable-value.js';
import type { Problem } from '../contract/problem.js';
import type { ProblemCode } from '../contract/problems/index.js';

const SHARE = 'use CHUKWA_DATABASE_URL with PostgreSQL to share a database between processes';

/** A process that has the embedded database. */
interface DatabaseHolder {
  /** Left out where it does not say. */
  readonly pid?: number;
  readonly host: string;
  /** Since when, RFC 3339; left out where it does not say. */
  readonly since?: string;
  /** Its place, if it cannot be seen from here, and the thing that would have to be gone for it to be dead. */
  readonly elsewhere?: { readonly where: string; readonly gone: string };
  readonly lock_file: string;
}

/** Another process has the embedded database. */
export function databaseLocked(folder: string, { pid, host, since, elsewhere, lock_file }: DatabaseHolder): Problem {
  const where = elsewhere ? ` ${elsewhere.where}` : '';
  const holder = pid === undefined ? 'another process' : `process ${pid}`;
  return {
    code: 'DATABASE_LOCKED',
    message: `The database in ${folder} is in use by ${holder}${where}${since === undefined ? '' : `, since ${since}`}.`,
    repair: elsewhere
      ? `Wait until it has ended; if ${elsewhere.gone} is gone for good, delete ${lock_file}. Or ${SHARE}.`
      : `Try again when it has ended, or wait for it with --wait SECONDS. To look while turns run, queue them with chukwa run SLUG --queue, and start chukwa serve --work: it runs them and shows everything in a browser. Or ${SHARE}.`,
    details: { ...present({ pid }), host, folder, may_pass: elsewhere === undefined },
  };
}

/** The folder of the embedded database cannot be made, read or written. */
export function dataFolderUnusable(
  folder: string,
  reason: string,
  { lacks_room }: { readonly lacks_room: boolean },
): Problem {
  const first = lacks_room ? 'Make room on the disk that holds it' : 'Make it a folder that this user may write';
  return {
    code: 'DATABASE_FOLDER_UNUSABLE',
    message: `The database folder ${folder} cannot be used: ${reason}.`,
    repair: `${first}, or name another one in CHUKWA_DATA_DIR.`,
    details: { folder },
  };
}

/** The text is no address of a PostgreSQL database. It is not repeated: it may hold a password. */
export function databaseUrlInvalid(): Problem {
  return {
    code: 'DATABASE_URL_INVALID',
    message: 'CHUKWA_DATABASE_URL is neither a postgres:// address nor memory:.',
    repair: 'Write postgres://user:password@host:port/database, or memory: for a throw-away embedded database.',
  };
}

/** What reads as its host or database may be a part of the password. */
export function databaseUrlNotEncoded(): Problem {
  return {
    code: 'DATABASE_URL_INVALID',
    message: 'CHUKWA_DATABASE_URL has an @ behind its host.',
    repair: `${PERCENT_ENCODE[0]?.toUpperCase()}${PERCENT_ENCODE.slice(1)}.`,
  };
}

/** The driver connects to one host. */
export function databaseHostsMany(): Problem {
  return {
    code: 'DATABASE_URL_INVALID',
    message: 'CHUKWA_DATABASE_URL names several hosts, and one is used.',
    repair: 'Name the primary alone, or an address that leads to it, such as that of a pooler.',
  };
}

/** The address names a file, of a certificate or a key, that cannot be read. */
export function databaseUrlNamesNoFile(file: string, reason: string): Problem {
  return {
    code: 'DATABASE_URL_INVALID',
    message: `CHUKWA_DATABASE_URL names ${file} in sslrootcert, sslcert or sslkey, and it cannot be read: ${reason}.`,
    repair:
      'Correct the path. With sslrootcert=system the authorities that Node.js knows count, and those of NODE_EXTRA_CA_CERTS.',
  };
}

/**
 * No server answers, or the server that answers admits no connection.
 * @param passing whether that may change by itself, and what can be done, where that is known
 */
export function databaseUnreachable(
  place: string,
  reason: string,
  { may_pass, repair }: { readonly may_pass: boolean; readonly repair?: string },
): Problem {
  return {
    code: 'DATABASE_UNREACHABLE',
    message: `PostgreSQL at ${place} cannot be reached: ${reason}.`,
    repair:
      repair ??
      'Check that the server runs and that CHUKWA_DATABASE_URL names its host, port, user and database; leave the variable out for the embedded database.',
    details: { place, may_pass },
  };
}

/** Something else is where the lock of a folder belongs. */
export function lockUnusable(folder: string, lock_file: string, reason: string): Problem {
  return {
    code: 'DATABASE_LOCK_UNUSABLE',
    message: `The lock ${lock_file} cannot be used: ${reason}.`,
    repair: `See that no process uses the folder, and move ${lock_file} away; or name another folder in CHUKWA_DATA_DIR.`,
    details: { folder },
  };
}

/** The words of a database's fault: its message, made of the database and the reason, and its repair. */
const FAULTS = {
  /** The lock file of the embedded database was deleted or changed while this process had the database. */
  lock_lost: {
    code: 'DATABASE_LOCK_LOST',
    says: (it, reason) => `The ${it} may be in use by another process: ${reason}. Nothing more is written to it.`,
    repair:
      'Make sure that no other process uses the database, and run the command again: an interrupted turn resumes from its records. Do not touch the lock file while a process has the database.',
  },
  /** The server was there, and is gone. */
  lost: {
    code: 'DATABASE_UNREACHABLE',
    says: (it, reason) => `The connection to the ${it} was lost: ${reason}.`,
    repair: 'Wait until it answers; chukwa doctor says whether it does.',
  },
  /** The database could write, and has no room any more. */
  full: {
    code: 'DATABASE_FULL',
    says: (it, reason) => `The ${it} has no room left: ${reason}.`,
    repair: 'Make room on the disk that holds it.',
  },
  /** A process may open no more files and connections. */
  descriptors: {
    code: 'DESCRIPTORS_EXHAUSTED',
    says: (it, reason) => `The ${it} cannot work, because no file descriptor is left: ${reason}.`,
    repair: 'Allow the process more open files, such as: ulimit -n 4096. Nothing that is stored is damaged.',
  },
  /** The resources under the database fail it. */
  troubled: {
    code: 'DATABASE_TROUBLED',
    says: (it, reason) => `The ${it} cannot work: ${reason}.`,
    repair: 'Look at the disk and the files that hold it; restore what is missing or damaged.',
  },
  /** The database can be read, and takes nothing, or not this from this user. */
  refused: {
    code: 'DATABASE_REFUSES',
    says: (it, reason) => `The ${it} refuses what is to be done: ${reason}.`,
    repair:
      'Where it is a standby or set read-only, make it writable or name the primary in CHUKWA_DATABASE_URL; where its search_path names no schema, name one that is there; else grant its user what was refused.',
  },
  /** A statement was broken off that could have been done. */
  busy: {
    code: 'DATABASE_BUSY',
    says: (it, reason) => `The ${it} broke a statement off: ${reason}.`,
    repair:
      'See in pg_stat_activity who holds locks for long, and whether statement_timeout or lock_timeout is set for this user.',
  },
  /** The database is there and cannot be read. */
  unreadable: {
    code: 'DATABASE_UNREADABLE',
    says: (it, reason) => `The ${it} cannot be read: ${reason}.`,
    repair: 'Make sure that this user may read its tables and that nothing has damaged it, or use another database.',
  },
} as const satisfies Readonly<Record<string, FaultText>>;

interface FaultText {
  readonly code: ProblemCode;
  readonly says: (it: string, reason: string) => string;
  readonly repair: string;
}

export type FaultKind = keyof typeof FAULTS;

/** A fault of the database that is described. */
export function databaseFault(kind: FaultKind, description: string, reason: string): Problem {
  const { code, says, repair } = FAULTS[kind];
  return { code, message: says(`database (${description})`, reason), repair };
}

/** The database holds tables, and none of them says that they are ours. Nothing is made beside them. */
export function databaseNotOurs(description: string, relation: string): Problem {
  return {
    code: 'DATABASE_NOT_OURS',
    message: `The database (${description}) belongs to another program: it holds ${relation}, and no migrations of chukwa.`,
    repair: 'Name an empty database in CHUKWA_DATABASE_URL, such as one made by: createdb chukwa',
    details: { relation },
  };
}

/** A newer program has migrated the database. */
export function databaseTooNew(description: string, migration: string): Problem {
  return {
    code: 'DATABASE_TOO_NEW',
    message: `The database (${description}) has been migrated by a newer version: this one does not know ${migration}.`,
    repair: 'Upgrade chukwa, or use another database.',
    details: { migration },
  };
}

/** The server is older than the SQL of the statements. */
export function databaseTooOld(place: string, version: string): Problem {
  return {
    code: 'DATABASE_TOO_OLD',
    message: `PostgreSQL at ${place} is version ${version}; 14 or newer is needed.`,
    repair: 'Upgrade PostgreSQL, or leave CHUKWA_DATABASE_URL out for the embedded database.',
    details: { place, version },
  };
}

/** The database cannot hold every text. */
export function databaseNotUtf8(place: string, encoding: string): Problem {
  return {
    code: 'DATABASE_NOT_UTF8',
    message: `The database at ${place} is encoded in ${encoding}, which cannot hold every text; UTF8 is needed.`,
    repair: 'Name a database made with: createdb --encoding UTF8 --template template0 chukwa',
    details: { place, encoding },
  };
}

/** The database has other migrations: it was made before the baseline, or one came into being between two that it has. */
export function migrationMissed(description: string, migration: string): Problem {
  return {
    code: 'DATABASE_MIGRATION_MISSED',
    message: `The database (${description}) was made without migration ${migration}, by a version with other migrations.`,
    repair:
      'Export its worlds with the last version of chukwa that opens it, and import them with this one into a new database; or use another database.',
    details: { migration },
  };
}

/** A migration was edited after it had been applied. */
export function migrationChanged(description: string, migration: string): Problem {
  return {
    code: 'DATABASE_MIGRATION_CHANGED',
    message: `Migration ${migration} of the database (${description}) is not the one that this program knows.`,
    repair: 'Use the version of chukwa that made the database, or another database.',
    details: { migration },
  };
}
