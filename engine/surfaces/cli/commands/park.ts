import type { Command } from 'commander';
import { runPark } from '../../../operations/park.js';
import { turnsOption } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { chooseModel, llmOption, modelOption, type ModelOptions } from '../model-choice.js';
import { playTurns } from '../play-turns.js';
import type { Perform, Session } from '../session.js';

interface ParkOptions extends ModelOptions {
  readonly turns: number;
}

const SCRIPT = 'park';

/** `chukwa park` */
export function addPark(program: Command, perform: Perform): void {
  program
    .command('park')
    .helpGroup('Start here:')
    .description('Run the park: toy services, a scripted model and a fresh world, told turn by turn.')
    .addOption(turnsOption(3))
    .option('--script <name>', `what the scripted model says: a script that ships, or a file (default: "${SCRIPT}")`)
    .addOption(llmOption().default('scripted'))
    .addOption(modelOption())
    .action((options: ParkOptions) => perform((session) => park(session, options)));
}

async function park(session: Session, { turns, llm, script, model }: ParkOptions): Promise<ExitCode> {
  const spoken = script ?? (llm === 'scripted' ? SCRIPT : undefined);
  const choice = await chooseModel(session, {
    ...(llm ? { llm } : {}),
    ...(model === undefined ? {} : { model }),
    ...(spoken === undefined ? {} : { script: spoken }),
  });
  if (!choice.ok) return choice.code;
  return playTurns(session, ({ signal, narration }) =>
    runPark(session.composition, {
      turns,
      ...choice.asked,
      signal,
      onProgress: narration.onProgress,
      onWorld: (world, database) => narration.begin({ world, model: choice.model, turns, database }),
    }),
  );
}
