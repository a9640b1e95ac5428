import type { AttemptRecord, InvocationSummary, SettlementRecord } from '../../../ports/records.js';
import { isInDoubt } from '../../../operations/settle-call.js';
import { quote } from './json-view.js';
import { command, faint, hanging, type Line, strong, verbatim } from './line.js';
import { toMoment } from './words.js';

/** The commands by which a person settles a call in doubt. */
export function settleLines(attempt_id: string): readonly Line[] {
  return [
    hanging(4, '    Find out whether it took place, and settle it: the next run then goes on from here.'),
    verbatim(faint('    it did   '), command('attempt', 'settle', attempt_id, '--result', 'FILE')),
    verbatim(faint('    not      '), command('attempt', 'settle', attempt_id, '--not-performed')),
  ];
}

/** The calls in doubt that an attempt or its world waits for. */
export function doubtLines({ attempt_id, world_slug, is_adoptable, invocations }: AttemptRecord): readonly Line[] {
  const doubted = invocations.filter(isInDoubt);
  if (!is_adoptable || doubted.length === 0) return [];
  return [
    ...doubted.map(({ command_key, source_invocation_id }) =>
      verbatim('  In doubt: ', strong(command_key), faint(`  --call ${source_invocation_id}`)),
    ),
    ...settleLines(attempt_id),
    verbatim(faint('    either   '), command('run', world_slug, '--anew'), faint('  begins anew, whatever it did')),
  ];
}

export function settlementLines(settlement: SettlementRecord): readonly Line[] {
  const { performed, settled_at, settled_by, host, reason } = settlement;
  const who = settled_by === null ? '' : ` by ${settled_by === 'operator' ? 'a person' : 'a report'} on ${host ?? '?'}`;
  const what = performed ? 'it took place' : 'it did not take place';
  return [
    hanging(4, `  Settled at ${toMoment(settled_at)}${who}: ${what}.`),
    ...(reason === null ? [] : [hanging(4, '  Reason: ', quote(reason, REASON_MAX))]),
  ];
}

const REASON_MAX = 400;

/** The settlement of a call as a sentence; undefined where there is none. */
export function toSettlement({ settled_as }: Pick<InvocationSummary, 'settled_as'>): string | undefined {
  if (settled_as === null) return undefined;
  return settled_as === 'performed' ? 'Settled since: it took place.' : 'Settled since: it did not take place.';
}
