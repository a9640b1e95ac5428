import { byKind, content, environment, overHttp, type Texts, unknown } from './entry.js';
import { type KnownNames, PERCENT_ENCODE, suggested } from './phrases.js';

/** A database as people know it, and why it fails. */
export interface DatabaseFailure {
  readonly description: string;
  readonly reason: string;
}

const URL = 'CHUKWA_DATABASE_URL';
const ENCODE = 'write @ / # ? % as %40 %2F %23 %3F %25.';
const REACH = `Correct the host in ${URL}, or let this machine through to it`;

/** What can be done about a server that does not answer, or admits nobody. */
const UNREACHABLE_REPAIRS = {
  unknown_host: `Correct the host in ${URL}: nobody here knows this name. In a user or password, ${ENCODE}`,
  nothing_listens: `Start the server, or correct host and port in ${URL}; nothing listens there.`,
  no_socket: `Start the server, or correct the folder of its socket in ${URL}.`,
  out_of_reach: `${REACH}.`,
  silent: `${REACH}: nothing was answered.`,
  no_database: `Make the database with createdb, or correct its name in ${URL}.`,
  wants_tls: `Add ?sslmode=require to ${URL}, if the server wants TLS; else let its pg_hba.conf admit this user, database and host.`,
  not_admitted: "Let the server's pg_hba.conf admit this user, database and host.",
  wrong_password: `Correct user and password in ${URL}. In them, ${ENCODE}`,
  no_password: `Write the password into ${URL}: postgres://user:password@host/database.`,
  without_tls: `Let the server speak TLS, or write sslmode=disable in ${URL}, by which everything is sent in the clear.`,
  full: 'Wait until others have left, or raise max_connections of the server.',
  starting: 'Wait until the server has started.',
  authority: `Add sslrootcert=FILE to ${URL}, or set NODE_EXTRA_CA_CERTS to FILE: the certificate of its authority (PEM). sslmode=no-verify encrypts, and checks nothing.`,
  name: `Name the host in ${URL} as its certificate does. sslmode=no-verify encrypts, and checks nothing.`,
  time: 'Renew the certificate of the server.',
  plain: `Write sslmode=disable in ${URL}, or the port that speaks TLS.`,
  untold: `Check that the server runs and that ${URL} names its host, port, user and database; leave the variable out for the embedded database.`,
};

/** Why a server does not answer, or admits nobody. */
export type UnreachableCause = keyof typeof UNREACHABLE_REPAIRS;

function failing(meaning: string, message: (it: string, reason: string) => string, repair: string, reason: string) {
  return environment({
    meaning,
    message: ({ description, reason }) => message(`database (${description})`, reason),
    repair,
    example: { description: 'embedded, in .chukwa', reason },
  });
}

const EXPOSED = {
  open_to_others: 'Other users may read the file of the tokens',
  of_another: 'The file of the tokens belongs to another user',
  not_a_file: 'The file of the tokens is a link or no file',
};
const WRONG_NATS_URLS = {
  not_encoded: `CHUKWA_NATS_URL has an @ behind its host: ${PERCENT_ENCODE}.`,
  no_address: 'CHUKWA_NATS_URL is no nats:// or tls:// address.',
  bad_percent: 'In CHUKWA_NATS_URL, a % in user or password is not followed by the code of a character.',
};
const SHARE = 'use CHUKWA_DATABASE_URL with PostgreSQL to share a database between processes';
const LOOK = 'Run chukwa doctor to see what cannot be reached; --verbose shows the origin of this error.';
const TO_RAISE = 'Allow the process more open files, such as: ulimit -n 4096. Nothing that is stored is damaged.';

