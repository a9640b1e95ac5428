import type { Command } from 'commander';
import { countComponents, listComponents } from '../../../operations/components.js';
import type { ExitCode } from '../exit-code.js';
import { componentListLines, kindCountLines } from '../render/component.js';
import { type Perform, type Session, show } from '../session.js';
import { kindArgument, withKind } from '../component-arguments.js';

export function addList(program: Command, perform: Perform): void {
  program
    .command('list')
    .addArgument(kindArgument('[kind]'))
    .description('List the stored documents of a kind; without one, count those of each.')
    .action((kind: string | undefined) => perform((session) => list(session, kind)));
}

async function list(session: Session, kind: string | undefined): Promise<ExitCode> {
  if (kind === undefined) {
    return show(session, countComponents, { json: (counts) => ({ counts }), lines: kindCountLines });
  }
  return withKind(session, kind, async (known) => {
    return show(session, (archive) => listComponents(archive, known), {
      json: (components) => ({ kind: known, count: components.length, components }),
      lines: (components) => componentListLines(known, components),
    });
  });
}
