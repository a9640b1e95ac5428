import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { contentHash } from '../../engine/core/content/canonical.js';
import type { Invoke, TurnCommand } from '../../engine/core/protocol/command.js';
import type { CallEvent, TurnBegan } from '../../engine/core/protocol/event.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { Step } from '../../engine/core/turn/step.js';
import type { Recorded } from '../../engine/core/turn/refold.js';
import { refoldAsPlayed } from '../../engine/core/turn/speculation/refold-as-played.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import { composeWorld, type Entity } from '../../engine/core/world/world.js';
import { type SmallPark, smallPark } from '../support/park-documents.js';
import { answered, finalPatch, modelSays, toolCall } from '../support/turn-player.js';

export const RUNS = { numRuns: 400, seed: 20_261_123 };
export const PLACES = ['park', 'market', 'wood'];
const AGENTS = ['ada', 'ben', 'cai', 'dot', 'eve'];
export const ENTITIES: readonly JsonObject[] = [
  ...AGENTS.map((id, at) => ({ id, name: id, kind: 'agent', environment: PLACES[at % 3] ?? '', state: 'idle' })),
  ...PLACES.map((place) => ({ id: `stone_${place}`, name: 'Stone', kind: 'prop', environment: place, state: 'grey' })),
];

export interface Scene {
  readonly park: SmallPark;
  readonly max_speculative: number;
  /** Makes another model of each number. */
  readonly seed: number;
  /** How often a call fails, in percent. */
  readonly failing: number;
  readonly picks: readonly number[];
  /** Left out where the picks say which call ends next. */
  readonly clock?: Clock;
}

/** Which call ends next, where calls take their time. */
export interface Clock {
  next(waiting: readonly Invoke[], aborted: Pick<ReadonlySet<string>, 'has'>): Invoke;
}

const readingOf = (pointer: string, effect: string): JsonObject => ({
  id: 'news',
  run: 'before_subject_workflow',
  scope: 'world',
  visible_to: 'all_subjects',
  inject_as: '/ambient/news',
  request_template: { of: { $from: pointer } },
  effect,
});

export const sceneArbitrary: fc.Arbitrary<Scene> = fc.record({
  park: fc.record({
    subjects: fc.shuffledSubarray(AGENTS, { minLength: 2 }),
    environments: fc.constant(PLACES.map((label) => ({ label, content: 'Quiet.' }))),
    entities: fc.constant(ENTITIES),
    tools: fc.constant(['look', 'take']),
    allow: fc.constant(['look', 'take', 'news']),
    tool_binding: fc.constantFrom<JsonObject>({ effect: 'read_only' }, { effect: 'state_change' }),
    tool_bindings: fc.constantFrom<Readonly<Record<string, JsonObject>>>({}, { look: { effect: 'read_only' } }),
    max_tool_calls: fc.integer({ min: 0, max: 2 }),
    constraints: fc.constantFrom<JsonObject>(
      { token_budget: 100_000, timeout_seconds: 60 },
      { token_budget: 25, timeout_seconds: 60 },
      { token_budget: 100_000, timeout_seconds: 60, turn_limit: 1 },
    ),
    retry: fc.constantFrom<JsonObject>({ max: 1, on: ['transport'] }, { max: 2, on: ['timeout'] }),
    prompt: fc.constantFrom(
      '{{subject.rendered}} {{world.projection}}',
      '{{subject.rendered}} {{ambient.visible}}',
      '{{subject.rendered}} {{world.recent_events}}',
    ),
    projection: fc.constantFrom<JsonObject>(
      { scope: 'world', memory: { recent: 2 }, events: { turns: 1 } },
      { scope: 'subject_environment', memory: { recent: 2 }, events: { turns: 1 } },
    ),
    ambients: fc.constantFrom(
      [],
      [readingOf('/world/entities/stone_park/state', 'read_only')],
      [readingOf('/world/environments/market/content', 'state_change')],
      [readingOf('/subject/state', 'read_only')],
    ),
    change: fc.constant((workflow: JsonObject) => ({ ...workflow, execution: 'per_subject_concurrent' })),
  }),
  max_speculative: fc.integer({ min: 1, max: 4 }),
  seed: fc.nat(),
  failing: fc.constantFrom(0, 0, 3),
  picks: fc.array(fc.nat({ max: 99 }), { minLength: 40, maxLength: 40 }),
});

export const BEGAN: TurnBegan = {
  kind: 'turn_began',
  simulation_time: '2026-05-01T09:01:00.000Z',
  world: composeWorld({
    slug: 'village',
    turn: 0,
    environments: PLACES.map((label) => [label, { content: 'Quiet.' }]),
    entities: ENTITIES.map((entity) => ({ ...entity, memory: [] }) as unknown as Entity),
    events: [],
  }),
};

export function withSpeculation(program: Program, max_speculative: number): Program {
  const subjects = program.subjects.map((subject) => ({
    ...subject,
    workflow: { ...subject.workflow, max_speculative },
  }));
  return { ...program, subjects };
}

/** Says to equal requests the same, and to others mostly something else. */
function outside({ seed, failing }: Scene): (command: Invoke) => CallEvent {
  return (command) => {
    const key = withoutNumber(command.key);
    const dice = Number.parseInt(contentHash({ seed, key, request: command.request_hash }).slice(0, 8), 16);
    if (dice % 100 < failing)
      return { kind: 'call_failed', key: command.key, failure_class: 'tool_error', message: `no ${dice}` };
    if (dice % 7 === 0 && command.retry === undefined && command.call.effect === 'read_only')
      return { kind: 'call_failed', key: command.key, failure_class: 'transport', message: 'a retry follows, or none' };
    if (command.generation === undefined) return answered(command, { dice: dice % 7 });
    return modelSays(command, sayings(command.subject_id ?? '', dice)[dice % 11] ?? 'nonsense');
  };
}

