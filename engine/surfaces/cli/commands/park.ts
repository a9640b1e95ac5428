import { present } from '../../../contract/present.js';
import { Option } from 'commander';
import { estimatePark, runPark } from '../../../operations/running/park.js';
import { SERVE, type ServeAfterOptions, toWords, turnsOption } from '../arguments.js';
import { chooseModel, MODEL, type ModelOptions, scriptOption } from '../model-choice.js';
import { playTurns } from '../play-turns.js';
import { estimateLines } from '../render/estimate.js';
import type { Rerun } from '../render/story.js';
import { answer, printRefused, refuseUsage } from '../session.js';
import type { CommandEntry } from './entry.js';
import { serveAfter } from './serve.js';

interface ParkOptions extends ModelOptions, ServeAfterOptions {
  readonly scenario: keyof typeof TURNS;
  readonly turns?: number;
  readonly execution?: 'per_subject_ordered' | 'per_subject_concurrent';
  readonly estimate?: boolean;
}

/** The worlds that can be played, and the number of turns without `--turns`. */
const TURNS = { park: 3, village: 10, town: 100, bills: 1 } as const;

export const park: CommandEntry = {
  name: 'park',
  lives_long: true,
  says: 'Run a scenario that ships: toy services, a scripted model and a fresh world, shown turn by turn.',
  takes: [
    new Option(
      '--scenario <name>',
      'the park for 3 turns, the village for 10, the town for 100, or the bills, which a person approves, for 1',
    )
      .choices(Object.keys(TURNS))
      .default('park'),
    turnsOption(),
    new Option('--execution <mode>', 'how subjects run, whatever their workflows say').choices([
      'per_subject_ordered',
      'per_subject_concurrent',
    ]),
    scriptOption('the answers of the scripted model, by default those of the scenario'),
    new Option('--llm <which>', 'the model: scripted, or that of the sources, by the environment')
      .choices(['scripted', 'env'])
      .default('scripted'),
    MODEL,
    ...SERVE,
    new Option('--estimate', 'only say what the turns will use and cost; makes no call, and writes nothing'),
  ],
  async run(session, options: ParkOptions) {
    const { scenario, llm, script, execution, serve, model, turns = TURNS[scenario] } = options;
    if (options.estimate === true) {
      if ([script, execution, serve].some((option) => option !== undefined))
        return refuseUsage(session, '--estimate runs nothing.', 'Give it --scenario, --turns and --model at most.');
      const estimated = await estimatePark(session.composition, { scenario, turns, ...present({ model }) });
      return answer(session, estimated, { lines: estimateLines });
    }
    const spoken = script ?? (llm === 'scripted' ? scenario : undefined);
    const choice = await chooseModel(session, { ...options, ...present({ script: spoken }) });
    if (!choice.ok) return printRefused(session, choice);
    const worlds: string[] = [];
    const play = () =>
      playTurns(session, ({ signal, narration }) =>
        runPark(session.composition, {
          scenario,
          turns,
          ...present({ execution }),
          ...choice.value.asked,
          signal,
          onProgress: narration.onProgress,
          onWorld: (world, database, news) => {
            worlds.push(world.world_slug);
            narration.begin({
              ...choice.value,
              world,
              turns,
              database,
              news,
              rerun: toRerun(world.world_slug, spoken, options),
            });
          },
        }),
      );
    return serveAfter(session, options, play, () => ({ worlds, stage: { ...choice.value.asked, with_toys: true } }));
  },
};

/** The services of a park end with its command. */
function toRerun(world_slug: string, script: string | undefined, { model }: ParkOptions): Rerun {
  const run = ['run', world_slug, '--toys'];
  return { run: [...run, ...toWords({ script, model })], without_model: run };
}
