import type { CallReport, MakeCallback } from '../../ports/sources.js';
import type { OpenedSources } from '../opened-sources.js';
import { type Answered, type Halt, halt, type Routed, type Stage } from '../passage.js';

/** What somebody has to say of a call. */
export type Reported = Exclude<CallReport, { readonly kind: 'timed_out' }>;

/** What takes a report in. */
export interface ReportDesk {
  readonly opened: Pick<OpenedSources, 'secretsOf'>;
  readonly makeCallback?: MakeCallback;
}

/** In place of the call: what was reported of it. It has begun long ago. */
export function receive(desk: ReportDesk, report: Reported): Stage<Routed, Answered> {
  return { name: 'receive', pass: (passage) => take(passage, desk, report) };
}

function take(routed: Routed, { opened, makeCallback }: ReportDesk, report: Reported): Answered | Halt {
  const secrets = opened.secretsOf(routed.route, makeCallback?.(routed.surroundings.correlation_id));
  const passage = { ...routed, begun: true, sent: true, secrets, reply: { facts: {} } } as const;
  return report.kind === 'answered' ? { ...passage, value: report.value } : halt(passage, 'tool_error', report.message);
}
