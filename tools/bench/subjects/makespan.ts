import type { Json } from '../../../engine/contract/json.js';
import type { Invoke } from '../../../engine/core/protocol/command.js';
import type { CallEvent } from '../../../engine/core/protocol/event.js';
import { advance } from '../../../engine/core/turn/advance.js';
import type { Step } from '../../../engine/core/turn/step.js';
import { UNBEGUN } from '../../../engine/core/turn/state.js';
import { AdmissionTable, type Applicant } from '../../../engine/sources/admission-table.js';
import type { Crowd } from './crowd.js';

/** The actions of each agent in a turn, in the scenario's order. */
export interface Deeds {
  /** The duration of each generation, in milliseconds. */
  readonly durations: readonly number[];
  /** The places in which each agent changes something that everybody there perceives. */
  readonly touched: readonly (readonly string[])[];
}

/** The outcome of a turn. */
interface Makespan {
  readonly makespan_ms: number;
  readonly calls: number;
}

interface Flight extends Applicant {
  readonly command: Invoke;
  readonly ends_at: number;
}

/**
 * Plays a turn over virtual time, by the reducer and the admission of the engine: nothing waits.
 * @param in_flight how many calls are made at a time
 */
export function playCrowd({ program, world }: Crowd, deeds: Deeds, in_flight = Infinity): Makespan {
  const table = new AdmissionTable<Applicant & { readonly command: Invoke }>({ process: in_flight });
  const waiting = new Map<string, Applicant & { readonly command: Invoke }>();
  const flying = new Map<string, Flight>();
  const ended: CallEvent[] = [];
  let now = 0;
  let calls = 0;
  let state = UNBEGUN;
  const turn = { is_over: false };
  const take = (step: Step): void => {
    ({ state } = step);
    for (const key of (step.discarded ?? []).flatMap(({ keys }) => keys)) {
      const call = waiting.get(key) ?? flying.get(key);
      if (call === undefined) continue;
      if (waiting.delete(key)) table.remove(call);
      else if (flying.delete(key)) table.end(call, undefined, now);
      ended.push({ kind: 'call_failed', key, failure_class: 'stopped', message: 'superseded' });
    }
    for (const command of step.commands) {
      if (command.kind === 'fail') throw new Error(command.message);
      if (command.kind !== 'invoke') turn.is_over = command.kind === 'commit';
      else {
        const applicant = { world_slug: 'crowd', rank: command.rank ?? 0, source: command.call.source, command };
        waiting.set(command.key, applicant);
        table.add(applicant);
      }
    }
  };
  take(advance(program, state, { kind: 'turn_began', world, simulation_time: '2026-05-01T09:01:00.000Z' }));
  while (!turn.is_over) {
    for (let event = ended.shift(); event !== undefined; event = ended.shift()) take(advance(program, state, event));
    for (const call of table.admit(now)) {
      waiting.delete(call.command.key);
      flying.set(call.command.key, { ...call, ends_at: now + (deeds.durations[call.rank] ?? 0) });
      calls += 1;
    }
    if (turn.is_over) break;
    const next = earliest(flying);
    if (next === undefined) throw new Error('nothing is under way, and the turn is not over');
    now = next.ends_at;
    flying.delete(next.command.key);
    table.end(next, { kind: 'works' }, now);
    take(advance(program, state, answerOf(next, deeds)));
  }
  return { makespan_ms: now, calls };
}

function earliest(flying: ReadonlyMap<string, Flight>): Flight | undefined {
  let first: Flight | undefined;
  for (const flight of flying.values()) if (first === undefined || flight.ends_at < first.ends_at) first = flight;
  return first;
}

function answerOf({ command, rank }: Flight, { touched, durations }: Deeds): CallEvent {
  const effects = (touched[rank] ?? []).map((label): Json => {
    const content = `as ${command.subject_id ?? ''} left it`;
    return { op: 'set_environment_content', environment_label: label, content };
  });
  const patch = { narration: 'It happens.', effects };
  const text = JSON.stringify({ kind: 'final_patch', patch });
  const answered = { kind: 'call_answered', key: command.key, duration_ms: durations[rank] ?? 0 } as const;
  return { ...answered, value: { text, finish_reason: 'stop' }, usage: { input_tokens: 5, output_tokens: 5 } };
}

/**
 * The least possible time of such a turn with perfect knowledge of conflicts: each agent begins once the last agent
 * before it that changes its place is done; at least the total work divided by the number of models.
 */
export function oracleOf({ places }: Crowd, { durations, touched }: Deeds, in_flight = Infinity): number {
  const done = new Map<string, number>();
  const ends = places.map((place, index) => {
    const end = (done.get(place) ?? 0) + (durations[index] ?? 0);
    for (const label of touched[index] ?? []) done.set(label, end);
    return end;
  });
  const work = durations.reduce((sum, duration) => sum + duration, 0);
  return Math.max(...ends, work / in_flight);
}
