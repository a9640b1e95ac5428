import type { Command } from 'commander';
import { queueTurns } from '../../../operations/run-worker.js';
import { runWorld } from '../../../operations/run-world.js';
import { turnsOption } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { chooseModel, llmOption, type ModelOptions } from '../model-choice.js';
import { playTurns } from '../play-turns.js';
import { count } from '../render/words.js';
import { line } from '../render/line.js';
import { answer, type Perform, printUsage, type Session, withEngine } from '../session.js';

interface RunOptions extends ModelOptions {
  readonly turns: number;
  readonly queue?: boolean;
}

/** `chukwa run` */
export function addRun(program: Command, perform: Perform): void {
  program
    .command('run')
    .helpGroup('Worlds:')
    .argument('<slug>', 'the name of the world')
    .description('Run turns of a world, here and now, told as they happen; or queue them for workers.')
    .addOption(turnsOption(1))
    .addOption(llmOption())
    .option('--script <file>', 'what the scripted model says: a script that ships, or a file')
    .option('--queue', 'leave the turns to workers, which ask the model of their own environment')
    .action((slug: string, options: RunOptions) =>
      perform((session) => (options.queue === true ? queue : run)(session, slug, options)),
    );
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

async function queue(session: Session, world_slug: string, { turns, llm, script }: RunOptions): Promise<ExitCode> {
  if (llm !== undefined || script !== undefined) {
    const message = '--queue leaves the turns to workers, and the model is theirs to choose.';
    return printUsage(session, { code: 'USAGE', message, repair: 'Leave --llm and --script out.' });
  }
  const queued = await withEngine(session, (engine) => queueTurns(engine, { world_slug, turns }));
  return answer(session, queued, {
    json: (report) => report,
    lines: ({ world, waiting }) => [
      line(`Queued ${count(turns, 'turn')} of ${world}; ${waiting} of its turns are to be done.`),
      line(`A worker does them: chukwa worker. Watch: chukwa attempts ${world}`),
    ],
  });
}
