import type { Outcome } from '../../engine/contract/problem.js';
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../engine/contract/json.js';
import { compose } from '../../engine/main.js';
import { putScenario } from '../../engine/operations/authoring/author.js';
import type { Engine } from '../../engine/operations/engine.js';
import { showAttempt, type ShownAttempt, showInvocation, showLlmCall } from '../../engine/operations/browse/records.js';
import { type RunReport, runTurns } from '../../engine/operations/running/run-turns.js';
import { createWorld, showWorld } from '../../engine/operations/worlds/worlds.js';
import type { InvocationRecord, LlmCallRecord } from '../../engine/ports/records.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import type { Progress } from '../../engine/runtime/progress.js';
import {
  type Answers,
  type ScriptedModel,
  scriptPath,
  startScriptedModel,
} from '../../fixtures/toys/scripted-model/index.js';
import { startToys, type Toys } from '../../fixtures/toys/index.js';
import { type DatabaseKind, openTestDatabase, type OutsideView } from './databases.js';
import { makeFolder, type Scope } from './folder.js';

/** The package's folder. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The scene of a fresh world. */
export interface Scene {
  /** A folder of `workflows/` with a scenario. */
  readonly scenario: string;
  /** Where that folder stands instead of among the documents that ship: see `editWorkflows`. */
  readonly workflows?: string;
  /** The model's answers; the script of the scenario's name where they are left out. */
  readonly says?: Answers;
  /** 1 where it is left out. */
  readonly turns?: number;
  readonly signal?: AbortSignal;
}

export interface Play {
  readonly world_slug: string;
  readonly report: RunReport;
  /** In the order of their turns. */
  readonly attempts: readonly ShownAttempt[];
  readonly before: WorldSnapshot;
  readonly after: WorldSnapshot;
  readonly progress: readonly Progress[];
}

/** The real engine on a real database, with real toys and a real scripted model to talk to over HTTP. */
export interface ParkStage {
  readonly engine: Engine;
  readonly toys: Toys;
  readonly model: ScriptedModel;
  /** The variables that lead an engine here, the database's included. */
  readonly variables: Readonly<Record<string, string>>;
  /** A connection that is not the engine's; PostgreSQL only. */
  readonly outside: OutsideView | undefined;
  /** Stores the documents, makes a fresh world, and runs its first turns. */
  play(scene: Scene): Promise<Play>;
  /** Stores the documents and makes a fresh world. */
  makeWorld(scene: Pick<Scene, 'scenario' | 'workflows'>): Promise<WorldSnapshot>;
  /** Runs further turns of a world, saying what the model was last told to say. */
  run(world: WorldSnapshot, scene?: Pick<Scene, 'turns' | 'signal'>): Promise<Play>;
  invocation(id: string): Promise<InvocationRecord>;
  llmCall(id: string | null): Promise<LlmCallRecord>;
  world(slug: string, turn?: number): Promise<WorldSnapshot>;
  close(): Promise<void>;
}

