import { resolve } from 'node:path';
import type { Command } from 'commander';
import { adoptNamed, type NamedScenario } from '../../../operations/change-scenario.js';
import { displayName } from '../../../operations/documents/index.js';
import { dryRun } from '../../../operations/dry-run/index.js';
import { queueTurns } from '../../../operations/run-worker.js';
import type { Narrowing } from '../../../operations/narrow-run.js';
import { runWorld, type ScenarioNews, type WatchedRun } from '../../../operations/run-world.js';
import {
  editedScenarioOption,
  listOption,
  retriesOption,
  rootOption,
  serveOption,
  slugArgument,
  toWords,
  turnsOption,
} from '../arguments.js';
import { askPerson } from '../asked-person.js';
import type { ExitCode } from '../exit-code.js';
import {
  chooseModel,
  type Chosen,
  llmOrPersonOption,
  modelOption,
  type ModelOptions,
  scriptOption,
} from '../model-choice.js';
import { type RootOptions, toPlace } from '../place.js';
import type { Narration } from '../narration.js';
import { playTurns } from '../play-turns.js';
import { queuedLines } from '../render/queue.js';
import { answer, type Perform, printProblem, type Session, withEngine } from '../session.js';
import { toShell } from '../shell.js';
import { serveAfterRun } from './serve.js';

interface RunOptions extends ModelOptions, Narrowing, RootOptions {
  readonly scenario?: string;
  readonly turns: number;
  readonly retries?: number;
  readonly queue?: boolean;
  readonly serve?: boolean;
  readonly anew?: boolean;
  readonly dry?: boolean;
  readonly answers?: string;
  readonly writeMissing?: string;
}

export function addRun(program: Command, perform: Perform): void {
  program
    .command('run')
    .addArgument(slugArgument())
    .description('Run turns of a world and show them as they happen, or queue them for workers.')
    .addOption(turnsOption(1))
    .addOption(retriesOption())
    .addOption(llmOrPersonOption())
    .addOption(modelOption())
    .addOption(scriptOption())
    .addOption(
      listOption('--tools', 'offer models these tools only, of those that the policy allows; names between commas'),
    )
    .addOption(listOption('--connections', 'grant these connections only, of those that the profile grants'))
    .addOption(editedScenarioOption('adopt edited documents from the next turn on'))
    .addOption(rootOption())
    .option('--queue', 'leave the turns to workers, which ask the model of their own environment')
    .addOption(serveOption())
    .option('--anew', 'start over after an attempt that failed: its side effects may be repeated, also those in doubt')
    .option('--dry', 'try it on a copy that is thrown away; nothing outside is asked')
    .option('--answers <file>', 'what models and sources answer in a dry run')
    .option(
      '--write-missing <file>',
      'in a dry run, write the answers and, made up by the schemas, those that are missing into a new file',
    )
    .action((slug: string, options: RunOptions) => perform((session) => run(session, slug, options)));
}

async function run(session: Session, world_slug: string, options: RunOptions): Promise<ExitCode> {
  const { turns, retries = 0, dry, answers, queue, llm, script, model, tools, connections } = options;
  if (queue === true) return queueFor(session, world_slug, options);
  if (dry === true || answers !== undefined || options.writeMissing !== undefined)
    return runDry(session, world_slug, options);
  const choice = await chooseModel(session, options);
  if (!choice.ok) return choice.code;
  const narrowed = toWords({ tools, connections });
  const rerun = {
    run: ['run', world_slug, ...toWords({ llm, script, model }), ...narrowed],
    without_model: ['run', world_slug, ...narrowed],
  };
  const code = await playTurns(session, ({ signal, narration }) =>
    runWorld(session.composition, {
      world_slug,
      turns,
      ...(options.anew === undefined ? {} : { anew: options.anew }),
      ...narrowingOf(options),
      retries,
      rerun: toShell(['chukwa', ...rerun.run]),
      ...choice.asked,
      ...personOf(session, choice, narration),
      signal,
      onProgress: narration.onProgress,
      ...scenarioOf(session, options),
      onWorld: (world, database, news) =>
        narration.begin({ ...choice, world, turns, database, news: toShown(session, news), rerun }),
    }),
  );
  return options.serve === true ? serveAfterRun(session, code, { ...choice.asked, with_toys: false }) : code;
}