/** Problems of the database, of plugins and of environment variables. */
export const SURROUNDINGS_PROBLEMS = {
  DATABASE_LOCKED: environment<{
    readonly folder: string;
    readonly lock_file: string;
    /** Left out where it does not say. */
    readonly pid?: number;
    /** Since when, RFC 3339; left out where it does not say. */
    readonly since?: string;
    /** Its host, if that is not this one. */
    readonly other_host?: string;
  }>({
    meaning: 'Another process uses the embedded database.',
    message: ({ folder, pid, since, other_host }) =>
      `The database in ${folder} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}${other_host === undefined ? '' : ` on host ${other_host}`}${since === undefined ? '' : `, since ${since}`}.`,
    repair: ({ other_host, lock_file }) =>
      other_host === undefined
        ? `Try again when it has ended, or wait for it with --wait SECONDS. To look while turns run, queue them with chukwa run SLUG --queue, and start chukwa serve --work: it runs them and shows everything in a browser. Or ${SHARE}.`
        : `Wait until it has ended; if that host is gone for good, delete ${lock_file}. Or ${SHARE}.`,
    example: { folder: '.chukwa', lock_file: '.chukwa/lock', pid: 4711, since: '2026-05-01T09:00:00.000Z' },
  }),
  DATABASE_LOCK_LOST: failing(
    'The lock file was deleted or changed, so another process may have opened the database.',
    (it, reason) => `The ${it} may be in use by another process: ${reason}. Nothing more is written to it.`,
    'Make sure that no other process uses the database, and run the command again: an interrupted turn resumes from its records. Do not touch the lock file while a process has the database.',
    'its lock file no longer says that this process has it',
  ),
  DATABASE_FOLDER_UNUSABLE: environment({
    meaning: 'Its folder cannot be made, read or written.',
    message: ({ folder, reason }) => `The database folder ${folder} cannot be used: ${reason}.`,
    repair: ({ lacks_room }) =>
      `${lacks_room ? 'Make room on the disk that holds it' : 'Make it a folder that this user may write'}, or name another one in CHUKWA_DATA_DIR.`,
    example: { folder: '.chukwa', reason: 'permission is missing', lacks_room: false },
  }),
  DATABASE_LOCK_UNUSABLE: environment({
    meaning: 'The path of its lock file is a folder, a pipe or a link.',
    message: ({ lock_file, reason }) => `The lock ${lock_file} cannot be used: ${reason}.`,
    repair: ({ lock_file }) =>
      `See that no process uses the folder, and move ${lock_file} away; or name another folder in CHUKWA_DATA_DIR.`,
    example: { lock_file: '.chukwa/lock', reason: 'it is no regular file' },
  }),
  // An address is not repeated: it may hold a password.
  DATABASE_URL_INVALID: environment({
    meaning: 'CHUKWA_DATABASE_URL is no address, names several hosts, or a file that cannot be read.',
    ...byKind(
      {
        no_address: [
          'CHUKWA_DATABASE_URL is neither a postgres:// address nor memory:.',
          'Write postgres://user:password@host:port/database, or memory: for a throw-away embedded database.',
        ],
        not_encoded: ['CHUKWA_DATABASE_URL has an @ behind its host.', `${PERCENT_ENCODE.replace(/^p/, 'P')}.`],
        several_hosts: [
          'CHUKWA_DATABASE_URL names several hosts, and one is used.',
          'Name the primary alone, or an address that leads to it, such as that of a pooler.',
        ],
        no_file: [
          ({ file, reason }: Texts<'file' | 'reason'>) =>
            `CHUKWA_DATABASE_URL names ${file} in sslrootcert, sslcert or sslkey, and it cannot be read: ${reason}.`,
          'Correct the path. With sslrootcert=system the authorities that Node.js knows count, and those of NODE_EXTRA_CA_CERTS.',
        ],
      },
      { kind: 'no_address' },
    ),
  }),
  DATABASE_UNREACHABLE: environment<
    | {
        readonly place: string;
        readonly reason: string;
        /** Left out where what the driver said does not tell it. */
        readonly cause: UnreachableCause | undefined;
      }
    | DatabaseFailure
  >({
    meaning: 'The server does not answer, or the connection was lost.',
    message: (failure) =>
      'place' in failure
        ? `PostgreSQL at ${failure.place} cannot be reached: ${failure.reason}.`
        : `The connection to the database (${failure.description}) was lost: ${failure.reason}.`,
    repair: (failure) =>
      'place' in failure
        ? UNREACHABLE_REPAIRS[failure.cause ?? 'untold']
        : 'Wait until it answers; chukwa doctor says whether it does.',
    example: { description: 'PostgreSQL at db:5432/chukwa', reason: 'Connection terminated unexpectedly' },
  }),
  DATABASE_FULL: failing(
    'The disk of the database is full.',
    (it, reason) => `The ${it} has no room left: ${reason}.`,
    'Make room on the disk that holds it.',
    'No space left on device',
  ),
  DATABASE_TROUBLED: failing(
    'Files are missing or damaged, or disk or memory fails.',
    (it, reason) => `The ${it} cannot work: ${reason}.`,
    'Look at the disk and the files that hold it; restore what is missing or damaged.',
    'invalid page in block 7',
  ),
  DESCRIPTORS_EXHAUSTED: environment<DatabaseFailure | { readonly reason: string }>({
    meaning: 'The process or the server has reached its limit of open files and connections.',
    message: (lack) =>
      'description' in lack
        ? `The database (${lack.description}) cannot work, because no file descriptor is left: ${lack.reason}.`
        : `No file descriptor is left: ${lack.reason}.`,
    repair: TO_RAISE,
    example: { reason: 'EMFILE: too many open files' },
  }),
  DATABASE_REFUSES: failing(
    'The database is read-only, its search_path names no schema, or its user lacks a permission.',
    (it, reason) => `The ${it} refuses what is to be done: ${reason}.`,
    'Where it is a standby or set read-only, make it writable or name the primary in CHUKWA_DATABASE_URL; where its search_path names no schema, name one that is there; else grant its user what was refused.',
    'permission denied for table worlds',
  ),
  DATABASE_BUSY: failing(
    'A statement was cancelled, by a person, a timeout or another session.',
    (it, reason) => `The ${it} broke a statement off: ${reason}.`,
    'See in pg_stat_activity who holds locks for long, and whether statement_timeout or lock_timeout is set for this user.',
    'canceling statement due to lock timeout',
  ),
  DATABASE_NOT_OURS: environment({
    meaning: 'The database belongs to another program.',
    message: ({ description, relation }) =>
      `The database (${description}) belongs to another program: it holds ${relation}, and no migrations of chukwa.`,
    repair: 'Name an empty database in CHUKWA_DATABASE_URL, such as one made by: createdb chukwa',
    example: { description: 'PostgreSQL at db:5432/shop', relation: 'customers' },
  }),
  DATABASE_UNREADABLE: failing(
    'The database exists, but cannot be read.',
    (it, reason) => `The ${it} cannot be read: ${reason}.`,
    'Make sure that this user may read its tables and that nothing has damaged it, or use another database.',
    'PostgreSQL does not start from its files',
  ),
  DATABASE_TOO_OLD: environment({
    meaning: 'PostgreSQL 14 or newer is needed.',
    message: ({ place, version }) => `PostgreSQL at ${place} is version ${version}; 14 or newer is needed.`,
    repair: 'Upgrade PostgreSQL, or leave CHUKWA_DATABASE_URL out for the embedded database.',
    example: { place: 'db:5432/chukwa', version: '13.4' },
  }),
  DATABASE_NOT_UTF8: environment({
    message: ({ place, encoding }) =>
      `The database at ${place} is encoded in ${encoding}, which cannot hold every text; UTF8 is needed.`,
    repair: 'Name a database made with: createdb --encoding UTF8 --template template0 chukwa',
    example: { place: 'db:5432/chukwa', encoding: 'LATIN1' },
  }),
  DATABASE_TOO_NEW: environment({
    meaning: 'A newer version has migrated the database.',
    message: ({ description, migration }) =>
      `The database (${description}) has been migrated by a newer version: this one does not know ${migration}.`,
    repair: 'Upgrade chukwa, or use another database.',
    example: { description: 'embedded, in .chukwa', migration: '0099_later' },
  }),
  DOORBELL_UNKNOWN: environment({
    message: ({ kind }) => `CHUKWA_DOORBELL is ${JSON.stringify(kind)}, which is no doorbell.`,
    repair: ({ known }) => `Write one of ${known.join(', ')}, or leave it out.`,
    example: { kind: 'redis', known: ['auto', 'process', 'postgres', 'nats'] },
  }),
  DOORBELL_NOT_THERE: environment(
    'CHUKWA_DOORBELL is postgres, and the database is embedded: nobody else can ring there.',
    'Leave it out, or use CHUKWA_DATABASE_URL with PostgreSQL.',
  ),
  NATS_URL_MISSING: environment(
    'CHUKWA_DOORBELL is nats, and CHUKWA_NATS_URL does not say where that is.',
    'Set CHUKWA_NATS_URL, such as nats://127.0.0.1:4222',
  ),
  NATS_URL_INVALID: environment<{ readonly kind: keyof typeof WRONG_NATS_URLS }>({
    meaning: 'CHUKWA_NATS_URL is not set, or is no address.',
    message: ({ kind }) => WRONG_NATS_URLS[kind],
    repair:
      'Write nats://host:4222, with user:password@ before the host where the server wants them; a % in them as %25.',
    example: { kind: 'no_address' },
  }),
  DATABASE_MIGRATION_MISSED: environment({
    meaning: 'A version with other migrations made the database.',
    message: ({ description, migration }) =>
      `The database (${description}) was made without migration ${migration}, by a version with other migrations.`,
    repair:
      'Export its worlds with the last version of chukwa that opens it, and import them with this one into a new database; or use another database.',
    example: { description: 'embedded, in .chukwa', migration: '0007_between' },
  }),
  DATABASE_MIGRATION_CHANGED: environment({
    meaning: 'A version with other migrations made the database.',
    message: ({ description, migration }) =>
      `Migration ${migration} of the database (${description}) is not the one that this program knows.`,
    repair: 'Use the version of chukwa that made the database, or another database.',
    example: { description: 'embedded, in .chukwa', migration: '0001_baseline' },
  }),
  SOURCE_NOT_READY: environment({
    message: ({ label, obstacle }) => `The source ${label} cannot be called: ${obstacle}. Nothing was called.`,
    repair: ({ slug }) =>
      `Set what is missing; chukwa doctor ${slug} shows all variables of the world, and chukwa toys starts the toy services.`,
    example: { label: 'model', obstacle: 'CHUKWA_LLM_BASE_URL is not set', slug: 'park' },
  }),
  PORT_TAKEN: environment<
    { readonly port: number } | { readonly port: number; readonly host: string; readonly reason: string }
  >({
    meaning: 'The port is not available.',
    message: (taken) =>
      'host' in taken
        ? `Nothing can listen on port ${taken.port} of ${taken.host}: ${taken.reason}.`
        : `Port ${taken.port} of 127.0.0.1 is not available: another program listens there, or this user may not.`,
    repair: (taken) =>
      'host' in taken
        ? 'Name another place in CHUKWA_HOST and CHUKWA_PORT, or with --port.'
        : 'Name another --port-base, or leave it out for ports that are free.',
    example: { port: 4747, host: '127.0.0.1', reason: 'listen EADDRINUSE: address already in use 127.0.0.1:4747' },
  }),
  PORT_INVALID: content('CHUKWA_PORT is not a port.', 'Write a number from 1 to 65535, or 0 for any free port.'),
  FLIGHT_LIMIT_INVALID: content({
    meaning: 'The variable, or its file, has a value that cannot be used.',
    message: ({ variable }) => `${variable} is no number of calls.`,
    repair: 'Write a whole number from 1 to 999999, or leave it out for no limit.',
    example: { variable: 'CHUKWA_MAX_IN_FLIGHT' },
  }),
  BUDGET_INVALID: content({
    meaning: 'The variable, or its file, has a value that cannot be used.',
    message: ({ variable }) => `${variable} is no budget of a day.`,
    repair: 'Write a whole number of tokens, an amount such as 2.50 in US dollars, or leave it out for no limit.',
    example: { variable: 'CHUKWA_BUDGET_USD' },
  }),
  PRICES_UNREADABLE: content({
    meaning: 'The variable, or its file, has a value that cannot be used.',
    message: ({ file }) => `The prices in ${JSON.stringify(file)} cannot be read.`,
    repair: 'Name a JSON file in CHUKWA_PRICES, or leave it out for the prices that ship.',
    example: { file: 'prices.json' },
  }),
  PRICE_INVALID: content<{ readonly endpoint: string } | { readonly input_tokens: number }>({
    meaning: 'The variable, or its file, has a value that cannot be used.',
    message: (facts) =>
      'endpoint' in facts
        ? `${JSON.stringify(facts.endpoint)} is no URL of a server.`
        : `Two prices begin above ${facts.input_tokens} input tokens.`,
    repair: 'Write scheme, host and port, such as http://127.0.0.1:8080, and one price above each number of tokens.',
    example: { endpoint: 'http://127.0.0.1:99999' },
  }),
  PUBLIC_URL_INVALID: content(
    'CHUKWA_PUBLIC_URL is not an http or https URL.',
    'Write the URL at which services reach chukwa serve, such as https://chukwa.example.org.',
  ),
  OAUTH_ISSUER_INVALID: content(
    'CHUKWA_OAUTH_ISSUER is not an https URL: its keys would come from anybody on the way.',
    'Write the issuer as its tokens name it, such as https://login.example.org; http is for this machine alone.',
  ),
  TELEMETRY_URL_INVALID: content({
    meaning: 'The variable, or its file, has a value that cannot be used.',
    message: ({ variable }) => `${variable} is not an http or https URL.`,
    repair: 'Write the URL of an OTLP receiver, such as http://localhost:4318, or leave it out for no telemetry.',
    example: { variable: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
  }),
  CONNECTION_INVALID: content({
    meaning: 'A connection has another form, or a secret that could be guessed.',
    message: ({ place, reason }) => `The connection in ${JSON.stringify(place)} cannot be used: ${reason}.`,
    repair: 'Write it as docs/reference/connection.md says, with a random secret that its service knows.',
    example: { place: 'CHUKWA_CONNECTION_POST_OFFICE', reason: 'it is no JSON' },
  }),
  CONNECTION_UNKNOWN: unknown<Texts<'id'> & KnownNames>({
    message: ({ id }) => `There is no connection ${JSON.stringify(id)}.`,
    repair: (known) =>
      known.known.length === 0
        ? 'Add it: chukwa connections add ID.'
        : `${suggested(known)} Or add it: chukwa connections add ID.`,
    example: { id: 'mial', nearest: 'mail', known: ['mail'] },
  }),
  CONNECTION_EXISTS: content({
    meaning: 'The id is that of another connection, whose secret would be lost.',
    message: ({ id }) => `The connection ${JSON.stringify(id)} already exists. Nothing was changed.`,
    repair: 'Choose another id, or add --replace, which drops the secret that is kept now.',
    example: { id: 'post_office' },
  }),
  CONNECTION_OF_ENVIRONMENT: content({
    meaning: 'The connection is set by a variable, and is not in the file.',
    message: ({ variable }) => `The connection is set by ${variable}, and is not in your file.`,
    repair: ({ variable }) => `Unset ${variable}.`,
    example: { variable: 'CHUKWA_CONNECTION_POST_OFFICE' },
  }),
  CONNECTIONS_UNREADABLE: environment({
    meaning: 'The file of connections, its key or its mode is missing or wrong.',
    ...byKind(
      {
        no_place: ['The connections have no place: neither XDG_CONFIG_HOME nor HOME names a folder.', 'Set HOME.'],
        no_key: [
          'The connections are sealed, and CHUKWA_CONNECTIONS_KEY is not set.',
          'Set it to 32 bytes, such as those of: openssl rand -hex 32; and keep it.',
        ],
        bad_key: [
          'CHUKWA_CONNECTIONS_KEY is no key of 32 bytes.',
          'Write 64 hexadecimal digits, such as those of: openssl rand -hex 32.',
        ],
        exposed: [
          ({ file }: Texts<'file'>) =>
            `The connections in ${file} may be read by other users, belong to another user, or are a link.`,
          ({ file }: Texts<'file'>) => `Write: chmod 600 ${file}, or delete it and add them again.`,
        ],
        sealed: [
          ({ file }: Texts<'file'>) =>
            `The connections in ${file} cannot be opened: CHUKWA_CONNECTIONS_KEY is another, or the file was changed.`,
          'Set the key with which they were added, or delete the file and add them again.',
        ],
      },
      { kind: 'no_place' },
    ),
  }),
  TOKENS_EQUAL: content(
    'CHUKWA_TOKEN and CHUKWA_OPERATOR_TOKEN are the same, so a consumer that may report could also stop attempts.',
    'Write two different ones, or leave one out to have it made.',
  ),
  TOKEN_TOO_SHORT: content({
    meaning: 'A token has fewer than 32 characters.',
    message: ({ variable, length_min }) =>
      `The token in ${variable} has fewer than ${length_min} characters, and could be guessed.`,
    repair: ({ variable }) =>
      `Write a random one, such as: openssl rand -hex 32; or leave ${variable} out to have one made.`,
    example: { variable: 'CHUKWA_TOKEN', length_min: 32 },
  }),
  TOKENS_EXPOSED: environment<{ readonly file: string; readonly foreign: keyof typeof EXPOSED }>({
    meaning: 'The file of tokens is readable by others, belongs to another user, or is a link.',
    message: ({ file, foreign }) => `${EXPOSED[foreign]}: ${file}.`,
    repair: ({ file, foreign }) =>
      foreign === 'open_to_others'
        ? `Write: chmod 600 ${file}. If another user may have read them, delete the file instead: new tokens are then made.`
        : 'Delete it, and new ones are made.',
    example: { file: 'tokens.json', foreign: 'open_to_others' },
  }),
  TOKENS_UNUSABLE: environment({
    meaning: 'The file of tokens cannot be read or written, or has invalid contents.',
    ...byKind(
      {
        no_place: [
          'The tokens have no place: neither XDG_CONFIG_HOME nor HOME names a folder.',
          'Set HOME, or CHUKWA_TOKEN and CHUKWA_OPERATOR_TOKEN.',
        ],
        unwritten: [
          ({ message }: Texts<'message'>) => message,
          ({ repair }: Texts<'repair'>) => `${repair} Or set CHUKWA_TOKEN and CHUKWA_OPERATOR_TOKEN.`,
        ],
        unusable: [
          ({ file, reason }: Texts<'file' | 'reason'>) => `The tokens in ${file} cannot be used: ${reason}.`,
          'Delete the file, and new ones are made; or set CHUKWA_TOKEN and CHUKWA_OPERATOR_TOKEN.',
        ],
      },
      { kind: 'no_place' },
    ),
  }),
  INVISIBLE_CHARACTER: environment<{
    readonly variable: string;
    readonly found: string;
    readonly in_header?: boolean;
  }>({
    meaning: 'A secret holds a character that cannot be seen.',
    message: ({ variable, found, in_header }) => `${in_header ? 'A header in ' : ''}${variable} holds ${found}.`,
    repair: ({ variable }) => `Set ${variable} again without it.`,
    example: { variable: 'CHUKWA_TOKEN', found: 'an invisible character (U+200B) at position 7' },
  }),
  SECRET_TOO_SHORT: environment({
    meaning:
      'A secret has fewer than six characters, which cannot be redacted; with one in a URL or a command, the call fails as unavailable.',
    message: ({ said }) => said,
    repair: ({ variable }) => `Set ${variable} to a longer secret.`,
    example: { variable: 'CHUKWA_LLM_API_KEY', said: 'CHUKWA_LLM_API_KEY holds a secret of 3 characters' },
  }),
  RECORD_UNREADABLE: {
    meaning: 'A stored row has another shape than this program writes.',
    ...content(
      'What is stored of this world or document has another shape than this program writes: it was imported or changed by hand.',
      'Delete the world, or import a sound export of it; other worlds are not affected. Where nobody did either, it is a fault of the program: report it.',
    ),
    status: 409,
  },
  /** A command shows what was thrown; details of a bug in a server stay there. */
  UNEXPECTED: overHttp(500, {
    meaning: 'The database is gone, or the program has a bug.',
    ...byKind(
      {
        thrown: [({ message }: Texts<'message'>) => message, LOOK],
        uncaught: [
          'A plugin or this program threw an error outside of every call, and the process ends.',
          'Run it again with --verbose to see what was thrown and where. The next chukwa run or worker resumes interrupted turns.',
        ],
        hidden: ['Something went wrong here.', LOOK],
      },
      { kind: 'uncaught' },
    ),
  }),
};
