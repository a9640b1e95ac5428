import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../engine/contract/json.js';
import { putScenario } from '../../engine/operations/author.js';
import type { Engine } from '../../engine/operations/engine.js';
import { forkWorld } from '../../engine/operations/fork-world.js';
import { reportCall } from '../../engine/operations/reports.js';
import { type RunReport, runTurns } from '../../engine/operations/run-turns.js';
import { createWorld } from '../../engine/operations/worlds.js';
import { type Answers, type ScriptedModel, scriptPath } from '../../fixtures/toys/scripted-model/index.js';
import type { Toys } from '../../fixtures/toys/index.js';
import type { UnreliableService } from '../../test/support/unreliable-service.js';
import { must } from '../must.js';

/** The services of a scene. */
export interface Stage {
  readonly engine: Engine;
  readonly model: ScriptedModel;
  readonly toys: Toys;
  /** In front of the weather service. */
  readonly weather: UnreliableService;
  /** The folder of the package. */
  readonly root: string;
  /** For copies of documents. */
  readonly scratch: string;
}

/** An attempt that becomes a history. */
export interface Played {
  /** The name of its file. */
  readonly name: string;
  /** One sentence: the behaviour that it exercises. */
  readonly shows: string;
  readonly attempt_id: string;
}

type Scene = (stage: Stage) => Promise<readonly Played[]>;

/** Every scene that is recorded, each in worlds of its own. */
export const SCENES: readonly Scene[] = [
  async (stage) => {
    await makeWorld(stage, 'park', 'park');
    const [first, second] = await play(stage, 'park', { says: 'park', turns: 2 });
    return [
      { name: 'park-turn-1', shows: 'Two subjects act one after the other; one of them calls a tool.', ...first },
      { name: 'park-turn-2', shows: 'A second turn begins with what the first one committed.', ...second },
    ];
  },
  async (stage) => {
    await makeWorld(stage, 'stumbles', 'park');
    const turns = await play(stage, 'stumbles', { says: 'stumbles', turns: 4 });
    return turns.map((turn, index) => ({
      name: `stumbles-turn-${index + 1}`,
      shows: 'A model makes mistakes of content and is corrected.',
      ...turn,
    }));
  },
  async (stage) => {
    await makeWorld(stage, 'clerk', 'clerk');
    const [turn] = await play(stage, 'clerk', { says: 'clerk' });
    return [{ name: 'clerk', shows: 'A workflow has a node of each type.', ...turn }];
  },
  async (stage) => {
    await makeWorld(stage, 'village', 'village');
    const turns = await play(stage, 'village', { says: 'village', turns: 2 });
    return turns.map((turn, index) => ({
      name: `village-turn-${index + 1}`,
      shows: 'Subjects share a reading, see recent events, and may change only what they perceive.',
      ...turn,
    }));
  },
  async (stage) => {
    await makeWorld(stage, 'letters', 'letters');
    const [waits] = await play(stage, 'letters', { says: 'letters' });
    await makeWorld(stage, 'letters-answered', 'letters');
    const { awaited } = await run(stage, 'letters-answered', { says: 'letters' });
    const answer = { status: 'answered', from: 'Emil', body: 'I come with the first snow.', postage: 'paid' };
    const call = awaited?.[0]?.source_invocation_id ?? '';
    must(await reportCall(stage.engine, call, { kind: 'answered', value: answer }));
    const [answered] = await play(stage, 'letters-answered', { says: 'letters' });
    return [
      { name: 'letters-suspended', shows: 'A tool is answered later, and the attempt suspends.', ...waits },
      { name: 'letters-answered', shows: 'An attempt resumes with the answer that was reported.', ...answered },
    ];
  },
  async (stage) => {
    await makeWorld(stage, 'out-of-order', 'out-of-order', { 'out-of-order/workflow.json': readWeather });
    stage.weather.will({ kind: 'status', status: 500 });
    const [turn] = await play(stage, 'out-of-order', { says: 'out-of-order' });
    return [
      {
        name: 'failures-passed-on',
        shows: 'A failed reading is absent, and a failed tool call is reported to the model.',
        ...turn,
      },
    ];
  },
  async (stage) => {
    await makeWorld(stage, 'retries', 'ambient-weather', { 'sources/park-weather.json': withRetry });
    stage.weather.will({ kind: 'status', status: 503 }, { kind: 'status', status: 503 });
    const [turn] = await play(stage, 'retries', { says: 'ambient-weather' });
    return [{ name: 'transport-retries', shows: 'A reading succeeds at its second retry.', ...turn }];
  },
  async (stage) => {
    await makeWorld(stage, 'adoption', 'bob-and-ant');
    const says = await loadScript(stage, 'bob-and-ant');
    const broken = { ...says.turns['1'], 'ant/act/round-1/try-1': { status: 503 } };
    const [failed] = await play(stage, 'adoption', { says: { ...says, turns: { ...says.turns, '1': broken } } });
    const [adopts] = await play(stage, 'adoption', { says });
    return [
      { name: 'model-unavailable', shows: 'A model that answers 503 fails the attempt.', ...failed },
      { name: 'adoption', shows: 'A new attempt adopts the calls of one that failed.', ...adopts },
    ];
  },
  async (stage) => {
    await makeWorld(stage, 'forked-from', 'simple');
    await run(stage, 'forked-from', { says: 'simple', turns: 2 });
    const scenario_hash = await store(stage, 'simple', { 'simple/workflow.json': withLabel });
    const forked = { source_slug: 'forked-from', at_turn: 1, world_slug: 'fork', scenario: { scenario_hash } };
    must(await forkWorld(stage.engine, forked));
    const [turn] = await play(stage, 'fork', { says: 'simple' });
    return [{ name: 'fork', shows: 'A fork continues from its parent by an edited workflow.', ...turn }];
  },
  async (stage) => {
    await makeWorld(stage, 'exhausted', 'simple');
    const words = Object.fromEntries([1, 2, 3].map((number) => [`bob/act/round-1/try-${number}`, { text: 'Hm.' }]));
    const [turn] = await play(stage, 'exhausted', { says: { version: 1, label: 'hm', turns: { '*': words } } });
    return [{ name: 'generations-exhausted', shows: 'A model never gives a valid answer.', ...turn }];
  },
];

