import { createHmac, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Clock } from '../../ports/clock.js';
import { isSame, type Tokens } from '../../operations/serving/tokens.js';
import type { Reader } from '../browser/layout.js';

export const SESSION_SECONDS = 12 * 3_600;
/** The lifetime of an unused cookie: after so long without a page, its reader has to sign in again. */
export const COOKIE_SECONDS = 2 * 3_600;
/** How old a cookie grows before the next page brings another one. */
const RENEWED_SECONDS = 600;
/** How long a link that signs in can be used. */
const TICKET_SECONDS = 600;
const TICKETS_MAX = 100;
const RANDOM_BYTES = 24;

export interface Session {
  readonly reader: Reader;
  /** Made at random when it was opened; it stays when the cookie is renewed. */
  readonly name: string;
  /** The latest end of the session, used or not, in milliseconds since 1970. */
  readonly ends_at: number;
  /** Until when its cookie holds. */
  readonly until: number;
}

export type Sessions = ReturnType<typeof openSessions>;

/**
 * Sessions of the readers who have these tokens. A session derives from the reader's token: every server of a fleet
 * knows it, and nothing is stored.
 */
export function openSessions(tokens: Tokens, clock: Pick<Clock, 'now'>) {
  const secrets: Readonly<Record<Reader, string>> = { consumer: tokens.token, operator: tokens.operator_token };
  const sign = (reader: Reader, purpose: string, text: string): string =>
    createHmac('sha256', secrets[reader]).update(`${purpose} ${text}`).digest('base64url');
  const ended = new Map<string, number>();
  const endings = new EventEmitter().setMaxListeners(0);
  return {
    readerOf: (token: string): Reader | undefined => READERS.find((reader) => isSame(token, secrets[reader])),
    holdsToken: (text: string): boolean => Object.values(secrets).some((secret) => text.includes(secret)),
    open(reader: Reader): Session {
      const now = clock.now();
      const ends_at = now + SESSION_SECONDS * 1_000;
      return { reader, name: makeRandom(), ends_at, until: now + COOKIE_SECONDS * 1_000 };
    },
    /** The value of a session's cookie. */
    seal(session: Session): string {
      const text = toText(session);
      return `${text}.${sign(session.reader, 'session', text)}`;
    },
    /** The session of a cookie that was made here or by another server, and that still holds. */
    judge(cookie: string): Session | undefined {
      const session = readCookie(cookie);
      if (session === undefined || ended.has(session.name)) return undefined;
      if (!isSame(session.signature, sign(session.reader, 'session', toText(session)))) return undefined;
      return session.until > clock.now() ? session : undefined;
    },
    /** The session with a cookie that holds for longer; undefined while the present one is new, or the end is near. */
    renew(session: Session): Session | undefined {
      const until = Math.min(session.ends_at, clock.now() + COOKIE_SECONDS * 1_000);
      return until - session.until > RENEWED_SECONDS * 1_000 ? { ...session, until } : undefined;
    },
    /** Ends a session at this server, so that copies of its cookie are worthless. */
    end({ name, ends_at }: Session): void {
      for (const [old, until] of ended) if (until <= clock.now()) ended.delete(old);
      ended.set(name, ends_at);
      endings.emit(name);
    },
    /** Calls back once a session is ended here, or its cookie holds no longer. @returns what takes that back */
    onEnd({ name, until }: Session, listener: () => void): () => void {
      // The session may have ended meanwhile.
      const timer = setTimeout(listener, ended.has(name) ? 0 : until - clock.now());
      timer.unref();
      endings.once(name, listener);
      return () => {
        clearTimeout(timer);
        endings.off(name, listener);
      };
    },
    /** The synchroniser token of this session: its forms hold it, and it is known to nobody else. */
    formToken: ({ reader, name }: Session): string => sign(reader, 'form', name),
    ...openTickets(clock),
  };
}

function openTickets(clock: Pick<Clock, 'now'>) {
  const tickets = new Map<string, { readonly reader: Reader; readonly until: number }>();
  return {
    /** Makes a ticket that signs in once, at this server, within ten minutes. */
    makeTicket(reader: Reader): string {
      const ticket = makeRandom();
      for (const [old, { until }] of tickets)
        if (until <= clock.now() || tickets.size >= TICKETS_MAX) tickets.delete(old);
      tickets.set(ticket, { reader, until: clock.now() + TICKET_SECONDS * 1_000 });
      return ticket;
    },
    redeem(ticket: string): Reader | undefined {
      const found = tickets.get(ticket);
      tickets.delete(ticket);
      return found !== undefined && found.until > clock.now() ? found.reader : undefined;
    },
  };
}

function makeRandom(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

function toText({ reader, name, ends_at, until }: Session): string {
  return `${reader}.${name}.${ends_at}.${until}`;
}

const READERS: readonly Reader[] = ['operator', 'consumer'];
const COOKIE = /^(\w+)\.([\w-]{32})\.(\d{1,16})\.(\d{1,16})\.([\w-]{43})$/;

function readCookie(cookie: string): (Session & { readonly signature: string }) | undefined {
  const [, word, name = '', ends_at, until, signature = ''] = COOKIE.exec(cookie) ?? [];
  const reader = READERS.find((one) => one === word);
  return reader && { reader, name, ends_at: Number(ends_at), until: Number(until), signature };
}
