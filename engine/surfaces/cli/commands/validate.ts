import { Option } from 'commander';
import { checkPaths, watchPaths } from '../../../operations/authoring/author.js';
import type { Validation } from '../../../operations/documents/index.js';
import { EXCLUDE, pathsArgument, ROOT, type RootOptions, toPlace } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { untilStopped } from '../interruption.js';
import { EMPTY, faint, hanging, line } from '../render/line.js';
import { findingLines } from '../render/problems.js';
import { count } from '../../../catalogue/words.js';
import { printJson, printLines, type Session } from '../session.js';
import type { CommandEntry } from './entry.js';

interface ValidateOptions extends RootOptions {
  readonly watch?: boolean;
  readonly strict?: boolean;
}

export const validate: CommandEntry = {
  name: 'validate',
  says: 'Check documents, and all that they refer to, without a database or a call.',
  takes: [
    pathsArgument('files and folders'),
    ROOT,
    EXCLUDE,
    new Option('--strict', 'fail with notes as well'),
    new Option('--watch', 'check again after every change, until Ctrl-C'),
  ],
  run: (session, paths: readonly string[], options: ValidateOptions) =>
    options.watch === true ? watch(session, paths, options) : validateOnce(session, paths, options),
};

async function validateOnce(session: Session, paths: readonly string[], options: ValidateOptions): Promise<ExitCode> {
  const authoring = await session.composition.openAuthoring();
  const checked = await checkPaths(authoring, { paths, place: toPlace(session, options) });
  const validation = options.strict === true ? { ...checked, ok: checked.findings.length === 0 } : checked;
  printValidation(session, validation);
  return validation.ok ? EXIT.done : EXIT.refused;
}

/** One check after the other; with `--json` each is one line. */
async function watch(session: Session, paths: readonly string[], options: RootOptions): Promise<ExitCode> {
  const authoring = await session.composition.openAuthoring();
  const asked = { paths, place: toPlace(session, options) };
  return untilStopped(session.terminal, async (signal) => {
    for await (const validation of watchPaths(authoring, asked, signal)) {
      printValidation(session, validation, 0);
      if (session.as_json) continue;
      printLines(session.terminal.error, line(faint('Waiting for a change; Ctrl-C ends this.')));
      printLines(session.terminal.out, EMPTY);
    }
    // Ctrl-C is the expected end.
    return EXIT.done;
  });
}

function printValidation({ terminal, as_json }: Session, validation: Validation, indent?: number): void {
  const { ok, findings, checked, left_out } = validation;
  if (as_json) return printJson(terminal, { ok, findings, ...(left_out.length > 0 && { left_out }) }, indent);
  printLines(terminal.out, findingLines(findings));
  if (ok) {
    const others = left_out.length === 0 ? '' : `, ${count(left_out.length, 'other JSON file')} left out`;
    const noted = findings.length === 0 ? 'no problems' : `${count(findings.length, 'note')}, no errors`;
    printLines(terminal.out, [line(`${count(checked, 'document')} checked${others}: ${noted}.`)]);
    return;
  }
  const only = findings.filter(({ severity }) => severity === 'error');
  const errors = only.length === 0 ? findings : only;
  const files = new Set(errors.map(({ file }) => file));
  const summary = `error: ${count(errors.length, 'finding')} in ${count(files.size, 'file')}`;
  printLines(terminal.error, [
    hanging(2, summary),
    hanging(4, '  what to do: correct each at its place, and validate again'),
  ]);
}
