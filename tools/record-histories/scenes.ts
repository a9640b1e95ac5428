import type { JsonObject } from '../../engine/contract/json.js';
import { putScenario } from '../../engine/operations/authoring/author.js';
import { forkWorld } from '../../engine/operations/worlds/fork-world.js';
import { reportCall } from '../../engine/operations/settling/reports.js';
import { showWorld } from '../../engine/operations/worlds/worlds.js';
import type { AttemptRecord } from '../../engine/ports/records.js';
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
export function toStage(
  stage: ParkStage,
  weather: UnreliableService,
  after: Parameters<typeof editWorkflows>[0],
): Stage {
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

/** Every scene that is recorded, each in worlds of its own. */
export const SCENES: readonly ((stage: Stage) => Promise<readonly Played[]>)[] = [
  async (stage) => {
    const { attempts } = await stage.play({ scenario: 'park', turns: 2 });
    return named(attempts, [
      ['park-turn-1', 'Two subjects act one after the other; one of them calls a tool.'],
      ['park-turn-2', 'A second turn begins with what the first one committed.'],
    ]);
  },
  async (stage) => {
    const { attempts } = await stage.play({ scenario: 'park', says: await loadScript('stumbles'), turns: 4 });
    const shows = 'A model makes mistakes of content and is corrected.';
    return named(
      attempts,
      [1, 2, 3, 4].map((turn) => [`stumbles-turn-${turn}`, shows] as const),
    );
  },
  async (stage) => {
    const { attempts } = await stage.play({ scenario: 'clerk' });
    return named(attempts, [['clerk', 'A workflow has a node of each type.']]);
  },
  async (stage) => {
    const { attempts } = await stage.play({ scenario: 'notice-board' });
    return named(attempts, [['notice-board', 'A gate sends an answer back, and lets the next one pass.']]);
  },
  async (stage) => {
    const { attempts } = await stage.play({ scenario: 'village', turns: 2 });
    const shows = 'Subjects share a reading, see recent events, and may change only what they perceive.';
    return named(
      attempts,
      [1, 2].map((turn) => [`village-turn-${turn}`, shows] as const),
    );
  },
  async (stage) => {
    const waits = await stage.play({ scenario: 'letters' });
    const asked = await stage.play({ scenario: 'letters' });
    const answer = { status: 'answered', from: 'Emil', body: 'I come with the first snow.', postage: 'paid' };
    const call = asked.report.awaited?.[0]?.source_invocation_id ?? '';
    must(await reportCall(stage.engine, call, { kind: 'answered', value: answer }));
    const answered = await stage.run(asked.after);
    return [
      ...named(waits.attempts, [['letters-suspended', 'A tool is answered later, and the attempt suspends.']]),
      ...named(answered.attempts, [['letters-answered', 'An attempt resumes with the answer that was reported.']]),
    ];
  },
  async (stage) => {
    const workflows = await stage.edit({ 'out-of-order/workflow.json': readWeather });
    stage.weather.will({ kind: 'status', status: 500 });
    const { attempts } = await stage.play({ scenario: 'out-of-order', workflows });
    const shows = 'A failed reading is absent, and a failed tool call is reported to the model.';
    return named(attempts, [['failures-passed-on', shows]]);
  },
  async (stage) => {
    const workflows = await stage.edit({ 'sources/park-weather.json': withRetry });
    stage.weather.will({ kind: 'status', status: 503 }, { kind: 'status', status: 503 });
    const { attempts } = await stage.play({ scenario: 'ambient-weather', workflows });
    return named(attempts, [['transport-retries', 'A reading succeeds at its second retry.']]);
  },
  async (stage) => {
    const says = await loadScript('bob-and-ant');
    const broken = { ...says.turns['1'], 'ant/act/round-1/try-1': { status: 503 } };
    const turns = { ...says.turns, '1': broken };
    const failed = await stage.play({ scenario: 'bob-and-ant', says: { ...says, turns } });
    stage.model.setScript(says);
    const adopts = await stage.run(failed.after);
    return [
      ...named(failed.attempts, [['model-unavailable', 'A model that answers 503 fails the attempt.']]),
      ...named(adopts.attempts, [['adoption', 'A new attempt adopts the calls of one that failed.']]),
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
    return named(attempts, [['fork', 'A fork continues from its parent by an edited workflow.']]);
  },
  async (stage) => {
    const words = Object.fromEntries([1, 2, 3].map((number) => [`bob/act/round-1/try-${number}`, { text: 'Hm.' }]));
    const says = { version: 1, label: 'hm', turns: { '*': words } } as const;
    const { attempts } = await stage.play({ scenario: 'simple', says });
    return named(attempts, [['generations-exhausted', 'A model never gives a valid answer.']]);
  },
];

/** @throws Error where there are more or fewer attempts than names */
function named(
  attempts: readonly AttemptRecord[],
  names: readonly (readonly [name: string, shows: string])[],
): readonly Played[] {
  return names.map(([name, shows], index) => {
    const attempt = attempts[index];
    if (attempt === undefined || attempts.length !== names.length)
      throw new Error(`${name}: ${attempts.length} attempts instead of ${names.length}`);
    return { name, shows, attempt };
  });
}

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
