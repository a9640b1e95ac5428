import type { Command } from 'commander';
import { stop } from '../../../operations/served.js';
import { takeBackTurns } from '../../../operations/take-back-turns.js';
import type { ExitCode } from '../exit-code.js';
import { acknowledgementLines } from '../render/acknowledgement.js';
import { takenBackLines } from '../render/queue.js';
import { answer, type Perform, type Session, withEngine } from '../session.js';

export function addStop(program: Command, perform: Perform): void {
  program
    .command('stop')
    .argument('<attempt>', 'the id of the attempt; with --queued, the name of a world')
    .option('--queued', 'take back the turns of a world that are queued and have not begun')
    .description('Stop an attempt that runs or is suspended: it fails, and its world stays as it was.')
    .action((named: string, { queued }: { readonly queued?: true }) =>
      perform((session) => (queued === true ? takeBack(session, named) : stopAttempt(session, named))),
    );
}

async function stopAttempt(session: Session, attempt_id: string): Promise<ExitCode> {
  const told = await stop(session.composition, attempt_id);
  return answer(session, told, { lines: acknowledgementLines });
}

async function takeBack(session: Session, world_slug: string): Promise<ExitCode> {
  const taken = await withEngine(session, (engine) => takeBackTurns(engine, world_slug));
  return answer(session, taken, { lines: takenBackLines });
}
