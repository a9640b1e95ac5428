import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash } from '../../engine/core/content/canonical.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { CallEvent } from '../../engine/core/protocol/event.js';
import type { Program } from '../../engine/core/protocol/program.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { Step } from '../../engine/core/turn/step.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import { composeWorld, type World } from '../../engine/core/world/world.js';
import { median } from '../../tools/bench/measures.js';
import { smallPark } from '../support/park-documents.js';
import { finalPatch, modelSays } from '../support/turn-player.js';

const COUNTS = [25, 100];
/** How many agents share a place. */
const COMPANY = 5;
/** The part of agents that change something that everybody in a place perceives. */
const RATES = [0, 0.1, 0.2, 0.3, 0.4, 0.5];
const TURNS = 4;

const crowds = COUNTS.map(openCrowd);

for (const rate of RATES)
  test(`a concurrent turn takes hardly longer than it must, where ${rate * 100} % are in each other's way`, () => {
    const shares = crowds.flatMap((crowd) =>
      Array.from({ length: TURNS }, (_none, turn) => {
        const deeds = chooseDeeds(crowd, rate, turn);
        return leastTime(crowd, deeds) / playCrowd(crowd, deeds);
      }),
    );
    assert.ok(median(shares) >= 0.9, `the least time over that of each turn: ${shares.join(', ')}`);
  });

/** Agents in places of a few, who perceive changes in their own place. */
interface Crowd {
  readonly program: Program;
  readonly world: World;
  /** The place of each, in the order of the scenario. */
  readonly places: readonly string[];
}

function openCrowd(count: number): Crowd {
  const places = Array.from({ length: count }, (_none, index) => `place_${index % Math.ceil(count / COMPANY)}`);
  const agents = places.map((environment, index) => {
    const id = `agent_${index}`;
    return { id, name: id, kind: 'agent' as const, environment, state: 'idle' };
  });
  const labels = [...new Set(places)];
  const program = smallPark({
    subjects: agents.map(({ id }) => id),
    environments: labels.map((label) => ({ label, content: 'A place.' })),
    entities: agents,
    tools: [],
    without_policy: true,
    projection: { scope: 'subject_environment', memory: { recent: 2 } },
    change: (workflow) => ({ ...workflow, execution: 'per_subject_concurrent' }),
  });
  const environments = labels.map((label) => [label, { content: 'A place.' }] as const);
  const entities = agents.map((agent) => ({ ...agent, memory: [] }));
  return { program, world: composeWorld({ slug: 'crowd', turn: 0, environments, entities, events: [] }), places };
}

/** What each agent does in a turn, in the scenario's order. */
interface Deeds {
  /** How long its generation takes, in milliseconds. */
  readonly durations: readonly number[];
  /** The places in which it changes something that everybody there perceives. */
  readonly touched: readonly (readonly string[])[];
}

/** Generations of 0.5 to 5 s; every second turn agents act on their own place, in the others on any. */
function chooseDeeds({ places }: Crowd, rate: number, turn: number): Deeds {
  const dice = (what: string, index: number): number =>
    Number.parseInt(contentHash({ what, index, rate, turn, of: places.length }).slice(0, 8), 16) / 2 ** 32;
  return {
    durations: places.map((_place, index) => 500 + 4_500 * dice('duration', index)),
    touched: places.map((place, index) => {
      const anywhere = places[Math.floor(dice('place', index) * places.length)] ?? place;
      return dice('acts', index) < rate ? [turn % 2 === 0 ? place : anywhere] : [];
    }),
  };
}

/** Plays a turn over virtual time. @returns how long it took: a call ends when its time has come, or once it is discarded */
function playCrowd({ program, world }: Crowd, deeds: Deeds): number {
  const flying = new Map<string, { readonly command: Invoke; readonly ends_at: number }>();
  const stopped: CallEvent[] = [];
  const turn = { is_over: false };
  let [now, state] = [0, UNBEGUN];
  const take = (step: Step): void => {
    ({ state } = step);
    for (const key of (step.discarded ?? []).flatMap(({ keys }) => keys))
      if (flying.delete(key))
        stopped.push({ kind: 'call_failed', key, failure_class: 'stopped', message: 'superseded' });
    for (const command of step.commands) {
      assert.notEqual(command.kind, 'fail');
      if (command.kind === 'commit') turn.is_over = true;
      if (command.kind === 'invoke')
        flying.set(command.key, { command, ends_at: now + (deeds.durations[command.rank ?? 0] ?? 0) });
    }
  };
  take(advance(program, state, { kind: 'turn_began', world, simulation_time: '2026-05-01T09:01:00.000Z' }));
  while (!turn.is_over) {
    let event = stopped.shift();
    if (event === undefined) {
      const [next] = [...flying.values()].toSorted((one, other) => one.ends_at - other.ends_at);
      assert.ok(next, 'nothing is under way, and the turn is not over');
      now = next.ends_at;
      flying.delete(next.command.key);
      event = modelSays(next.command, finalPatch(effectsOf(next.command, deeds)));
    }
    take(advance(program, state, event));
  }
  return now;
}

function effectsOf({ subject_id, rank = 0 }: Invoke, { touched }: Deeds) {
  return (touched[rank] ?? []).map((environment_label) => {
    return { op: 'set_environment_content', environment_label, content: `as ${subject_id} left it` };
  });
}

/** With perfect knowledge of conflicts, each agent begins once the last one before it that changes its place is done. */
function leastTime({ places }: Crowd, { durations, touched }: Deeds): number {
  const done = new Map<string, number>();
  const ends = places.map((place, index) => {
    const end = (done.get(place) ?? 0) + (durations[index] ?? 0);
    for (const label of touched[index] ?? []) done.set(label, end);
    return end;
  });
  return Math.max(...ends);
}
