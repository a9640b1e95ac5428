import type { Command } from 'commander';
import { canonicalText } from '../../../core/content/canonical.js';
import { type ComponentName, getComponent } from '../../../operations/components.js';
import type { Done } from '../../../operations/engine.js';
import type { ComponentRecord } from '../../../ports/components.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { componentLines } from '../render/component.js';
import { answer, type Perform, printExact, type Session, withArchive } from '../session.js';
import { hashArgument, kindArgument, withKind } from '../component-arguments.js';

export function addGet(program: Command, perform: Perform): void {
  program
    .command('get')
    .addArgument(kindArgument('<kind>'))
    .addArgument(hashArgument())
    .description('Print a stored document: into a pipe or a file, exactly the bytes whose SHA-256 is its hash.')
    .action((kind: string, hash: string) =>
      perform((session) => withKind(session, kind, (known) => get(session, { kind: known, hash }))),
    );
}

async function get(session: Session, name: ComponentName): Promise<ExitCode> {
  const found = await withArchive(session, (archive) => getComponent(archive, name));
  return printComponent(session, found);
}

function printComponent(session: Session, found: Done<ComponentRecord>): ExitCode {
  if (!found.ok || session.as_json || session.terminal.out.is_terminal) {
    return answer(session, found, { lines: componentLines });
  }
  printExact(session.terminal, canonicalText(found.value.content));
  return EXIT.done;
}
