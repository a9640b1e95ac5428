import type { Command } from 'commander';
import { runWorld } from '../../../operations/run-world.js';
import { turnsOption } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { chooseModel, llmOption, type ModelOptions } from '../model-choice.js';
import { playTurns } from '../play-turns.js';
import type { Perform, Session } from '../session.js';

interface RunOptions extends ModelOptions {
  readonly turns: number;
}

/** `chukwa run` */
export function addRun(program: Command, perform: Perform): void {
  program
    .command('run')
    .helpGroup('Worlds:')
    .argument('<slug>', 'the name of the world')
    .description('Run turns of a world, here and now, told as they happen.')
    .addOption(turnsOption(1))
    .addOption(llmOption())
    .option('--script <file>', 'what the scripted model says: a script that ships, or a file')
    .action((slug: string, options: RunOptions) => perform((session) => run(session, slug, options)));
}

async function run(session: Session, world_slug: string, { turns, ...options }: RunOptions): Promise<ExitCode> {
  const choice = await chooseModel(session, options);
  if (!choice.ok) return choice.code;
  return playTurns(session, ({ signal, narration }) =>
    runWorld(session.composition, {
      world_slug,
      turns,
      ...choice.script,
      signal,
      onProgress: narration.onProgress,
      onWorld: (world, database) => narration.begin({ world, model: choice.model, turns, database }),
    }),
  );
}
