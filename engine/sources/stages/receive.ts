import type { CallReport } from '../../ports/sources.js';
import { type Answered, type Halt, halt, type Routed } from '../passage.js';
import type { SecretsParts } from './read-secrets.js';

/** What somebody has to say of a call. */
export type Reported = Exclude<CallReport, { readonly kind: 'timed_out' }>;

/** In place of the call: what was reported of it. It has begun long ago. */
export function receive(routed: Routed, { opened, makeCallback }: SecretsParts, report: Reported): Answered | Halt {
  const secrets = opened.secretsOf(routed.route, makeCallback?.(routed.surroundings.correlation_id));
  const passage = { ...routed, begun: true, sent: true, secrets, reply: { facts: {} } } as const;
  return report.kind === 'answered' ? { ...passage, value: report.value } : halt(passage, 'tool_error', report.message);
}
