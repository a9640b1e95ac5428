import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../ports/clock.js';
import { isSame, type Tokens } from '../../operations/tokens.js';
import type { Reader } from '../browser/layout.js';

/** How long a session lasts. */
export const SESSION_SECONDS = 12 * 3_600;
/** How long a link that signs in can be used. */
export const TICKET_SECONDS = 600;
/** How many such links may be open. */
const TICKETS_MAX = 100;
const RANDOM_BYTES = 24;

/** Who is signed in. A session follows from the reader's token: every server of a fleet knows it, and nothing is stored. */
export interface Sessions {
  /** The reader whose token this is. */
  readonly readerOf: (token: string) => Reader | undefined;
  /** Opens a session. @returns what its cookie holds */
  readonly open: (reader: Reader) => string;
  /** The reader of a session that was opened here or by another server, and has not ended. */
  readonly judge: (session: string) => Reader | undefined;
  /** What signs in once, at this server, for ten minutes. */
  readonly makeTicket: (reader: Reader) => string;
  /** Uses a ticket up. */
  readonly redeem: (ticket: string) => Reader | undefined;
}

/** Sessions of the readers who have these tokens. */
export function openSessions(tokens: Tokens, clock: Pick<Clock, 'now'>): Sessions {
  const secrets: Readonly<Record<Reader, string>> = { consumer: tokens.token, operator: tokens.operator_token };
  const sign = (reader: Reader, text: string): string =>
    createHmac('sha256', secrets[reader]).update(`session ${text}`).digest('base64url');
  const tickets = new Map<string, { readonly reader: Reader; readonly until: number }>();
  return {
    readerOf: (token) => READERS.find((reader) => isSame(token, secrets[reader])),
    open(reader) {
      const text = `${reader}.${clock.now() + SESSION_SECONDS * 1_000}.${randomBytes(RANDOM_BYTES).toString('base64url')}`;
      return `${text}.${sign(reader, text)}`;
    },
    judge(session) {
      const [, text = '', name, until = '', signature = ''] = SESSION.exec(session) ?? [];
      const reader = READERS.find((one) => one === name);
      if (reader === undefined || !isSame(signature, sign(reader, text))) return undefined;
      return Number(until) > clock.now() ? reader : undefined;
    },
    makeTicket(reader) {
      const ticket = randomBytes(RANDOM_BYTES).toString('base64url');
      for (const [old, { until }] of tickets)
        if (until <= clock.now() || tickets.size >= TICKETS_MAX) tickets.delete(old);
      tickets.set(ticket, { reader, until: clock.now() + TICKET_SECONDS * 1_000 });
      return ticket;
    },
    redeem(ticket) {
      const found = tickets.get(ticket);
      tickets.delete(ticket);
      return found !== undefined && found.until > clock.now() ? found.reader : undefined;
    },
  };
}

const READERS: readonly Reader[] = ['operator', 'consumer'];
const SESSION = /^((\w+)\.(\d{1,16})\.[\w-]{16,64})\.([\w-]{43})$/;
