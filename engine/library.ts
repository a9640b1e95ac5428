/**
 * The library: what `import('chukwa')` gives. An engine that is opened here leaves its process alone: it installs no handler
 * of signals or uncaught errors, changes no exit code and no built-in. docs/library.md shows it at work.
 */
import { present } from './contract/present.js';
import { compose } from './main.js';
import { checkPaths, readScenario } from './operations/author.js';
import { type DiffRequest, diffPlaces, type WorldDiff } from './operations/diff-worlds.js';
import type { Finding } from './operations/documents/index.js';
import { type Done, type Engine, whileReachable } from './operations/engine.js';
import { listAttempts, showAttempt, showInvocation, showLlmCall, type WorldAttempts } from './operations/records.js';
import { type RunReport, runTurns } from './operations/run-turns.js';
import { createWorld, listWorlds, showWorld } from './operations/worlds.js';
import type { AttemptRecord, InvocationRecord, LlmCallRecord } from './ports/records.js';
import type { WorldSnapshot } from './ports/worlds.js';
import type { Progress } from './runtime/progress.js';

export type { Problem } from './contract/problem.js';
export type { Finding } from './operations/documents/index.js';
export type { DiffRequest, WorldDiff } from './operations/diff-worlds.js';
export type { Done, Refused } from './operations/engine.js';
export type { WorldAttempts } from './operations/records.js';
export type { RunReport, TurnReport } from './operations/run-turns.js';
export type { AttemptRecord, InvocationRecord, LlmCallRecord } from './ports/records.js';
export type { WorldSnapshot } from './ports/worlds.js';
export type { Progress } from './runtime/progress.js';

/** How an engine is opened. */
export interface Configuration {
  /** The variables of the README's table of the environment. The process's own where it is left out. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** From which relative paths of documents count; the process's own where it is left out. */
  readonly working_folder?: string;
  /** How far documents may refer, as `--root`; by default as far as the command line lets them. */
  readonly root?: string;
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
  createWorld(world_slug: string, scenario_path: string): Promise<Done<WorldSnapshot>>;
  listWorlds(): ReturnType<typeof listWorlds>;
  /** A world as it stands, or as it stood at a turn. */
  showWorld(world_slug: string, turn?: number): Promise<Done<WorldSnapshot>>;
  diffPlaces(request: DiffRequest): Promise<Done<WorldDiff>>;
  /** Runs turns here and now. A failed attempt is in the report, and no refusal. */
  runTurns(world_slug: string, options?: RunOptions): Promise<Done<RunReport>>;
  listAttempts(world_slug: string): Promise<Done<WorldAttempts>>;
  showAttempt(attempt_id: string): Promise<Done<AttemptRecord>>;
  showInvocation(source_invocation_id: string): Promise<Done<InvocationRecord>>;
  showLlmCall(llm_call_id: string): Promise<Done<LlmCallRecord>>;
  /** Ends connections, programs and the database; call it once, when nothing is under way. */
  close(): Promise<void>;
}

/**
 * Opens an engine on the configured database, and migrates it.
 * @returns a refusal where the database cannot be opened, or another process has it
 */
export async function openEngine(configuration: Configuration = {}): Promise<Done<OpenEngine>> {
  const composition = await compose(configuration.variables ?? process.env);
  const opened = await composition.openEngine();
  return opened.ok ? { ok: true, value: toOpenEngine(opened.value, configuration) } : opened;
}

function toOpenEngine(engine: Engine, { working_folder = process.cwd(), root }: Configuration): OpenEngine {
  const place = { working_folder, ...present({ root }) };
  return {
    validate: async (paths) => {
      const { ok, findings } = await checkPaths(engine.authoring, { place, paths });
      return { ok, findings };
    },
    createWorld: (world_slug, scenario_path) =>
      whileReachable(engine, async () => {
        const usable = await readScenario(engine, scenario_path, place);
        return usable.ok ? createWorld(engine, { world_slug, usable: usable.value }) : usable;
      }),
    listWorlds: () => whileReachable(engine, listWorlds),
    showWorld: (world_slug, turn) =>
      whileReachable(engine, () => showWorld(engine, { world_slug, ...present({ turn }) })),
    diffPlaces: (request) => whileReachable(engine, () => diffPlaces(engine, request)),
    runTurns: (world_slug, { turns = 1, signal = new AbortController().signal, onProgress = () => {} } = {}) =>
      whileReachable(engine, () => runTurns(engine, { world_slug, turns, signal, onProgress })),
    listAttempts: (world_slug) => whileReachable(engine, () => listAttempts(engine, world_slug)),
    showAttempt: (id) => whileReachable(engine, () => showAttempt(engine, id)),
    showInvocation: (id) => whileReachable(engine, () => showInvocation(engine, id)),
    showLlmCall: (id) => whileReachable(engine, () => showLlmCall(engine, id)),
    close: () => engine.close(),
  };
}
