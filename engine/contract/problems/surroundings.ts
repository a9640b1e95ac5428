import { content, environment, overHttp } from './entry.js';

/** Problems of the database, of plugins and of environment variables. */
export const SURROUNDINGS_PROBLEMS = {
  DATABASE_LOCKED: environment(
    'Another process holds the lock of the embedded database; the message says which, and since when.',
    'Wait until it has ended, with `--wait SECONDS`. To look at records while turns run, queue the turns with ' +
      '`run SLUG --queue` and start `serve`; or share a PostgreSQL database. If the process ran on another host or in ' +
      'another container that is gone for good, delete the lock file that the message names.',
  ),
  DATABASE_LOCK_LOST: environment(
    'The lock file of the embedded database was deleted or changed while this process held the lock, so another ' +
      'process may have opened the database.',
    'Make sure that no other process uses the folder, and run the command again: an interrupted turn resumes from ' +
      'its records. Do not touch the lock file.',
  ),
  DATABASE_FOLDER_UNUSABLE: environment(
    'The folder of the embedded database cannot be used.',
    'Make it writable, or make room on its disk, as the message says; or name another in `CHUKWA_DATA_DIR`.',
  ),
  DATABASE_LOCK_UNUSABLE: environment(
    'The path of the lock file of the embedded database is a folder, a pipe or a link.',
    'Move it away once no process uses the folder, or name another in `CHUKWA_DATA_DIR`.',
  ),
  DATABASE_URL_INVALID: environment(
    '`CHUKWA_DATABASE_URL` is not the address of a database, or names several hosts or a file that cannot be read.',
    'Write `postgres://user:password@host:port/database`, or `memory:`.',
  ),
  DATABASE_UNREACHABLE: environment(
    'The server does not answer or accepts no connection, or the connection was lost.',
    'The message says what can be done. The next `run` resumes an interrupted turn.',
  ),
  DATABASE_FULL: environment('The disk of the database is full.', 'Free space on it.'),
  DATABASE_TROUBLED: environment(
    'Files of the database are missing or damaged, or its disk or memory fails.',
    'Check the disk; restore the files from a back-up.',
  ),
  DESCRIPTORS_EXHAUSTED: environment(
    'The process or the server has reached its limit of open files and connections. Nothing is damaged.',
    'Raise the limit, such as by `ulimit -n 4096`.',
  ),
  DATABASE_REFUSES: environment(
    'The database is read-only, its search_path names no schema, or its user lacks a permission.',
    'Make it writable, name the primary or an existing schema, or grant the permission that the message names.',
  ),
  DATABASE_BUSY: environment(
    'A statement was cancelled: by a person, by `statement_timeout` or `lock_timeout`, or by a conflict with another session.',
    'See in `pg_stat_activity` which session holds locks; then resume with `chukwa run SLUG`.',
  ),
  DATABASE_NOT_OURS: environment(
    'The database holds tables of another program. Nothing was written to it.',
    'Name an empty database in `CHUKWA_DATABASE_URL`.',
  ),
  DATABASE_UNREADABLE: environment('The database exists, but cannot be read.', 'The message says why.'),
  DATABASE_TOO_OLD: environment('The server is older than PostgreSQL 14.', 'Upgrade it.'),
  DATABASE_NOT_UTF8: environment(
    'The encoding of the PostgreSQL database is not UTF-8, so it cannot hold every text.',
    'Name a database that was created with `createdb --encoding UTF8 --template template0 chukwa`.',
  ),
  DATABASE_TOO_NEW: environment('A newer version of the program has migrated the database.', 'Upgrade chukwa.'),
  DOORBELL_UNKNOWN: environment(
    '`CHUKWA_DOORBELL` is not a known doorbell.',
    'Write `auto`, `process`, `postgres` or `nats`, or leave it out.',
  ),
  DOORBELL_NOT_THERE: environment(
    '`CHUKWA_DOORBELL` is `postgres`, but the database is embedded.',
    'Leave it out, or use PostgreSQL.',
  ),
  NATS_URL_MISSING: environment(
    '`CHUKWA_DOORBELL` is `nats`, but `CHUKWA_NATS_URL` is not set.',
    'Set `CHUKWA_NATS_URL`.',
  ),
  NATS_URL_INVALID: environment('`CHUKWA_NATS_URL` is not the address of a NATS server.', 'Write `nats://host:4222`.'),
  DATABASE_MIGRATION_MISSED: environment(
    'The database was created by a version with other migrations.',
    'Export its worlds with the last version that opens it, and import them into a new database; or use another database.',
  ),
  DATABASE_MIGRATION_CHANGED: environment(
    'The database was created by another version of a migration.',
    'Use the version that created it, or another database.',
  ),
  SOURCE_NOT_READY: environment(
    'A variable of one of the sources of the scenario is missing or unusable; the message names both. Nothing was called.',
    'Set the variable; `chukwa doctor SLUG` shows all variables of a world.',
  ),
  PORT_TAKEN: environment(
    'A port of the toys or of `serve` is not available.',
    'Choose another with `--port-base` or `--port`.',
  ),
  PORT_INVALID: content('`CHUKWA_PORT` is not a port.', 'Write a number up to 65535.'),
  FLIGHT_LIMIT_INVALID: content(
    '`CHUKWA_MAX_IN_FLIGHT` or `CHUKWA_ENDPOINT_MAX_IN_FLIGHT` is not a number of calls.',
    'Write a whole number of at least 1, or leave it out.',
  ),
  PUBLIC_URL_INVALID: content(
    '`CHUKWA_PUBLIC_URL` is not an http or https URL.',
    'Write the URL at which services reach `chukwa serve`.',
  ),
  TELEMETRY_URL_INVALID: content(
    'The variable that the message names, such as `OTEL_EXPORTER_OTLP_ENDPOINT`, is not an http or https URL.',
    'Write the URL of an OTLP receiver, or leave it out.',
  ),
  TOKENS_EQUAL: content(
    '`CHUKWA_TOKEN` and `CHUKWA_OPERATOR_TOKEN` are equal.',
    'Write two different ones, or leave one out.',
  ),
  TOKEN_TOO_SHORT: content(
    'The token in the variable that the message names has fewer than 32 characters.',
    'Write a random one, such as `openssl rand -hex 32`.',
  ),
  TOKENS_EXPOSED: environment(
    'The file with the tokens is readable by other users, belongs to another user, or is a link.',
    '`chmod 600` the file; delete it if another user may have read it.',
  ),
  TOKENS_UNUSABLE: environment(
    'The file with the tokens cannot be read or written, or has invalid contents, such as tokens of fewer than 32 ' +
      'characters.',
    'Make room for it or delete it, as the message says; or set `CHUKWA_TOKEN` and `CHUKWA_OPERATOR_TOKEN`.',
  ),
  INVISIBLE_CHARACTER: environment(
    'A variable with a secret holds a character that cannot be seen, at the position that the message names.',
    'Set the variable again without it.',
  ),
  SECRET_TOO_SHORT: environment(
    'A variable holds a secret of fewer than six characters. Such a short text occurs too often to be redacted in ' +
      'records.',
    'Choose a longer secret. With such a secret in a URL or a command, the call fails as `unavailable`.',
  ),
  UNEXPECTED: overHttp(
    500,
    'An unexpected error: the database is gone, or the program has a bug.',
    '`chukwa doctor`; `--verbose` shows where.',
  ),
};