function sayings(subject_id: string, dice: number): readonly Json[] {
  const entity = dice % 3 === 0 ? 'stone_park' : (ENTITIES[dice % ENTITIES.length]?.['id'] as string);
  const place = PLACES[dice % PLACES.length] ?? '';
  const state = { op: 'set_entity_state', entity_id: entity, state: `state ${dice % 5}` };
  const own = { op: 'set_entity_state', entity_id: subject_id, state: `state ${dice % 5}` };
  const memory = { op: 'append_entity_memory', entity_id: subject_id, content: `memory ${dice % 5}` };
  const content = { op: 'set_environment_content', environment_label: place, content: `content ${dice % 5}` };
  return [
    finalPatch([state]),
    finalPatch([own, memory]),
    finalPatch([content], `It happens ${dice % 3}.`),
    finalPatch([state, content]),
    finalPatch([own]),
    finalPatch(),
    toolCall('look', { button: 'A' }),
    toolCall('take', { button: 'B' }),
    finalPatch([{ op: 'set_entity_state', entity_id: 'nobody', state: 'x' }]),
  ];
}

export interface Outcome {
  readonly end: TurnCommand | undefined;
  readonly asked: readonly Invoke[];
  /** Of those, the ones that ended: of others no driver has told anybody. */
  readonly performed: readonly Invoke[];
  readonly discarded: readonly string[];
}

export const withoutNumber = (key: string): string => key.replace(/@\d+$/, '');

/** The part of a command that means the same in both ways of running: without numbers of runs. */
export function meaningOf(end: TurnCommand | undefined): Json {
  return JSON.parse(JSON.stringify(end ?? null).replaceAll(/"call_key":"([^"@]+)@\d+"/g, '"call_key":"$1"')) as Json;
}

/** Plays a turn to its end; from time to time its driver dies, and the next one begins from the record. */
export function play(
  begun: Program,
  scene: Scene,
  dies: (ended: number) => boolean,
  next: (program: Program) => Program = (same) => same,
): Outcome {
  let program = begun;
  const says = outside(scene);
  const asked: Invoke[] = [];
  const performed: Invoke[] = [];
  const discarded: string[] = [];
  const records: Recorded[] = [];
  let waiting = new Map<string, Invoke>();
  let end: TurnCommand | undefined;
  let state = UNBEGUN;
  const take = (step: Pick<Step, 'state' | 'commands' | 'discarded'>): void => {
    state = step.state;
    discarded.push(...(step.discarded ?? []).flatMap(({ keys }) => keys));
    for (const command of step.commands) {
      if (command.kind === 'invoke') {
        if (!asked.some(({ key }) => key === command.key)) asked.push(command);
        waiting.set(command.key, command);
      } else end = command;
    }
  };
  take(advance(program, UNBEGUN, BEGAN));
  for (let turn = 0; waiting.size > 0; turn++) {
    assert.ok(turn < 2000, 'the turn does not end');
    const commands = [...waiting.values()];
    const picked = commands[(scene.picks[turn % scene.picks.length] ?? 0) % commands.length] as Invoke;
    const command = scene.clock?.next(commands, state.dropped) ?? picked;
    waiting.delete(command.key);
    performed.push(command);
    const event: CallEvent = state.dropped.has(command.key)
      ? { kind: 'call_failed', key: command.key, failure_class: 'stopped', message: 'aborted' }
      : says(command);
    records.push({
      key: command.key,
      request_hash: command.request_hash,
      effect: command.call.effect,
      repeatable: false,
      event,
    });
    take(advance(program, state, event));
    if (end === undefined && dies(turn)) {
      waiting = new Map();
      const folded = refoldAsPlayed(next(program), BEGAN, records);
      ({ program } = folded);
      take(folded);
    }
  }
  return { end, asked, performed, discarded };
}

const never = (): boolean => false;

interface Undisturbed {
  readonly program: Program;
  readonly concurrent: Outcome;
  readonly ordered: Outcome;
}

/** By scene: all sentences are checked on the same ones. */
const undisturbed = new Map<string, Undisturbed>();

function playUndisturbed(scene: Scene): Undisturbed {
  const name = JSON.stringify(scene);
  const known = undisturbed.get(name);
  if (known !== undefined) return known;
  const program = smallPark(scene.park);
  const concurrent = play(withSpeculation(program, scene.max_speculative), scene, never);
  const ordered = play(withSpeculation(program, 0), scene, never);
  undisturbed.set(name, { program, concurrent, ordered });
  return { program, concurrent, ordered };
}

/** Checks what holds for a turn that is played concurrently and in order, in many scenes. */
export function compare(
  sentence: string,
  holds: (concurrent: Outcome, ordered: Outcome, scene: Scene) => void,
  dies: (ended: number) => boolean = never,
  next?: (program: Program) => Program,
): void {
  test(sentence, () => {
    fc.assert(
      fc.property(sceneArbitrary, (scene) => {
        const { program, concurrent, ordered } = playUndisturbed(scene);
        const disturbed = () => play(withSpeculation(program, scene.max_speculative), scene, dies, next);
        holds(dies === never ? concurrent : disturbed(), ordered, scene);
      }),
      RUNS,
    );
  });
}

export const effectsOf = ({ performed }: Outcome): readonly string[] =>
  performed
    .filter(({ call }) => call.effect !== 'read_only')
    .map(({ key, request_hash }) => `${withoutNumber(key)} ${request_hash}`);

/** How often runs have asked their first question. */
export function firstGenerations({ asked }: Outcome): number {
  return asked.filter(({ round, generation_try }) => round === 1 && generation_try === 1).length;
}
