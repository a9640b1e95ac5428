import { hasLateAt } from '../core/content/variable-value.js';
import { present } from '../contract/present.js';
import { type Outcome, problem, refuse } from '../contract/problem.js';

/** Where a NATS server is, and who we are there. */
export interface NatsAddress {
  /** Host and port, without user and password. */
  readonly place: string;
  readonly is_encrypted: boolean;
  readonly user?: string;
  readonly password?: string;
}

const PORT = '4222';

/** Reads `nats://[user:password@]host[:port]`; `tls://` for an encrypted connection. */
export function parseNatsUrl(text: string): Outcome<NatsAddress> {
  if (hasLateAt(text)) return notAnAddress('not_encoded');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(nats|tls):$/.test(url.protocol) || url.hostname === '')
    return notAnAddress('no_address');
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user === undefined || password === undefined) return notAnAddress('bad_percent');
  return {
    ok: true,
    value: {
      place: `${url.hostname}:${url.port === '' ? PORT : url.port}`,
      is_encrypted: url.protocol === 'tls:',
      ...present({ user: user || undefined, password: password || undefined }),
    },
  };
}

/** @returns undefined where a percent sign encodes nothing */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function notAnAddress(kind: 'not_encoded' | 'no_address' | 'bad_percent'): Outcome<never> {
  return refuse(problem('NATS_URL_INVALID', { kind }));
}
