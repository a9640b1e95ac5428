import type { Outcome } from '../contract/problem.js';
import type { ProblemCode } from '../contract/problems/index.js';
import type { Doorbell } from '../ports/doorbell.js';
import { openNatsDoorbell } from './nats.js';
import { parseNatsUrl } from './nats-url.js';
import { openProcessDoorbell } from './process.js';

/** The operator's choice of a doorbell, unchecked. */
export interface WantedDoorbell {
  readonly kind: string;
  readonly nats_url?: string;
}

const KINDS = ['auto', 'process', 'postgres', 'nats'];

/**
 * The doorbell that is wanted; nothing is connected yet.
 * @param server what a PostgreSQL server offers; undefined for an embedded database
 */
export function chooseDoorbell(
  { kind, nats_url }: WantedDoorbell,
  server: { openDoorbell(): Doorbell } | undefined,
): Outcome<Doorbell> {
  switch (kind) {
    case 'auto':
      return { ok: true, value: server?.openDoorbell() ?? openProcessDoorbell() };
    case 'process':
      return { ok: true, value: openProcessDoorbell() };
    case 'postgres':
      if (server !== undefined) return { ok: true, value: server.openDoorbell() };
      return refuse(
        'DOORBELL_NOT_THERE',
        'CHUKWA_DOORBELL is postgres, and the database is embedded: nobody else can ring there.',
        'Leave it out, or use CHUKWA_DATABASE_URL with PostgreSQL.',
      );
    case 'nats':
      return openNats(nats_url);
    default:
      return refuse(
        'DOORBELL_UNKNOWN',
        `CHUKWA_DOORBELL is ${JSON.stringify(kind)}, which is no doorbell.`,
        `Write one of ${KINDS.join(', ')}, or leave it out.`,
      );
  }
}

function openNats(nats_url: string | undefined): Outcome<Doorbell> {
  if (nats_url === undefined)
    return refuse(
      'NATS_URL_MISSING',
      'CHUKWA_DOORBELL is nats, and CHUKWA_NATS_URL does not say where that is.',
      'Set CHUKWA_NATS_URL, such as nats://127.0.0.1:4222',
    );
  const address = parseNatsUrl(nats_url);
  return address.ok ? { ok: true, value: openNatsDoorbell(address.value) } : address;
}

function refuse(code: ProblemCode, message: string, repair: string): Outcome<never> {
  return { ok: false, problems: [{ code, message, repair }] };
}
