import type { CallReport } from '../../ports/sources.js';
import { type Answered, type Halt, halt, type Routed } from '../passage.js';
import type { SecretsParts } from './read-secrets.js';

export type Reported = Exclude<CallReport, { readonly kind: 'timed_out' }>;

/** Takes the report in place of the call, which has begun long ago. */
export function receive(routed: Routed, { opened, makeCallback }: SecretsParts, report: Reported): Answered | Halt {
  const secrets = opened.secretsOf(routed.route, makeCallback?.(routed.surroundings.correlation_id));
  const passage = { ...routed, begun: true, sent: true, secrets, reply: { facts: {} } } as const;
  return report.kind === 'answered' ? { ...passage, value: report.value } : halt(passage, 'tool_error', report.message);
}
