import { succeed } from '../../../contract/problem.js';
import { resolve } from 'node:path';
import { present } from '../../../contract/present.js';
import { Option } from 'commander';
import { adoptNamed, type NamedScenario } from '../../../operations/worlds/change-scenario.js';
import { displayName } from '../../../operations/documents/index.js';
import { dryRun } from '../../../operations/dry-run/index.js';
import { make } from '../../../catalogue/act.js';
import { actHereOrThere } from '../../../catalogue/here-or-there.js';
import { runTurns } from '../../../catalogue/actions/worlds.js';
import { personHere } from '../../../operations/people/person-here.js';
import type { Narrowing } from '../../../operations/running/narrow-run.js';
import { type Engine, whileOpen } from '../../../operations/engine.js';
import { estimateRun } from '../../../operations/costs/estimate.js';
import { runWorld, type ScenarioNews } from '../../../operations/running/run-world.js';
import {
  editedScenarioOption,
  listOption,
  ROOT,
  type RootOptions,
  SERVE,
  type ServeAfterOptions,
  SLUG,
  toPlace,
  toWords,
  turnsOption,
  wholeOption,
} from '../arguments.js';
import { askPerson } from '../asked-person.js';
import type { ExitCode } from '../exit-code.js';
import { chooseModel, MODEL, type ModelOptions, scriptOption, TOYS } from '../model-choice.js';
import { playTurns } from '../play-turns.js';
import { estimateLines } from '../render/estimate.js';
import { queuedLines, queuedThereLines } from '../render/queue.js';
import { answer, printRefused, refuseUsage, type Session } from '../session.js';
import { toShell } from '../shell.js';
import type { CommandEntry } from './entry.js';
import { serveAfter } from './serve.js';

interface RunOptions extends ModelOptions, Narrowing, RootOptions, ServeAfterOptions {
  readonly scenario?: string;
  readonly turns: number;
  readonly retries?: number;
  readonly queue?: boolean;
  readonly reason?: string;
  readonly anew?: boolean;
  readonly dry?: boolean;
  readonly toys?: boolean;
  readonly estimate?: boolean;
  readonly answers?: string;
  readonly writeMissing?: string;
}

export const run: CommandEntry = {
  name: 'run',
  lives_long: true,
  says: 'Run turns of a world and show them as they happen, or queue them for workers.',
  takes: [
    SLUG,
    turnsOption(1),
    wholeOption(
      '--retries <n>',
      'how often a turn is retried after a transient failure, each time after a wait',
      [0, 1_000],
    ),
    new Option(
      '--llm <which>',
      'the model: scripted, that of the sources by the environment, or the person at this terminal',
    ).choices(['scripted', 'env', 'ask']),
    MODEL,
    scriptOption(),
    TOYS,
    listOption('--tools', 'offer models these tools only, of those that the policy allows; names between commas'),
    listOption('--connections', 'grant these connections only, of those that the profile grants'),
    editedScenarioOption('adopt edited documents from the next turn on'),
    ROOT,
    new Option('--queue', 'queue the turns for workers, which use the model of their own environment'),
    new Option('--reason <text>', 'with --queue: why; the record keeps it'),
    ...SERVE,
    new Option('--anew', 'start over after a failed attempt: its side effects may be repeated, also those in doubt'),
    new Option('--estimate', 'only say what the turns will use and cost; makes no call, and writes nothing'),
    new Option('--dry', 'run on a temporary copy; makes no call'),
    new Option('--answers <file>', 'the answers of models and sources in a dry run'),
    new Option(
      '--write-missing <file>',
      'in a dry run, write a new file with the answers, and with made-up ones for those that are missing',
    ),
  ],
  run: runAndShow,
};

async function runAndShow(session: Session, world_slug: string, options: RunOptions): Promise<ExitCode> {
  const { turns, retries = 0, dry, answers, queue, llm, script, model, tools, connections, toys } = options;
  if (options.estimate === true) return estimate(session, world_slug, options);
  if (queue === true) return queueFor(session, world_slug, options);
  if (dry === true || answers !== undefined || options.writeMissing !== undefined)
    return runDry(session, world_slug, options);
  const choice = await chooseModel(session, options);
  if (!choice.ok) return printRefused(session, choice);
  const { ask } = choice.value;
  const beside = [...(toys === true ? ['--toys'] : []), ...toWords({ tools, connections })];
  const rerun = {
    run: ['run', world_slug, ...toWords({ llm, script, model }), ...beside],
    without_model: ['run', world_slug, ...beside],
  };
  const play = () =>
    playTurns(session, ({ signal, narration }) =>
      runWorld(session.composition, {
        world_slug,
        turns,
        anew: options.anew,
        tools,
        connections,
        retries,
        rerun: toShell(['chukwa', ...rerun.run]),
        ...choice.value.asked,
        with_toys: toys === true,
        person: ask && askPerson({ error: session.terminal.error, ask }, narration.close),
        signal,
        onProgress: narration.onProgress,
        scenario: toNamed(session, options),
        onWorld: (world, database, news) =>
          narration.begin({ ...choice.value, world, turns, database, news: toShown(session, news), rerun }),
      }),
    );
  const asked = { worlds: [world_slug], stage: { ...choice.value.asked, with_toys: toys === true } };
  return serveAfter(session, options, play, () => asked);
}

