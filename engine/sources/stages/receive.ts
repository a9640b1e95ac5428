import type { CallReport } from '../../ports/sources.js';
import type { Broker } from '../connections/broker.js';
import { type Answered, type Halt, halt, type Routed } from '../passage.js';
import type { SecretsParts } from './read-secrets.js';

export type Reported = Exclude<CallReport, { readonly kind: 'timed_out' }>;

/** Takes the report in place of the call, which has begun long ago, perhaps in another process. */
export async function receive(
  routed: Routed,
  { opened, broker, makeCallback }: SecretsParts & { readonly broker: Pick<Broker, 'open'> },
  report: Reported,
): Promise<Answered | Halt> {
  const { connection, origin } = routed.route;
  // From then on its secrets are known.
  if (connection !== undefined) await broker.open(connection, origin);
  const secrets = opened.secretsOf(routed.route, makeCallback?.(routed.surroundings.correlation_id));
  const passage = { ...routed, begun: true, sent: true, secrets, reply: { facts: {} } } as const;
  return report.kind === 'answered' ? { ...passage, value: report.value } : halt(passage, 'tool_error', report.message);
}
