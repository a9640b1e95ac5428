import type { Command } from 'commander';
import { resolve } from 'node:path';
import { parseSource } from '../../../core/content/source-text.js';
import { isJsonItself, locateIn, readAnswerFile } from '../../../operations/read-answer-file.js';
import type { SaidReport } from '../../../operations/reports.js';
import { report } from '../../../operations/served.js';
import { resultOption } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { reportedLines } from '../render/acknowledgement.js';
import { answer, type Perform, printRefused, printProblem, type Session } from '../session.js';

interface ReportOptions {
  readonly result?: string;
  readonly failed?: string;
}

export function addReport(program: Command, perform: Perform): void {
  program
    .command('report')
    .argument('<correlation_id>', 'the id of the call, or the name that its service gave it')
    .addOption(resultOption('the answer'))
    .option('--failed <message>', 'in place of an answer: it failed, and why; a call in doubt is then made again')
    .description('Report how a pending call, or a call in doubt, ended. Duplicate and late reports change nothing.')
    .action((correlation: string, options: ReportOptions) => perform((session) => run(session, correlation, options)));
}

async function run(session: Session, correlation: string, options: ReportOptions): Promise<ExitCode> {
  if ((options.result === undefined) === (options.failed === undefined))
    return printProblem(session, {
      code: 'USAGE',
      message: 'Either --result or --failed says how the call ended.',
      repair: 'Give one of the two.',
    });
  const read = await readResult(session, options);
  if (read?.ok === false) return printRefused(session, read);
  const said: SaidReport =
    read === undefined
      ? { kind: 'failed', message: options.failed ?? '' }
      : { kind: 'answered', value: read.value.value };
  const done = await report(session.composition, correlation, said);
  return done.ok
    ? answer(session, done, { lines: reportedLines })
    : printRefused(session, { problems: locateIn(read?.value, done.problems) });
}

function readResult({ terminal }: Session, { result }: ReportOptions) {
  if (result === undefined) return undefined;
  if (isJsonItself(result)) return parseSource('--result', result);
  return readAnswerFile(resolve(terminal.working_folder, result), result);
}
