import type { Command } from 'commander';
import { showUses } from '../../../operations/components.js';
import { usesLines } from '../render/component.js';
import { type Perform, show } from '../session.js';
import { hashArgument, kindArgument, withKind } from '../component-arguments.js';

export function addUses(program: Command, perform: Perform): void {
  program
    .command('uses')
    .addArgument(kindArgument('<kind>'))
    .addArgument(hashArgument())
    .description('Show which documents a stored one names, and which documents and worlds name it.')
    .action((kind: string, hash: string) =>
      perform((session) =>
        withKind(session, kind, async (known) => {
          return show(session, (archive) => showUses(archive, { kind: known, hash }), { lines: usesLines });
        }),
      ),
    );
}
