import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { Json } from '../../../contract/json.js';
import type { Problem } from '../../../contract/problem.js';
import { describeTextFault, parseJson } from '../../../core/content/parse-json.js';
import { type Done, refuse } from '../../../operations/engine.js';
import { readAnswerFile } from '../../../operations/read-answer-file.js';
import type { SaidReport } from '../../../operations/reports.js';
import { report } from '../../../operations/served.js';
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
    .option('--result <file>', 'the answer, as JSON')
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
  const said = await toReport(session, options);
  if (!said.ok) return printRefused(session, said);
  const done = await report(session.composition, correlation, said.value);
  return answer(session, done, { lines: reportedLines });
}

async function toReport({ terminal }: Session, { result = '', failed }: ReportOptions): Promise<Done<SaidReport>> {
  if (failed !== undefined) return { ok: true, value: { kind: 'failed', message: failed } };
  const read = await readJson(result, terminal.working_folder);
  return read.ok ? { ok: true, value: { kind: 'answered', value: read.value } } : read;
}

async function readJson(file: string, folder: string): Promise<Done<Json>> {
  const text = await readAnswerFile(resolve(folder, file), file);
  if (!text.ok) return refuse(...text.problems);
  const parsed = parseJson(text.value);
  return parsed.ok ? parsed : refuse(noJson(file, describeTextFault(parsed.fault)));
}

function noJson(file: string, reason: string): Problem {
  return {
    code: 'RESULT_NOT_JSON',
    message: `${file} does not hold JSON that can be kept: ${reason}.`,
    repair: 'Write the answer as JSON; a text is JSON in quotes. Nothing was reported.',
  };
}
