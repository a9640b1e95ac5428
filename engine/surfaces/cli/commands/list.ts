import type { Command } from 'commander';
import { countComponents, listComponents } from '../../../operations/components.js';
import type { ExitCode } from '../exit-code.js';
import { componentListLines, kindCountLines } from '../render/component.js';
import { answer, type Perform, type Session, withArchive } from '../session.js';
import { kindArgument, withKind } from '../component-arguments.js';

/** `chukwa list` */
export function addList(program: Command, perform: Perform): void {
  program
    .command('list')
    .helpGroup('Documents:')
    .addArgument(kindArgument('[kind]'))
    .description('List the stored documents of a kind; without one, count those of each.')
    .action((kind: string | undefined) => perform((session) => list(session, kind)));
}

async function list(session: Session, kind: string | undefined): Promise<ExitCode> {
  if (kind === undefined) {
    const counted = await withArchive(session, countComponents);
    return answer(session, counted, { json: (counts) => ({ counts }), lines: kindCountLines });
  }
  return withKind(session, kind, async (known) => {
    const listed = await withArchive(session, (archive) => listComponents(archive, known));
    return answer(session, listed, {
      json: (components) => ({ kind: known, count: components.length, components }),
      lines: (components) => componentListLines(known, components),
    });
  });
}
