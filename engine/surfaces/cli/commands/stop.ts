import type { Command } from 'commander';
import { stop } from '../../../operations/served.js';
import { acknowledgementLines } from '../render/acknowledgement.js';
import { answer, type Perform } from '../session.js';

/** `chukwa stop` */
export function addStop(program: Command, perform: Perform): void {
  program
    .command('stop')
    .helpGroup('Worlds:')
    .argument('<attempt>', 'the id of the attempt')
    .description('Stop an attempt, whether it runs or rests: it fails, and its world stays as it was.')
    .action((attempt: string) =>
      perform(async (session) =>
        answer(session, await stop(session.composition, attempt), {
          json: (told) => told,
          lines: acknowledgementLines,
        }),
      ),
    );
}
