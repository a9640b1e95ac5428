/**
 * The library: what `import('chukwa')` gives. An engine that is opened here leaves its process alone: it installs no handler
 * of signals or uncaught errors, changes no exit code and no built-in. docs/library.md shows it at work.
 */
import { type Outcome, succeed } from './contract/problem.js';
import type { Json } from './contract/json.js';
import { present } from './contract/present.js';
import { compose } from './main.js';
import { act, forkByHand, make, stopHere } from './catalogue/act.js';
import { reportCall, settleCallOfAttempt } from './catalogue/actions/calls.js';
import { deleteWorld } from './catalogue/actions/worlds.js';
import { checkPaths, readScenario } from './operations/authoring/author.js';
import type { Composition } from './operations/composition.js';
import type { Deleted } from './operations/worlds/delete-world.js';
import { type DiffRequest, diffPlaces, type WorldDiff } from './operations/worlds/diff-worlds.js';
import type { Finding } from './operations/documents/index.js';
import { type Engine, whileReachable } from './operations/engine.js';
import { personHere } from './operations/people/person-here.js';
import {
  listAttempts,
  showAttempt,
  showInvocation,
  showLlmCall,
  type WorldAttempts,
} from './operations/browse/records.js';
import type { Acknowledgement, SaidReport } from './operations/settling/reports.js';
import { type RunReport, runTurns } from './operations/running/run-turns.js';
import type { SettledCall } from './operations/settling/settle-call.js';
import { findScript, startStage } from './operations/running/stage.js';
import { testPaths, type TestReport, type TestResult } from './operations/workflow-tests/index.js';
import { createWorld, listWorlds, showWorld } from './operations/worlds/worlds.js';
import type { AttemptRecord, InvocationRecord, LlmCallRecord } from './ports/records.js';
import type { WorldSnapshot } from './ports/worlds.js';
import type { Progress } from './runtime/progress.js';
import type { Authorise } from './sources/index.js';

export type { Json } from './contract/json.js';
export type { Problem } from './contract/problem.js';
export type { Deleted } from './operations/worlds/delete-world.js';
export type { Finding } from './operations/documents/index.js';
export type { DiffRequest, WorldDiff } from './operations/worlds/diff-worlds.js';
export type { Outcome, Refused } from './contract/problem.js';
export type { WorldAttempts } from './operations/browse/records.js';
export type { Acknowledgement, SaidReport } from './operations/settling/reports.js';
export type { RunReport, TurnReport } from './operations/running/run-turns.js';
export type { SettledCall } from './operations/settling/settle-call.js';
export type { TestChange, TestReport, TestResult } from './operations/workflow-tests/index.js';
export type { AttemptRecord, InvocationRecord, LlmCallRecord } from './ports/records.js';
export type { WorldSnapshot } from './ports/worlds.js';
export type { AuthorisationQuestion, Authorise } from './sources/index.js';
export type { Progress } from './runtime/progress.js';

/** How an engine is opened. */
export interface Configuration {
  /** The variables of the README's table of the environment. The process's own where it is left out. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** From which relative paths of documents count; the process's own where it is left out. */
  readonly working_folder?: string;
  /** How far documents may refer, as `--root`; by default as far as the command line lets them. */
  readonly root?: string;
  /** Answers in place of every model: the name of a script that ships, or a file of answers, as `--script`. */
  readonly script?: string;
  /** Is asked before each call of a source, and may refuse it. No answer within five seconds is a no. */
  readonly authorise?: Authorise;
}

/** Which turn a fork begins after, and how it goes on. */
export interface ForkOptions {
  /** The last turn that both worlds share. */
  readonly at: number;
  /** The name of the new world. */
  readonly as: string;
  /** Edited documents, by the path of a scenario or its hash; those of the turn where it is left out. */
  readonly scenario?: string;
  /** Kept in the record, as everywhere below. */
  readonly reason?: string;
}

/** The outcome of a call in doubt, as a person found it out. */
export interface Settlement {
  /** The call, where several are in doubt. */
  readonly source_invocation_id?: string;
  /** It took place, and this is its answer. Left out, it did not take place. */
  readonly answer?: Json;
  readonly reason?: string;
}

/** How tests are run. */
export interface TestOptions {
  /** Brings the files up to date, as `test --update`; with `drops`, as `--drop` too. */
  readonly update?: { readonly drops: boolean };
  readonly signal?: AbortSignal;
  readonly onResult?: (result: TestResult) => void;
}

