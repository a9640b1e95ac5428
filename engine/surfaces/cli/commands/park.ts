import { type Command, Option } from 'commander';
import { runPark } from '../../../operations/park.js';
import { serveOption, toWords, turnsOption } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { chooseModel, llmOption, modelOption, type ModelOptions, scriptOption } from '../model-choice.js';
import { playTurns } from '../play-turns.js';
import type { Rerun } from '../render/story.js';
import type { Perform, Session } from '../session.js';
import { serveAfterRun } from './serve.js';

interface ParkOptions extends ModelOptions {
  readonly scenario: keyof typeof TURNS;
  readonly turns?: number;
  readonly execution?: 'per_subject_ordered' | 'per_subject_concurrent';
  readonly serve?: boolean;
}

/** What can be played, and how many turns of it are without `--turns`. */
const TURNS = { park: 3, village: 10 } as const;

export function addPark(program: Command, perform: Perform): void {
  program
    .command('park')
    .description('Run the park, or the village: toy services, a scripted model and a fresh world, shown turn by turn.')
    .addOption(
      new Option('--scenario <name>', 'the park for 3 turns, or the village for 10')
        .choices(Object.keys(TURNS))
        .default('park'),
    )
    .addOption(turnsOption())
    .addOption(
      new Option('--execution <mode>', 'how subjects run, whatever their workflows say').choices([
        'per_subject_ordered',
        'per_subject_concurrent',
      ]),
    )
    .addOption(scriptOption('the answers of the scripted model, by default those of the scenario'))
    .addOption(llmOption().default('scripted'))
    .addOption(modelOption())
    .addOption(serveOption())
    .action((options: ParkOptions) => perform((session) => park(session, options)));
}

/** The services of a park end with its command; those of `toys` say by variables which model answers. */
function toRerun(world_slug: string, script: string | undefined, { model }: ParkOptions): Rerun {
  const run = ['run', world_slug];
  return { run: [...run, ...toWords({ model })], without_model: run, services: ['toys', ...toWords({ script })] };
}

async function park(session: Session, options: ParkOptions): Promise<ExitCode> {
  const { scenario, llm, script, execution, turns = TURNS[scenario] } = options;
  const spoken = script ?? (llm === 'scripted' ? scenario : undefined);
  const choice = await chooseModel(session, {
    ...options,
    ...(spoken === undefined ? {} : { script: spoken }),
  });
  if (!choice.ok) return choice.code;
  const code = await playTurns(session, ({ signal, narration }) =>
    runPark(session.composition, {
      scenario,
      turns,
      ...(execution === undefined ? {} : { execution }),
      ...choice.asked,
      signal,
      onProgress: narration.onProgress,
      onWorld: (world, database) =>
        narration.begin({ ...choice, world, turns, database, rerun: toRerun(world.world_slug, spoken, options) }),
    }),
  );
  return options.serve === true ? serveAfterRun(session, code, { ...choice.asked, with_toys: true }) : code;
}
