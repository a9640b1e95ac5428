import { content, environment, overHttp } from './entry.js';

/** Problems of the database, of plugins and of environment variables. */
export const SURROUNDINGS_PROBLEMS = {
  DATABASE_LOCKED: environment(
    'Another process has the embedded database; the message says which, and since when.',
    'Wait until it has ended, by `--wait SECONDS`. To look while turns run, queue them with `run SLUG --queue` and start ' +
      '`serve`; or use PostgreSQL to share a database. If it ran on another host or in another container that is gone ' +
      'for good, delete the lock file that the message names.',
  ),
  DATABASE_LOCK_LOST: environment(
    'The lock file of the embedded database was deleted or changed while this process had the database, so another ' +
      'process may have it.',
    'Leave the file alone. See that no other process uses the folder, and run the command again: a turn that was ' +
      'under way goes on from its records.',
  ),
  DATABASE_FOLDER_UNUSABLE: environment(
    'The folder of the embedded database cannot be used.',
    'Make it writable, or make room on its disk, as the message says; or name another in `CHUKWA_DATA_DIR`.',
  ),
  DATABASE_LOCK_UNUSABLE: environment(
    'A folder, a pipe or a link is where the lock of the embedded database belongs.',
    'Move it away once no process uses the folder, or name another in `CHUKWA_DATA_DIR`.',
  ),
  DATABASE_URL_INVALID: environment(
    '`CHUKWA_DATABASE_URL` is no address of a database.',
    'Write `postgres://user:password@host:port/database`, or `memory:`.',
  ),
  DATABASE_UNREACHABLE: environment(
    'The server does not answer, accepts no connection, or was lost meanwhile.',
    'Check that it runs, and the address; a turn that was under way is tried anew by the next `run`.',
  ),
  DATABASE_FULL: environment(
    'There is no room for what is to be written, or for the embedded database to start.',
    'Make room on the disk that holds the database.',
  ),
  DATABASE_TROUBLED: environment(
    'Files under the database are gone or damaged, or its disk or memory fails.',
    'Look at them; restore what is missing.',
  ),
  DESCRIPTORS_EXHAUSTED: environment(
    'The process, or the server, may open no more files and connections. Nothing is damaged.',
    'Allow more, such as `ulimit -n 4096`.',
  ),
  DATABASE_REFUSES: environment(
    'The database may only be read, its search_path names no schema, or its user may not do what is to be done.',
    'Make it writable, name the primary or a schema that is there, or grant the user what the message names.',
  ),
  DATABASE_BUSY: environment(
    'A statement was broken off: by somebody, by `statement_timeout` or `lock_timeout`, or because others stood in ' +
      'its way.',
    'See in `pg_stat_activity` who holds locks; then `chukwa run SLUG` goes on.',
  ),
  DATABASE_NOT_OURS: environment(
    'The database holds tables of another program. Nothing is made in it.',
    'Name an empty one in `CHUKWA_DATABASE_URL`.',
  ),
  DATABASE_UNREADABLE: environment('The database is there and cannot be read.', 'The message says why.'),
  DATABASE_TOO_OLD: environment('The server is older than PostgreSQL 14.', 'Upgrade it.'),
  DATABASE_NOT_UTF8: environment(
    'The PostgreSQL database is encoded otherwise, and cannot hold every text.',
    'Name one made with `createdb --encoding UTF8 --template template0 chukwa`.',
  ),
  DATABASE_TOO_NEW: environment('A newer version of the program has migrated the database.', 'Upgrade chukwa.'),
  DOORBELL_UNKNOWN: environment(
    '`CHUKWA_DOORBELL` is no doorbell.',
    'Write `auto`, `process`, `postgres` or `nats`, or leave it out.',
  ),
  DOORBELL_NOT_THERE: environment(
    '`CHUKWA_DOORBELL` is `postgres`, and the database is embedded.',
    'Leave it out, or use PostgreSQL.',
  ),
  NATS_URL_MISSING: environment(
    '`CHUKWA_DOORBELL` is `nats`, and nothing says where that is.',
    'Set `CHUKWA_NATS_URL`.',
  ),
  NATS_URL_INVALID: environment('`CHUKWA_NATS_URL` is no address of a NATS server.', 'Write `nats://host:4222`.'),
  DATABASE_MIGRATION_MISSED: environment(
    'The database was made by a version that lacked a migration and had later ones.',
    'Use the version that made it, or another database.',
  ),
  DATABASE_MIGRATION_CHANGED: environment(
    'The database was made by another version of a migration.',
    'Use the version that made it, or another database.',
  ),
  PORT_TAKEN: environment(
    'A port cannot be had, for the toys or for `serve`.',
    'Name another: `--port-base`, `--port`.',
  ),
  PORT_INVALID: content('`CHUKWA_PORT` is not a port.', 'Write a number up to 65535.'),
  FLIGHT_LIMIT_INVALID: content(
    '`CHUKWA_MAX_IN_FLIGHT` or `CHUKWA_ENDPOINT_MAX_IN_FLIGHT` is no number of calls.',
    'Write a whole number from 1 on, or leave it out.',
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
    '`CHUKWA_TOKEN` and `CHUKWA_OPERATOR_TOKEN` are the same.',
    'Write two different ones, or leave one out.',
  ),
  TOKEN_TOO_SHORT: content(
    'The token in the variable that the message names has fewer than 32 characters.',
    'Write a random one, such as `openssl rand -hex 32`.',
  ),
  TOKENS_EXPOSED: environment(
    'Others may read the file with the tokens, it belongs to another user, or it is a link.',
    '`chmod 600` the file; delete it if another user may have read it.',
  ),
  TOKENS_UNUSABLE: environment(
    'The file with the tokens cannot be read or written, or holds something else, such as tokens of fewer than 32 ' +
      'characters.',
    'Delete it, or set `CHUKWA_TOKEN` and `CHUKWA_OPERATOR_TOKEN`.',
  ),
  SECRET_TOO_SHORT: environment(
    'A variable holds a secret of fewer than six characters, which occurs in too many texts to be kept out of ' +
      'records.',
    'Choose a longer one. In a URL or a command it is the call that fails, as `unavailable`.',
  ),
  PLUGIN_FOLDER_UNREADABLE: content(
    'A folder of plugins, or of the plugin to be tested, cannot be read.',
    'Correct `CHUKWA_PLUGIN_PATH`, or the folder.',
  ),
  PLUGIN_MANIFEST_INVALID: content('A `plugin.json` is not a manifest.', 'The message says why.'),
  PLUGIN_INTERFACE_SCHEMA_INVALID: content("A plugin's interface schema cannot be used.", 'The message says why.'),
  PLUGIN_ENTRY_FAILED: content(
    "A plugin's entry is not there or cannot be imported: its modules throw, await for more than 10 seconds, or " +
      'export no plugin; or a module in its folder is no regular file, or all of them exceed 64 MiB.',
    'The message says why; a module should do nothing at import but import.',
  ),
  PLUGIN_NAME_TAKEN: content(
    "Several plugins have one name, and none of them is used; or a new one would have another's.",
    'Rename all but one.',
  ),
  PLUGIN_NAME_INVALID: content(
    'A new plugin cannot have that name.',
    'Lower-case letters, digits and underscores, a letter first.',
  ),
  PLUGIN_FOLDER_EXISTS: content(
    'The folder of a new plugin is there already.',
    'Choose another name or folder; nothing is written over.',
  ),
  UNEXPECTED: overHttp(
    500,
    'Something broke that should not have: the database is gone, or the program is at fault.',
    '`chukwa doctor`; `--verbose` shows where.',
  ),
};
