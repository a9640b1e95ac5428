import pg from 'pg';
import { hasLateAt } from '../core/content/variable-value.js';
import type { Outcome } from '../contract/problem.js';
import { databaseHostsMany, databaseUrlInvalid, databaseUrlNamesNoFile, databaseUrlNotEncoded } from './problems.js';

/** The address of a PostgreSQL server, as the driver takes it. */
export interface ServerAddress {
  readonly url: string;
  /** Host, port and database, without user and password. */
  readonly place: string;
}

/** Reads an address. The files that it names, of certificates, are read too: else the driver would throw at each use. */
export function readServerAddress(given: string): Outcome<ServerAddress> {
  if (!/^postgres(ql)?:\/\//.test(given)) return { ok: false, problems: [databaseUrlInvalid()] };
  if (hasLateAt(given)) return { ok: false, problems: [databaseUrlNotEncoded()] };
  const [, hosts = ''] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(given) ?? [];
  if (hosts.includes(',')) return { ok: false, problems: [databaseHostsMany()] };
  const url = nameStrictSsl(nameSystemAuthorities(given));
  try {
    const { host, port, database } = new pg.Client({ connectionString: url });
    if (host.includes(',')) return { ok: false, problems: [databaseHostsMany()] };
    return { ok: true, value: { url, place: `${host}:${port}/${database ?? ''}` } };
  } catch (error) {
    const { code, syscall, path } = error as NodeJS.ErrnoException;
    const isFile = code !== undefined && syscall !== undefined;
    return { ok: false, problems: [isFile ? databaseUrlNamesNoFile(path ?? 'a file', code) : databaseUrlInvalid()] };
  }
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