function narrowingOf({ tools, connections }: Narrowing): Narrowing {
  return { ...(tools === undefined ? {} : { tools }), ...(connections === undefined ? {} : { connections }) };
}

/** The stand-in for the model, where there is one. */
function personOf(
  { terminal }: Session,
  { ask }: Pick<Chosen, 'ask'>,
  { close }: Narration,
): Pick<WatchedRun, 'person'> {
  return ask === undefined ? {} : { person: askPerson({ error: terminal.error, ask }, close) };
}

/** The scenario to go on by, where one is named. */
function scenarioOf(session: Session, { scenario, ...options }: RunOptions): { readonly scenario?: NamedScenario } {
  return scenario === undefined ? {} : { scenario: { scenario, place: toPlace(session, options) } };
}

/** What is new about a scenario, with paths as a person would write them in the working folder. */
function toShown({ terminal }: Session, { edited, adopted_from_turn }: ScenarioNews): ScenarioNews {
  if (edited === undefined) return { adopted_from_turn };
  const shown = (file: string): string => displayName(file, terminal.working_folder);
  const { files, scenario, root } = edited;
  const shown_root = root === undefined ? {} : { root: shown(root) };
  return { edited: { files: files.map(shown), scenario: shown(scenario), ...shown_root }, adopted_from_turn };
}

async function runDry(session: Session, world_slug: string, options: RunOptions): Promise<ExitCode> {
  const { turns, dry, answers, llm, script, model, anew, writeMissing, tools, connections } = options;
  const refuse = (message: string, repair: string): ExitCode =>
    printProblem(session, { code: 'USAGE', message, repair });
  if (answers === undefined && writeMissing === undefined)
    return refuse('A dry run asks nobody, so it needs the answers.', 'Add --answers FILE, or --write-missing FILE.');
  if (dry !== true)
    return refuse(
      '--answers and --write-missing are for dry runs.',
      'Add --dry, or use --llm scripted --script FILE for the model alone.',
    );
  if (anew !== undefined) return refuse('A dry run begins anew on a copy in any case.', 'Leave --anew out.');
  if (llm !== undefined || script !== undefined || model !== undefined)
    return refuse('A dry run asks no model: --answers says what it says.', 'Leave --llm, --script and --model out.');
  const dry_rerun = ['run', world_slug, '--dry', ...toWords({ answers: writeMissing ?? answers, tools, connections })];
  return playTurns(session, ({ signal, narration }) =>
    dryRun(session.composition, {
      world_slug,
      turns,
      ...(answers === undefined ? {} : { answers: { path: answers, place: toPlace(session, {}) } }),
      ...(writeMissing === undefined ? {} : { write_missing: resolve(session.terminal.working_folder, writeMissing) }),
      ...narrowingOf(options),
      signal,
      onProgress: narration.onProgress,
      ...scenarioOf(session, options),
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
  const { turns, retries, llm, script, model, dry, answers, anew, tools, connections } = options;
  if ([retries, llm, script, model, dry, answers, anew, tools, connections].some((option) => option !== undefined)) {
    const message =
      '--queue leaves the turns to workers: who answers, and how often a turn is tried anew, is said there.';
    const repair =
      'Leave --retries, --llm, --model, --script, --dry, --answers, --anew, --tools and --connections out.';
    return printProblem(session, { code: 'USAGE', message, repair });
  }
  const { scenario } = scenarioOf(session, options);
  const queued = await withEngine(session, async (engine) => {
    const changed = scenario && (await adoptNamed(engine, world_slug, scenario));
    return changed?.ok === false ? changed : queueTurns(engine, { world_slug, turns });
  });
  return answer(session, queued, {
    lines: queuedLines,
  });
}