/** Of the model that the sources would ask. */
async function estimate(session: Session, world_slug: string, options: RunOptions): Promise<ExitCode> {
  const { turns, model, estimate: _asked, ...rest } = options;
  const others = Object.values(rest);
  if (others.some((option) => option !== undefined))
    return refuseUsage(session, '--estimate runs nothing.', 'Give it --turns and --model at most.');
  const opened = await session.composition.openEngine(present({ model }));
  const estimated = await whileOpen(opened, (engine) => estimateRun(engine, { world_slug, turns }));
  return answer(session, estimated, { lines: estimateLines });
}

function toNamed(session: Session, { scenario, ...options }: RunOptions): NamedScenario | undefined {
  return scenario === undefined ? undefined : { scenario, place: toPlace(session, options) };
}

/** The news about a scenario, with paths as a person would write them in the working folder. */
function toShown({ terminal }: Session, { edited, ...others }: ScenarioNews): ScenarioNews {
  if (edited === undefined) return others;
  const shown = (file: string): string => displayName(file, terminal.working_folder);
  const { files, scenario, root } = edited;
  const shown_root = root === undefined ? {} : { root: shown(root) };
  return { edited: { files: files.map(shown), scenario: shown(scenario), ...shown_root }, ...others };
}

async function runDry(session: Session, world_slug: string, options: RunOptions): Promise<ExitCode> {
  const { turns, dry, answers, llm, script, model, anew, writeMissing, tools, connections, toys } = options;
  const refuse = (message: string, repair: string): ExitCode => refuseUsage(session, message, repair);
  if (answers === undefined && writeMissing === undefined)
    return refuse('A dry run makes no call, so it needs answers.', 'Add --answers FILE, or --write-missing FILE.');
  if (dry !== true)
    return refuse(
      '--answers and --write-missing are for dry runs.',
      'Add --dry, or use --llm scripted --script FILE for the model alone.',
    );
  if (anew !== undefined) return refuse('A dry run always starts over on a copy.', 'Leave --anew out.');
  if ([llm, script, model, toys].some((option) => option !== undefined))
    return refuse(
      'A dry run asks no model and no service: its answers come from --answers.',
      'Leave --llm, --script, --model and --toys out.',
    );
  const repeated = {
    turns: turns === 1 ? undefined : String(turns),
    answers: writeMissing ?? answers,
    tools,
    connections,
    scenario: options.scenario,
    root: options.root,
  };
  const dry_rerun = ['run', world_slug, '--dry', ...toWords(repeated)];
  return playTurns(session, ({ signal, narration }) =>
    dryRun(session.composition, {
      world_slug,
      turns,
      answers: answers === undefined ? undefined : { path: answers, place: toPlace(session) },
      write_missing: writeMissing === undefined ? undefined : resolve(session.terminal.working_folder, writeMissing),
      tools,
      connections,
      signal,
      onProgress: narration.onProgress,
      scenario: toNamed(session, options),
      onWorld: (world, database, news) =>
        narration.begin({
          world,
          model: `none, a dry run by ${answers ?? 'answers that are made up'}`,
          has_stand_in: true,
          turns,
          database,
          news: toShown(session, news),
          rerun: { run: dry_rerun, without_model: dry_rerun },
        }),
    }),
  );
}

async function queueFor(session: Session, world_slug: string, options: RunOptions): Promise<ExitCode> {
  const { turns, retries, llm, script, model, toys, dry, answers, anew, tools, connections, reason } = options;
  if (
    [retries, llm, script, model, toys, dry, answers, anew, tools, connections].some((option) => option !== undefined)
  ) {
    const message = '--queue leaves the turns to workers, and their own options set the model and the retries.';
    const repair =
      'Leave --retries, --llm, --model, --script, --toys, --dry, --answers, --anew, --tools and --connections out.';
    return refuseUsage(session, message, repair);
  }
  const scenario = toNamed(session, options);
  const queue = async (engine: Engine) => {
    const changed = scenario && (await adoptNamed(engine, world_slug, scenario));
    if (changed?.ok === false) return changed;
    const report = await make(engine, runTurns, { world_slug, turns }, personHere(reason));
    if (!report.ok) return report;
    return succeed({ ...report.value, ...present({ scenario_adopted_from_turn: changed?.value }) });
  };
  const input = scenario === undefined ? { world_slug, turns } : undefined;
  const queued = await actHereOrThere(session.composition, runTurns, input, reason, queue);
  return answer(session, queued, {
    json: (done) => ('accepted' in done ? done.made : done),
    lines: (done) => ('accepted' in done ? queuedThereLines(done) : queuedLines(done)),
  });
}
