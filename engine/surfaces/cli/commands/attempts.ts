import { type Command, Option } from 'commander';
import { type AttemptFilter, listAttempts } from '../../../operations/records.js';
import type { AttemptStatus } from '../../../ports/records.js';
import { slugArgument, triedTurnOption } from '../arguments.js';
import { attemptListLines } from '../render/attempt.js';
import { type Perform, show } from '../session.js';

const STATUSES: readonly AttemptStatus[] = ['running', 'suspended', 'committed', 'failed', 'interrupted'];

export function addAttempts(program: Command, perform: Perform): void {
  program
    .command('attempts')
    .addArgument(slugArgument())
    .description('List all attempts at turns of a world, the latest first.')
    .addOption(new Option('--status <status>', 'only those of this status').choices(STATUSES))
    .addOption(triedTurnOption())
    .option('--failure <class>', 'only those that failed with this class')
    .action((slug: string, filter: AttemptFilter) =>
      perform((session) =>
        show(session, (archive) => listAttempts(archive, slug, filter), { lines: attemptListLines }),
      ),
    );
}
