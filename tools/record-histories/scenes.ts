import type { JsonObject } from '../../engine/contract/json.js';
import { putScenario } from '../../engine/operations/authoring/author.js';
import { forkWorld } from '../../engine/operations/worlds/fork-world.js';
import { reportCall } from '../../engine/operations/settling/reports.js';
import { showWorld } from '../../engine/operations/worlds/worlds.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
import type { Scope } from '../../test/support/folder.js';
import { type Edit, editWorkflows, loadScript, must, type ParkStage } from '../../test/support/park-stage.js';
import type { UnreliableService } from '../../test/support/unreliable-service.js';

/** The services of a scene. */
export interface Stage extends ParkStage {
  /** In front of the weather service. */
  readonly weather: UnreliableService;
  /** A copy of `workflows/` with some documents changed. */
  edit(edits: Readonly<Record<string, Edit>>): Promise<string>;
}

/** Copies of documents go with what is given to `after`. */
export function toStage(stage: ParkStage, weather: UnreliableService, after: Scope): Stage {
  return { ...stage, weather, edit: (edits) => editWorkflows(after, edits) };
}

/** An attempt that becomes a history. */
export interface Played {
  /** The name of its file. */
  readonly name: string;
  /** One sentence: the behaviour that it exercises. */
  readonly shows: string;
  readonly attempt: AttemptRecord;
}

/** Worlds that are played as they ship: what the turns of each show, by the names of their files. */
const SHIPPED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  park: {
    'park-turn-1': 'Two subjects act one after the other; one of them calls a tool.',
    'park-turn-2': 'A second turn begins with what the first one committed.',
  },
  clerk: { clerk: 'A workflow has a node of each type.' },
  'notice-board': { 'notice-board': 'A gate sends an answer back, and lets the next one pass.' },
};

/** Turns that show the same. */
function alike(name: string, turns: number, shows: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: turns }, (_none, index) => [`${name}-turn-${index + 1}`, shows]));
}

/** Plays every scene that is recorded, each in worlds of its own. */
export const SCENES: readonly ((stage: Stage) => Promise<readonly Played[]>)[] = [
  ...Object.entries(SHIPPED).map(([scenario, shown]) => async (stage: Stage) => {
    return named((await stage.play({ scenario, turns: Object.keys(shown).length })).attempts, shown);
  }),
  async (stage) => {
    const { attempts } = await stage.play({ scenario: 'park', says: await loadScript('stumbles'), turns: 4 });
    return named(attempts, alike('stumbles', 4, 'A model makes mistakes of content and is corrected.'));
  },
  async (stage) => {
    const names = ['mill', 'runner', 'square'].map((name) => `village/${name}-workflow.json`);
    const workflows = await stage.edit(Object.fromEntries(names.map((name) => [name, inOrder])));
    const { attempts } = await stage.play({ scenario: 'village', workflows, turns: 2 });
    const shows = 'Subjects share a reading, see recent events, and may change only what they perceive.';
    return named(attempts, alike('village', 2, shows));
  },
  async (stage) => {
    const waits = await stage.play({ scenario: 'letters' });
    const asked = await stage.play({ scenario: 'letters' });
    const answer = { status: 'answered', from: 'Emil', body: 'I come with the first snow.', postage: 'paid' };
    const call = asked.report.awaited?.[0]?.source_invocation_id ?? '';
    must(await reportCall(stage.engine, call, { kind: 'answered', value: answer }));
    const answered = await stage.run(asked.after);
    return [
      ...named(waits.attempts, { 'letters-suspended': 'A tool is answered later, and the attempt suspends.' }),
      ...named(answered.attempts, { 'letters-answered': 'An attempt resumes with the answer that was reported.' }),
    ];
  },
  async (stage) => {
    const workflows = await stage.edit({ 'out-of-order/workflow.json': readWeather });
    stage.weather.will({ kind: 'status', status: 500 });
    const { attempts } = await stage.play({ scenario: 'out-of-order', workflows });
    const shows = 'A failed reading is absent, and a failed tool call is reported to the model.';
    return named(attempts, { 'failures-passed-on': shows });
  },
  async (stage) => {
    const workflows = await stage.edit({ 'sources/park-weather.json': withRetry });
    stage.weather.will({ kind: 'status', status: 503 }, { kind: 'status', status: 503 });
    const { attempts } = await stage.play({ scenario: 'ambient-weather', workflows });
    return named(attempts, { 'transport-retries': 'A reading succeeds at its second retry.' });
  },
  async (stage) => {
    const says = await loadScript('bob-and-ant');
    const broken = { ...says.turns['1'], 'ant/act/round-1/try-1': { status: 503 } };
    const turns = { ...says.turns, '1': broken };
    const failed = await stage.play({ scenario: 'bob-and-ant', says: { ...says, turns } });
    stage.model.setScript(says);
    const adopts = await stage.run(failed.after);
    return [
      ...named(failed.attempts, { 'model-unavailable': 'A model that answers 503 fails the attempt.' }),
      ...named(adopts.attempts, { adoption: 'A new attempt adopts the calls of one that failed.' }),
    ];
  },
  async (stage) => {
    const { world_slug: source_slug } = await stage.play({ scenario: 'simple', turns: 2 });
    const folder = await stage.edit({
      'simple/workflow.json': (workflow) => ({ ...workflow, label: 'simple-edited' }),
    });
    const place = { working_folder: folder, root: folder };
    const scenario_hash = must(await putScenario(stage.engine, `${folder}/simple/scenario.json`, place));
    must(await forkWorld(stage.engine, { source_slug, at_turn: 1, world_slug: 'fork', scenario: { scenario_hash } }));
    const { attempts } = await stage.run(must(await showWorld(stage.engine, { world_slug: 'fork' })));
    return named(attempts, { fork: 'A fork continues from its parent by an edited workflow.' });
  },
  async (stage) => {
    const words = Object.fromEntries([1, 2, 3].map((number) => [`bob/act/round-1/try-${number}`, { text: 'Hm.' }]));
    const says = { version: 1, label: 'hm', turns: { '*': words } } as const;
    const { attempts } = await stage.play({ scenario: 'simple', says });
    return named(attempts, { 'generations-exhausted': 'A model never gives a valid answer.' });
  },
];

/** @param shown what each attempt shows, by the name of its file @throws Error where there are more attempts, or fewer */
function named(attempts: readonly AttemptRecord[], shown: Readonly<Record<string, string>>): readonly Played[] {
  return Object.entries(shown).map(([name, shows], index, { length }) => {
    const attempt = attempts[index];
    if (attempt === undefined || attempts.length !== length)
      throw new Error(`${name}: ${attempts.length} attempts instead of ${length}`);
    return { name, shows, attempt };
  });
}

/** Which calls of concurrent subjects are superseded is not the same in two recordings. */
const inOrder: Edit = (workflow) => ({ ...workflow, execution: 'per_subject_ordered' });

const withRetry: Edit = (source) => ({
  ...source,
  retry: { max: 3, on: ['http_5xx'], backoff_ms: 1, backoff_max_ms: 1 },
});

const readWeather: Edit = (workflow) => ({
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
