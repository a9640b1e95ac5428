import pg from 'pg';
import { hasLateAt } from '../core/content/variable-value.js';
import { type Outcome, problem, refuse } from '../contract/problem.js';
import type { FactsOf } from '../contract/problems/index.js';

/** The address of a PostgreSQL server, as the driver takes it. */
interface ServerAddress {
  readonly url: string;
  /** Host, port and database, without user and password. */
  readonly place: string;
}

/** Reads an address. The files that it names, of certificates, are read too: else the driver would throw at each use. */
export function readServerAddress(given: string): Outcome<ServerAddress> {
  if (!/^postgres(ql)?:\/\//.test(given)) return invalid({ kind: 'no_address' });
  if (hasLateAt(given)) return invalid({ kind: 'not_encoded' });
  const [, hosts = ''] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(given) ?? [];
  if (hosts.includes(',')) return invalid({ kind: 'several_hosts' });
  const url = nameStrictSsl(nameSystemAuthorities(given));
  try {
    const { host, port, database } = new pg.Client({ connectionString: url });
    if (host.includes(',')) return invalid({ kind: 'several_hosts' });
    return { ok: true, value: { url, place: `${host}:${port}/${database ?? ''}` } };
  } catch (error) {
    const { code, syscall, path } = error as NodeJS.ErrnoException;
    const isFile = code !== undefined && syscall !== undefined;
    return invalid(isFile ? { kind: 'no_file', file: path ?? 'a file', reason: code } : { kind: 'no_address' });
  }
}

function invalid(facts: FactsOf<'DATABASE_URL_INVALID'>): Outcome<never> {
  return refuse(problem('DATABASE_URL_INVALID', facts));
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
