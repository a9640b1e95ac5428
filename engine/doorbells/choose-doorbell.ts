import { type Outcome, problem, refuse } from '../contract/problem.js';
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
      return refuse(problem('DOORBELL_NOT_THERE'));
    case 'nats':
      return openNats(nats_url);
    default:
      return refuse(problem('DOORBELL_UNKNOWN', { kind, known: KINDS }));
  }
}

function openNats(nats_url: string | undefined): Outcome<Doorbell> {
  if (nats_url === undefined) return refuse(problem('NATS_URL_MISSING'));
  const address = parseNatsUrl(nats_url);
  return address.ok ? { ok: true, value: openNatsDoorbell(address.value) } : address;
}
