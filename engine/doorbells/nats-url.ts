import { hasLateAt, PERCENT_ENCODE } from '../core/content/variable-value.js';
import { present } from '../contract/present.js';
import type { Outcome } from '../contract/problem.js';

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
  if (hasLateAt(text)) return refuse(`CHUKWA_NATS_URL has an @ behind its host: ${PERCENT_ENCODE}.`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(nats|tls):$/.test(url.protocol) || url.hostname === '')
    return refuse('CHUKWA_NATS_URL is no nats:// or tls:// address.');
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user === undefined || password === undefined)
    return refuse('In CHUKWA_NATS_URL, a % in user or password is not followed by the code of a character.');
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

/** The address is not repeated: it may hold a password. */
function refuse(message: string): Outcome<never> {
  const repair =
    'Write nats://host:4222, with user:password@ before the host where the server wants them; a % in them as %25.';
  return { ok: false, problems: [{ code: 'NATS_URL_INVALID', message, repair }] };
}
