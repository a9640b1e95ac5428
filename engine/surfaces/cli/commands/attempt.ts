import type { Command } from 'commander';
import { showAttempt } from '../../../operations/records.js';
import { attemptLines } from '../render/attempt.js';
import { answer, type Perform, withArchive } from '../session.js';

/** `chukwa attempt` */
export function addAttempt(program: Command, perform: Perform): void {
  program
    .command('attempt')
    .helpGroup('What happened:')
    .argument('<id>', 'the id of the attempt')
    .description('Show one attempt: its calls, its patches, and how it ended.')
    .action((id: string) =>
      perform(async (session) => {
        const shown = await withArchive(session, (archive) => showAttempt(archive, id));
        return answer(session, shown, { json: (attempt) => attempt, lines: attemptLines });
      }),
    );
}