type Edits = Readonly<Record<string, (document: JsonObject) => JsonObject>>;

interface Turns {
  /** The name of a script, or a script. */
  readonly says: string | Answers;
  readonly turns?: number;
}

type Turn = Pick<Played, 'attempt_id'>;

async function makeWorld(stage: Stage, world_slug: string, scenario: string, edits: Edits = {}): Promise<void> {
  must(await createWorld(stage.engine, { world_slug, scenario_hash: await store(stage, scenario, edits) }));
}

/** Stores a scenario of `workflows/` with some documents changed. @returns its hash */
async function store({ engine, root, scratch }: Stage, scenario: string, edits: Edits): Promise<string> {
  const folder = await mkdtemp(join(scratch, 'documents-'));
  await cp(join(root, 'workflows'), folder, { recursive: true });
  for (const [path, edit] of Object.entries(edits)) {
    const document = JSON.parse(await readFile(join(folder, path), 'utf8')) as JsonObject;
    await writeFile(join(folder, path), JSON.stringify(edit(document)));
  }
  return must(
    await putScenario(engine, join(folder, scenario, 'scenario.json'), { working_folder: folder, root: folder }),
  );
}

/** Runs turns. @returns the attempts, at least as many as the caller destructures */
async function play(stage: Stage, world_slug: string, turns: Turns): Promise<Attempts> {
  const report = await run(stage, world_slug, turns);
  const attempts = report.turns.map(({ attempt_id }) => ({ attempt_id }));
  assert.equal(attempts.length, turns.turns ?? 1, `${world_slug}: ${JSON.stringify(report.turns)}`);
  return attempts as unknown as Attempts;
}

/** As many attempts as turns were requested: callers know how many. */
type Attempts = readonly Turn[] & Readonly<Record<0 | 1, Turn>>;

async function run(stage: Stage, world_slug: string, { says, turns = 1 }: Turns): Promise<RunReport> {
  stage.model.setScript(typeof says === 'string' ? await loadScript(stage, says) : says);
  const signal = new AbortController().signal;
  return must(await runTurns(stage.engine, { world_slug, turns, signal, onProgress: () => {} }));
}

async function loadScript({ root }: Stage, name: string): Promise<Answers> {
  return JSON.parse(await readFile(scriptPath(root, name), 'utf8')) as Answers;
}

const withRetry = (source: JsonObject): JsonObject => ({
  ...source,
  retry: { max: 3, on: ['http_5xx'], backoff_ms: 1, backoff_max_ms: 1 },
});

const withLabel = (workflow: JsonObject): JsonObject => ({ ...workflow, label: 'simple-edited' });

const readWeather = (workflow: JsonObject): JsonObject => ({
  ...workflow,
  ambient_sources: (workflow['ambient_sources'] as readonly JsonObject[]).map((binding) => ({
    ...binding,
    source_ref: { path: '../sources/park-weather.json' },
    request_template: {
      environment_label: 'park',
      turn: { $from: '/world/attempted_turn' },
      simulation_time: { $from: '/world/simulation_time' },
    },
  })),
});
