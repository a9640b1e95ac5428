import type { AttemptRecord } from '../../../ports/records.js';
import { waysToSettle } from '../../../catalogue/resources/invocation.js';
import { blockLines } from './view.js';
import { isInDoubt } from '../../../operations/settling/settle-call.js';
import { command, commandLines, faint, hanging, line, type Lines, type Span, strong, verbatim } from './line.js';
import { toArguments } from '../../../catalogue/phrase.js';
import { toMoment } from '../../../catalogue/words.js';
import type { ApprovalRecord } from '../../../ports/approvals.js';
import type { AwaitedCall, PendedCall } from '../../../ports/pending-calls.js';

/** The commands by which a person settles a call in doubt. */
export function settleLines(attempt_id: string): Lines {
  return blockLines(waysToSettle(attempt_id), 4);
}

/** The calls in doubt that an attempt or its world waits for. */
export function doubtLines({ attempt_id, world_slug, is_adoptable, invocations }: AttemptRecord): Lines {
  const doubted = invocations.filter(isInDoubt);
  if (!is_adoptable || doubted.length === 0) return [];
  return [
    doubted.map(({ command_key, source_invocation_id }) =>
      verbatim('  In doubt: ', strong(command_key), faint(`  --call ${source_invocation_id}`)),
    ),
    settleLines(attempt_id),
    verbatim(
      faint('    either   '),
      command('run', world_slug, '--anew'),
      faint('  starts over, and makes it twice if it took place; add --llm and --script as before, if any'),
    ),
  ];
}

/** Whom an attempt waits for and until when, how to answer in their place, and how to give it up. */
export function awaitedLines(
  attempt_id: string,
  { awaited, unapproved }: { readonly awaited: readonly AwaitedCall[]; readonly unapproved: readonly ApprovalRecord[] },
): Lines {
  return [
    awaited.length > 0 && line('It waits for:'),
    awaited.flatMap((call) => [
      line('  ', strong(call.source_label), `${toNamed(call)}; asked by ${call.command_key}, ${toUntil(call)}`),
      verbatim('  ', toReport(call)),
    ]),
    unapproved.length > 0 && line('It waits for a person to decide on:'),
    unapproved.flatMap(unapprovedLines),
    verbatim('Give it up:  ', command('stop', attempt_id)),
  ];
}

/** A call that waits for a person: what it would do, why the person is asked, and what to type. */
function unapprovedLines({ approval_id, because, deadline, is_altered, ...call }: ApprovalRecord): Lines {
  const { tool_name, request, workflow_subject_entity_id: subject } = call;
  const asker = subject === null ? '' : ` for ${subject}`;
  return [
    hanging(6, '  ', strong(tool_name), ` ${toArguments(request, 2_000)}${asker}`),
    hanging(6, `    asked because ${because}; ${toUntil({ deadline })}`),
    commandLines('    ', [
      [command('approve', approval_id), is_altered ? 'is refused: the row was changed' : 'makes the call, once'],
      [command('deny', approval_id, '--reason', 'TEXT'), 'tells the model the reason'],
    ]),
  ];
}

function toNamed({ correlation_alias }: PendedCall): string {
  return correlation_alias === null ? '' : `, which calls it ${correlation_alias}`;
}

function toUntil({ deadline }: Pick<PendedCall, 'deadline'>): string {
  return `until ${toMoment(deadline)}`;
}

function toReport({ source_invocation_id }: { readonly source_invocation_id: string }): Span {
  return command('report', source_invocation_id, '--result', 'FILE');
}
