import { findTlsFault } from '../core/content/tls-fault.js';

/** What can be done about a server that does not answer, or admits nobody, by the code and the words of the driver. */
export function repairOf(code: string, said: string): string | undefined {
  const [, repair] = REPAIRS.find(([pattern]) => pattern.test(`${code}: ${said}`)) ?? [];
  return repair ?? TLS_REPAIRS[findTlsFault([code])?.kind ?? ''];
}

const URL = 'CHUKWA_DATABASE_URL';
const ENCODE = 'write @ / # ? % as %40 %2F %23 %3F %25.';
const REACH = `Correct the host in ${URL}, or let this machine through to it`;

/** By the code and the words; the first that fits counts. */
const REPAIRS: readonly (readonly [RegExp, string])[] = [
  [
    /^(ENOTFOUND|EAI_AGAIN):/,
    `Correct the host in ${URL}: nobody here knows this name. In a user or password, ${ENCODE}`,
  ],
  [/^ECONNREFUSED:/, `Start the server, or correct host and port in ${URL}; nothing listens there.`],
  [/^ENOENT:/, `Start the server, or correct the folder of its socket in ${URL}.`],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH):/, `${REACH}.`],
  [/timeout/, `${REACH}: nothing was answered.`],
  [/^3D000:/, `Make the database with createdb, or correct its name in ${URL}.`],
  [
    /^28000:.*no pg_hba\.conf entry.*(no encryption|SSL off)/,
    `Add ?sslmode=require to ${URL}, if the server wants TLS; else let its pg_hba.conf admit this user, database and host.`,
  ],
  [/^28000:.*pg_hba\.conf/, "Let the server's pg_hba.conf admit this user, database and host."],
  [/^28/, `Correct user and password in ${URL}. In them, ${ENCODE}`],
  [/client password must be a string/, `Write the password into ${URL}: postgres://user:password@host/database.`],
  [
    /does not support SSL connections/,
    `Let the server speak TLS, or write sslmode=disable in ${URL}, by which everything is sent in the clear.`,
  ],
  [/^53300:/, 'Wait until others have left, or raise max_connections of the server.'],
  [/^57P0/, 'Wait until the server has started.'],
];

const TLS_REPAIRS: Readonly<Record<string, string>> = {
  authority: `Add sslrootcert=FILE to ${URL}, or set NODE_EXTRA_CA_CERTS to FILE: the certificate of its authority (PEM). sslmode=no-verify encrypts, and checks nothing.`,
  name: `Name the host in ${URL} as its certificate does. sslmode=no-verify encrypts, and checks nothing.`,
  time: 'Renew the certificate of the server.',
  plain: `Write sslmode=disable in ${URL}, or the port that speaks TLS.`,
};
