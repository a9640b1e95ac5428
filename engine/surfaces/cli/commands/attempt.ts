import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { showAttempt } from '../../../operations/records.js';
import { isJsonItself } from '../../../operations/read-answer-file.js';
import { type SettledCall, settleCall } from '../../../operations/settle-call.js';
import { resultOption } from '../arguments.js';
import { attemptLines } from '../render/attempt.js';
import { command, hanging, type Line, verbatim } from '../render/line.js';
import { count } from '../render/words.js';
import { answer, type Perform, printProblem, type Session, withEngine, show } from '../session.js';

export function addAttempt(program: Command, perform: Perform): void {
  const attempt = program
    .command('attempt')
    .argument('<id>', 'the id of the attempt')
    .description('Show one attempt: its calls, its patches, and how it ended.')
    .action((id: string) =>
      perform((session) => show(session, (archive) => showAttempt(archive, id), { lines: attemptLines })),
    );
  attempt
    .command('settle')
    .argument('<id>', 'the id of the attempt that failed')
    .option('--call <id>', 'the call in doubt, where there are several')
    .addOption(resultOption('it took place, and this is what it answered').conflicts('notPerformed'))
    .addOption(new Option('--not-performed', 'it did not take place, and is to be asked again'))
    .option('--reason <text>', 'how you know; it is kept, for whoever asks later')
    .description('Decide whether a call in doubt had its side effect; the next run continues from there.')
    .action((id: string, options: SettleOptions) => perform((session) => settle(session, id, options)));
}

interface SettleOptions {
  readonly call?: string;
  readonly result?: string;
  readonly notPerformed?: true;
  readonly reason?: string;
}

async function settle(session: Session, attempt_id: string, { call, result, notPerformed, reason }: SettleOptions) {
  if (result === undefined && notPerformed !== true) {
    return printProblem(session, {
      code: 'USAGE',
      message: 'Whether the call took place has to be said.',
      repair: 'Add --result FILE with what it answered, or --not-performed.',
    });
  }
  const settled = await withEngine(session, (engine) =>
    settleCall(engine, {
      attempt_id,
      ...(call === undefined ? {} : { source_invocation_id: call }),
      ...toResult(result, session.terminal),
      ...(reason === undefined ? {} : { reason }),
    }),
  );
  return answer(session, settled, { lines: settledLines });
}

function toResult(result: string | undefined, { working_folder }: Session['terminal']) {
  if (result === undefined) return {};
  return isJsonItself(result) ? { result_text: result } : { result_file: resolve(working_folder, result) };
}

function settledLines({ world, command_key, performed, left_in_doubt }: SettledCall): readonly Line[] {
  const what = performed ? 'took place, with that answer' : 'did not take place, and will be asked again';
  return [
    hanging(2, `Settled: ${command_key} ${what}.`),
    left_in_doubt > 0
      ? hanging(
          2,
          `${count(left_in_doubt, 'other call', 'other calls')} of this attempt must be settled before it goes on.`,
        )
      : verbatim('Go on:  ', command('run', world), '  (a queued turn goes on by itself, where a worker runs)'),
  ];
}
