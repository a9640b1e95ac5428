import type { AwaitedCall, PendedCall } from '../../../ports/pending-calls.js';
import { command, hanging, type Line, line, type Span, strong, verbatim } from './line.js';
import type { Rerun } from './story.js';
import { toMoment } from './words.js';

interface Waiting {
  readonly rerun: Pick<Rerun, 'run'>;
  readonly attempt_id: string;
  readonly awaited: readonly AwaitedCall[];
}

/** Whom it waits for and until when, how to answer in their place, and how to give it up. */
export function awaitedLines({ rerun, attempt_id, awaited }: Waiting): readonly Line[] {
  return [
    line('It waits for:'),
    ...awaited.flatMap((call) => [
      line('  ', strong(call.source_label), `${toNamed(call)}; asked by ${call.command_key}, ${toUntil(call)}`),
      verbatim('  ', toReport(call)),
    ]),
    hanging(2, 'Then ', command(...rerun.run), ' goes on with it, as does a worker or a serve that runs meanwhile.'),
    verbatim('Give it up:  ', command('stop', attempt_id)),
  ];
}

/** Until when one call is waited for, and how to answer it. */
export function awaitedCallLines(call: PendedCall & { readonly source_invocation_id: string }): readonly Line[] {
  return [
    line(`It is answered later by its service${toNamed(call)}; waited for ${toUntil(call)}`),
    verbatim('Report:  ', toReport(call)),
  ];
}

function toNamed({ correlation_alias }: PendedCall): string {
  return correlation_alias === null ? '' : `, which calls it ${correlation_alias}`;
}

function toUntil({ deadline }: PendedCall): string {
  return `until ${toMoment(deadline)}`;
}

function toReport({ source_invocation_id }: { readonly source_invocation_id: string }): Span {
  return command('report', source_invocation_id, '--result', 'FILE');
}