/** Variables that a test wants otherwise, such as a URL with credentials. */
export type Overrides = (variables: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;

/** Opens a stage. Close it. */
export async function openParkStage(kind: DatabaseKind, overrides: Overrides = () => ({})): Promise<ParkStage> {
  const database = kind === 'PostgreSQL' ? await openTestDatabase(kind) : undefined;
  const [toys, model] = await Promise.all([startToys(), startScriptedModel(SILENT)]);
  const here = {
    ...toys.variables,
    CHUKWA_DATABASE_URL: database?.url ?? 'memory:',
    CHUKWA_LLM_BASE_URL: model.url,
    CHUKWA_LLM_API_KEY: 'loopback-needs-no-key',
  };
  const variables = { ...here, ...overrides(here) };
  const engine = must(await (await compose(variables)).openEngine());
  const close = async (): Promise<void> => {
    await engine.close();
    await Promise.all([toys.close(), model.close(), database?.close()]);
  };
  return { engine, toys, model, variables, outside: database?.outside, close, ...actionsOn(engine, model) };
}

const SILENT: Answers = { version: 1, label: 'silent', turns: {} };

/**
 * Describes the same behaviour on both databases. `open` gives the stage that the whole description shares, its toys
 * and its model as freshly started.
 */
export function onEachDatabase(name: string, define: (open: () => Promise<ParkStage>) => void): void {
  for (const kind of ['embedded', 'PostgreSQL'] as const) {
    describe(`${name} (${kind})`, () => define(sharedStage(kind)));
  }
}

/**
 * A stage that all tests of the running description, or file, share; closed at its end. Each call finds it as freshly started.
 */
export function sharedStage(kind: DatabaseKind, overrides?: Overrides): () => Promise<ParkStage> {
  let opened: Promise<ParkStage> | undefined;
  after(async () => (await opened)?.close());
  return async () => {
    const stage = await (opened ??= openParkStage(kind, overrides));
    stage.toys.reset();
    stage.model.reset();
    return stage;
  };
}

type Actions = Pick<ParkStage, 'play' | 'makeWorld' | 'run' | 'invocation' | 'llmCall' | 'world'>;

function actionsOn(engine: Engine, model: ScriptedModel): Actions {
  let made = 0;
  const makeWorld: Actions['makeWorld'] = async ({ scenario, workflows = join(ROOT, 'workflows') }) => {
    const place = { working_folder: workflows, root: workflows };
    const scenario_hash = must(await putScenario(engine, join(workflows, scenario, 'scenario.json'), place));
    return must(await createWorld(engine, { world_slug: `${scenario}-${(made += 1)}`, scenario_hash }));
  };
  const run: Actions['run'] = (world, scene = {}) => runWorld(engine, world, scene);
  return {
    makeWorld,
    run,
    play: async (scene) => {
      model.setScript(scene.says ?? (await loadScript(scene.scenario)));
      return run(await makeWorld(scene), scene);
    },
    invocation: async (id) => must(await showInvocation(engine, id)),
    llmCall: async (id) => must(await showLlmCall(engine, id ?? '')),
    world: async (world_slug, turn) =>
      must(await showWorld(engine, { world_slug, ...(turn === undefined ? {} : { turn }) })),
  };
}

async function runWorld(
  engine: Engine,
  before: WorldSnapshot,
  { turns = 1, signal = new AbortController().signal }: Pick<Scene, 'turns' | 'signal'>,
): Promise<Play> {
  const { world_slug } = before;
  const progress: Progress[] = [];
  const onProgress = (event: Progress): void => void progress.push(event);
  const report = must(await runTurns(engine, { world_slug, turns, signal, onProgress }));
  const attempts = await Promise.all(
    report.turns.map(async ({ attempt_id }) => must(await showAttempt(engine, attempt_id))),
  );
  return { world_slug, report, attempts, before, after: must(await showWorld(engine, { world_slug })), progress };
}

/** The value of an operation. @throws AssertionError with the reason of a refusal */
export function must<Value>(done: Outcome<Value>): Value {
  assert.ok(done.ok, JSON.stringify(done, null, 2));
  return done.value;
}

/** A script that ships. */
export async function loadScript(name: string): Promise<Answers> {
  return JSON.parse(await readFile(scriptPath(ROOT, name), 'utf8')) as Answers;
}

/** Copies a folder with all that it holds, for a quarter of the CPU that an asynchronous copy takes. */
export function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
}

/** Changes a document. */
export type Edit = (document: JsonObject) => JsonObject;

/**
 * A copy of `workflows/` in which some documents are changed; it goes with the test.
 * @param edits by path in that folder
 */
export async function editWorkflows(test: Scope, edits: Readonly<Record<string, Edit>>): Promise<string> {
  const folder = await makeFolder(test);
  copyFolder(join(ROOT, 'workflows'), folder);
  for (const [path, edit] of Object.entries(edits)) {
    const file = join(folder, path);
    const document = JSON.parse(await readFile(file, 'utf8')) as JsonObject;
    await writeFile(file, JSON.stringify(edit(document), null, 2));
  }
  return folder;
}

/** The documents in which a person must approve each letter. */
export function lettersToApprove(test: Scope, also: JsonObject = {}): Promise<string> {
  return editWorkflows(test, {
    'policies/letters.json': (policy) => ({ ...policy, require_approval: ['write_letter'], ...also }),
  });
}

/** Lets every tool of a workflow be answered later, until then. */
export const withDeadline =
  (pending_deadline_ms: number): Edit =>
  (document) => ({
    ...document,
    nodes: (document['nodes'] as readonly JsonObject[]).map((node) => ({
      ...node,
      available_tools: (node['available_tools'] as readonly JsonObject[]).map((tool) => ({
        ...tool,
        pending_deadline_ms,
      })),
    })),
  });
