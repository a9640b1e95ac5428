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
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(nats|tls):$/.test(url.protocol) || url.hostname === '') {
    const repair = 'Write nats://host:4222, with user:password@ before the host where the server wants them.';
    // The address is not repeated: it may hold a password.
    const message = 'CHUKWA_NATS_URL is no nats:// or tls:// address.';
    return { ok: false, problems: [{ code: 'NATS_URL_INVALID', message, repair }] };
  }
  return {
    ok: true,
    value: {
      place: `${url.hostname}:${url.port === '' ? PORT : url.port}`,
      is_encrypted: url.protocol === 'tls:',
      ...(url.username === '' ? {} : { user: decodeURIComponent(url.username) }),
      ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    },
  };
}
