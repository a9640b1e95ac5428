import type { Command } from 'commander';
import { showInvocation } from '../../../operations/records.js';
import { invocationLines } from '../render/invocation.js';
import { type Perform, show } from '../session.js';

export function addInvocation(program: Command, perform: Perform): void {
  program
    .command('invocation')
    .argument('<id>', 'the id of the source invocation')
    .description('Show one source call: what was asked, what came back, how it was judged.')
    .option('--unredacted', 'show all that is kept of the answer, what redaction hides too; secrets stay replaced')
    .action((id: string, { unredacted }: { readonly unredacted?: boolean }) =>
      perform(async (session) => {
        const view = unredacted === true ? 'unredacted' : 'redacted';
        return show(session, (archive) => showInvocation(archive, id, view), { lines: invocationLines });
      }),
    );
}