/** How turns are run. */
export interface RunOptions {
  /** How many turns, one after the other; 1 where it is left out. The first that fails ends the run. */
  readonly turns?: number;
  /** Stops the attempt that is under way, when it is aborted. */
  readonly signal?: AbortSignal;
  /** Called with each thing that happens, as it happens. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The findings of a check. `ok` without errors, with or without notes. */
export interface Checked {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

/**
 * An open engine. A failure that a person can mend is a refusal, `{ok: false, because, problems}`, and each problem has
 * a code, a sentence and a repair. A thrown error is a bug.
 */
export interface OpenEngine {
  /** Checks files and folders, and all that they refer to. */
  validate(paths: readonly string[]): Promise<Checked>;
  /** Makes a world of a scenario's file, which is stored with all that it refers to. */
  createWorld(world_slug: string, scenario_path: string): Promise<Outcome<WorldSnapshot>>;
  listWorlds(): ReturnType<typeof listWorlds>;
  /** A world as it stands, or as it stood at a turn. */
  showWorld(world_slug: string, turn?: number): Promise<Outcome<WorldSnapshot>>;
  diffPlaces(request: DiffRequest): Promise<Outcome<WorldDiff>>;
  /** Runs turns here and now. A failed attempt is in the report, and no refusal. */
  runTurns(world_slug: string, options?: RunOptions): Promise<Outcome<RunReport>>;
  /** Makes a world that shares the turns of another up to one of them. */
  forkWorld(world_slug: string, options: ForkOptions): Promise<Outcome<WorldSnapshot>>;
  /** Deletes a world with all that is recorded of it, for good and without a question. */
  deleteWorld(world_slug: string): Promise<Outcome<Deleted>>;
  /** Runs tests of workflows, in memory and without a call. A failed test is in the report, and no refusal. */
  test(paths: readonly string[], options?: TestOptions): Promise<Outcome<TestReport>>;
  /** Reports how a pending call, or one in doubt, ended: by its id or the alias that its service gave it. */
  report(correlation_id: string, said: SaidReport): Promise<Outcome<Acknowledgement>>;
  /** Decides whether a call in doubt of a failed attempt took place. */
  settle(attempt_id: string, settlement: Settlement): Promise<Outcome<SettledCall>>;
  /** Stops an attempt that runs or is suspended. */
  stop(attempt_id: string, reason?: string): Promise<Outcome<Acknowledgement>>;
  listAttempts(world_slug: string): Promise<Outcome<WorldAttempts>>;
  showAttempt(attempt_id: string): Promise<Outcome<AttemptRecord>>;
  showInvocation(source_invocation_id: string): Promise<Outcome<InvocationRecord>>;
  showLlmCall(llm_call_id: string): Promise<Outcome<LlmCallRecord>>;
  /** Ends connections, programs and the database; call it once, when nothing is under way. */
  close(): Promise<void>;
}

/**
 * Opens an engine on the configured database, and migrates it.
 * @returns a refusal where the database cannot be opened, or another process has it
 */
export async function openEngine(configuration: Configuration = {}): Promise<Outcome<OpenEngine>> {
  const composition = await compose(configuration.variables ?? process.env, undefined, configuration.authorise);
  const { script, working_folder = process.cwd() } = configuration;
  const file = script === undefined ? undefined : await findScript(composition, working_folder, script);
  if (file?.ok === false) return file;
  const stage = await startStage(composition, { with_toys: false, ...present({ answers_file: file?.value }) });
  if (!stage.ok) return stage;
  const opened = await composition.openEngine(stage.value);
  if (!opened.ok) {
    await stage.value.close();
    return opened;
  }
  const engine = opened.value;
  const close = async () => {
    await engine.close();
    await stage.value.close();
  };
  return succeed(toOpenEngine({ ...engine, close }, composition, configuration));
}

function toOpenEngine(
  engine: Engine,
  composition: Composition,
  { working_folder = process.cwd(), root }: Configuration,
): OpenEngine {
  const place = { working_folder, ...present({ root }) };
  const reach = <Value>(task: (engine: Engine) => Promise<Outcome<Value>>) => whileReachable(engine, task);
  return {
    validate: async (paths) => {
      const { ok, findings } = await checkPaths(engine.authoring, { place, paths });
      return { ok, findings };
    },
    createWorld: (world_slug, scenario_path) =>
      reach(async () => {
        const usable = await readScenario(engine, scenario_path, place);
        return usable.ok ? createWorld(engine, { world_slug, usable: usable.value }) : usable;
      }),
    listWorlds: () => reach(listWorlds),
    showWorld: (world_slug, turn) => reach(() => showWorld(engine, { world_slug, ...present({ turn }) })),
    diffPlaces: (request) => reach(() => diffPlaces(engine, request)),
    runTurns: (world_slug, { turns = 1, signal = new AbortController().signal, onProgress = () => {} } = {}) =>
      reach(() => runTurns(engine, { world_slug, turns, signal, onProgress })),
    forkWorld: (world_slug, { at: at_turn, as, scenario, reason }) =>
      reach(async () => {
        const named = scenario === undefined ? undefined : { scenario, place };
        const request = { world_slug, at_turn, as, ...present({ named }) };
        const forked = await forkByHand(engine, request, personHere(reason, 'library'));
        return forked.ok ? succeed(forked.value.world) : forked;
      }),
    deleteWorld: (world_slug) =>
      reach(() => make(engine, deleteWorld, { world_slug }, personHere(undefined, 'library'))),
    test: (paths, { update, signal = new AbortController().signal, onResult = () => {} } = {}) => {
      // Scenarios that tests name by hash are read from the database that is open.
      const openArchive = async () => succeed({ store: engine.store, close: async () => {} });
      return testPaths({ ...composition, openArchive }, { place, paths, update, signal, onResult });
    },
    report: (source_invocation_id, said) => {
      const [answer, reason] = said.kind === 'answered' ? [said.value] : [undefined, said.message];
      const input = { source_invocation_id, ...present({ answer }) };
      return reach(() => act(engine, reportCall, input, personHere(reason, 'library')));
    },
    settle: (attempt_id, { reason, source_invocation_id: call, answer }) => {
      const input = { attempt_id, ...present({ call, answer }) };
      return reach(() => make(engine, settleCallOfAttempt, input, personHere(reason, 'library')));
    },
    stop: (attempt_id, reason) => reach(() => stopHere(engine, attempt_id, personHere(reason, 'library'))),
    listAttempts: (world_slug) => reach(() => listAttempts(engine, world_slug)),
    showAttempt: (id) => reach(() => showAttempt(engine, id)),
    showInvocation: (id) => reach(() => showInvocation(engine, id)),
    showLlmCall: (id) => reach(() => showLlmCall(engine, id)),
    close: () => engine.close(),
  };
}
