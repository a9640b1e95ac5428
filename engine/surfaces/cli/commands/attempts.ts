import type { Command } from 'commander';
import { listAttempts } from '../../../operations/records.js';
import { attemptListLines } from '../render/attempt.js';
import { answer, type Perform, withArchive } from '../session.js';

/** `chukwa attempts` */
export function addAttempts(program: Command, perform: Perform): void {
  program
    .command('attempts')
    .helpGroup('What happened:')
    .argument('<slug>', 'the name of the world')
    .description('List all attempts at turns of a world, the latest first.')
    .action((slug: string) =>
      perform(async (session) => {
        const listed = await withArchive(session, (archive) => listAttempts(archive, slug));
        return answer(session, listed, { json: (found) => found, lines: attemptListLines });
      }),
    );
}
