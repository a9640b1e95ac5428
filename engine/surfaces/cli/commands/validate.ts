import type { Command } from 'commander';
import { checkPaths } from '../../../operations/author.js';
import { rootOption } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { hanging, line } from '../render/line.js';
import { findingLines } from '../render/problems.js';
import { count } from '../render/words.js';
import { type Perform, printJson, printLines, printRefused, type Session } from '../session.js';
import { type RootOptions, toPlace } from '../place.js';

/** `chukwa validate` */
export function addValidate(program: Command, perform: Perform): void {
  program
    .command('validate')
    .helpGroup('Documents:')
    .argument('<path...>', 'files and folders')
    .description('Check documents, and all that they refer to, without a database or a call.')
    .addOption(rootOption())
    .action((paths: readonly string[], options: RootOptions) =>
      perform((session) => validate(session, paths, options)),
    );
}

async function validate(session: Session, paths: readonly string[], options: RootOptions): Promise<ExitCode> {
  const authoring = await session.composition.openAuthoring();
  if (!authoring.ok) return printRefused(session, authoring);
  const { ok, findings, components } = await checkPaths(authoring.value, { paths, place: toPlace(session, options) });
  const { out, error } = session.terminal;
  if (session.as_json) {
    printJson(session.terminal, { ok, findings });
    return ok ? EXIT.done : EXIT.refused;
  }
  printLines(out, findingLines(findings));
  if (ok) {
    printLines(out, [line(`${count(components.length, 'component')} checked: nothing stands in the way.`)]);
    return EXIT.done;
  }
  const errors = findings.filter(({ severity }) => severity === 'error');
  const files = new Set(errors.map(({ file }) => file));
  const summary = `error: ${count(errors.length, 'finding')} in ${count(files.size, 'file')}`;
  printLines(error, [hanging(2, summary), hanging(4, '  what to do: mend each at its place, and validate again')]);
  return EXIT.refused;
}
