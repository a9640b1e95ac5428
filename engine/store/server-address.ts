import pg from 'pg';
import { hasLateAt, PERCENT_ENCODE } from '../core/content/variable-value.js';
import type { Outcome } from '../contract/problem.js';

/** The address of a PostgreSQL server, as the driver takes it. */
export interface ServerAddress {
  readonly url: string;
  /** Host, port and database, without user and password. */
  readonly place: string;
}

/** Reads an address. The files that it names, of certificates, are read too: else the driver would throw at each use. */
export function readServerAddress(given: string): Outcome<ServerAddress> {
  if (!/^postgres(ql)?:\/\//.test(given)) return refuse(...NO_ADDRESS);
  if (hasLateAt(given))
    return refuse('has an @ behind its host', `${PERCENT_ENCODE[0]?.toUpperCase()}${PERCENT_ENCODE.slice(1)}.`);
  const [, hosts = ''] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(given) ?? [];
  if (hosts.includes(',')) return refuse(...SEVERAL_HOSTS);
  const url = nameStrictSsl(nameSystemAuthorities(given));
  try {
    const { host, port, database } = new pg.Client({ connectionString: url });
    if (host.includes(',')) return refuse(...SEVERAL_HOSTS);
    return { ok: true, value: { url, place: `${host}:${port}/${database ?? ''}` } };
  } catch (error) {
    const { code, syscall, path = 'a file' } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) return refuse(...NO_ADDRESS);
    return refuse(
      `names ${path} in sslrootcert, sslcert or sslkey, and it cannot be read: ${code}`,
      'Correct the path. With sslrootcert=system the authorities that Node.js knows count, and those of NODE_EXTRA_CA_CERTS.',
    );
  }
}

const NO_ADDRESS = [
  'is neither a postgres:// address nor memory:',
  'Write postgres://user:password@host:port/database, or memory: for a throw-away embedded database.',
] as const;

/** The driver connects to one host. */
const SEVERAL_HOSTS = [
  'names several hosts, and one is used',
  'Name the primary alone, or an address that leads to it, such as that of a pooler.',
] as const;

/** The address is not repeated: what reads as its host or database may be a part of the password. */
function refuse(reason: string, repair: string): Outcome<never> {
  const message = `CHUKWA_DATABASE_URL ${reason}.`;
  return { ok: false, problems: [{ code: 'DATABASE_URL_INVALID', message, repair }] };
}

/** libpq's word for the authorities of the system, of which the driver looks for a file of that name. It checks all of a name. */
function nameSystemAuthorities(url: string): string {
  if (!/[?&]sslrootcert=system(?=&|$)/.test(url)) return url;
  const rest = url.replace(/([?&])sslrootcert=system(&|$)/, '$1').replace(/([?&])sslmode=[^&]*(&|$)/, '$1');
  return `${rest.replace(/[?&]$/, '')}${/\?./.test(rest) ? '&' : '?'}sslmode=verify-full`;
}

/** The driver takes these modes for `verify-full`, and prints a warning that it may not do so for ever. */
function nameStrictSsl(url: string): string {
  if (/[?&]uselibpqcompat=true\b/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}
