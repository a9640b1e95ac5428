import type { UnreachableCause } from '../contract/problems/surroundings.js';
import { findTlsFault } from '../core/content/tls-fault.js';

/** Why a server does not answer, or admits nobody, by the code and the words of the driver; undefined where they do not tell. */
export function findCause(code: string, said: string): UnreachableCause | undefined {
  const [, cause] = CAUSES.find(([pattern]) => pattern.test(`${code}: ${said}`)) ?? [];
  return cause ?? findTlsFault([code])?.kind;
}

/** By the code and the words; the first that fits counts. */
const CAUSES: readonly (readonly [RegExp, UnreachableCause])[] = [
  [/^(ENOTFOUND|EAI_AGAIN):/, 'unknown_host'],
  [/^ECONNREFUSED:/, 'nothing_listens'],
  [/^ENOENT:/, 'no_socket'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH):/, 'out_of_reach'],
  [/timeout/, 'silent'],
  [/^3D000:/, 'no_database'],
  [/^28000:.*no pg_hba\.conf entry.*(no encryption|SSL off)/, 'wants_tls'],
  [/^28000:.*pg_hba\.conf/, 'not_admitted'],
  [/^28/, 'wrong_password'],
  [/client password must be a string/, 'no_password'],
  [/does not support SSL connections/, 'without_tls'],
  [/^53300:/, 'full'],
  [/^57P0/, 'starting'],
];
