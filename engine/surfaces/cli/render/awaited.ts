import type { AwaitedCall, PendedCall } from '../../../ports/pending-calls.js';
import { accent, hanging, type Line, line, strong, verbatim } from './line.js';
import { toMoment } from './words.js';

/** An attempt that may be suspended. */
interface Waiting {
  readonly world: string;
  readonly attempt_id: string;
  readonly awaited: readonly AwaitedCall[];
}

/** Whom it waits for and until when, how to answer in their place, and how to give it up. */
export function awaitedLines({ world, attempt_id, awaited }: Waiting): readonly Line[] {
  return [
    line('It waits for:'),
    ...awaited.flatMap((call) => [
      line('  ', strong(call.source_label), `${toNamed(call)}; asked by ${call.command_key}, ${toUntil(call)}`),
      verbatim('  ', accent(toReport(call))),
    ]),
    hanging(2, `Then npx chukwa run ${world} goes on with it, as does a worker or a serve that runs meanwhile.`),
    verbatim('Give it up:  ', accent(`npx chukwa stop ${attempt_id}`)),
  ];
}

/** Until when one call is waited for, and how to answer it. */
export function awaitedCallLines(call: PendedCall & { readonly source_invocation_id: string }): readonly Line[] {
  return [
    line(`It is answered later by its service${toNamed(call)}; waited for ${toUntil(call)}`),
    verbatim('Report:  ', accent(toReport(call))),
  ];
}

function toNamed({ correlation_alias }: PendedCall): string {
  return correlation_alias === null ? '' : `, which calls it ${correlation_alias}`;
}

function toUntil({ deadline }: PendedCall): string {
  return `until ${toMoment(deadline)}`;
}

function toReport({ source_invocation_id }: { readonly source_invocation_id: string }): string {
  return `npx chukwa report ${source_invocation_id} --result FILE`;
}
