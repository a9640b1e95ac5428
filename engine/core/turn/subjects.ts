import { present } from '../../contract/present.js';
import { withRun } from '../../contract/scripted.js';
import type { Invoke } from '../protocol/command.js';
import type { CallEvent } from '../protocol/event.js';
import type { Program, SubjectProgram } from '../protocol/program.js';
import type { World, WorldEvent } from '../world/world.js';
import { mayIssue } from './speculation/held-calls.js';
import { type Outcome, withOutcome } from './speculation/outcomes.js';
import { reserveCall } from './budgets.js';
import type { SubjectAsker } from './asker.js';
import type { Answer, StartedRun, TurnState } from './state.js';
import type { Step } from './step.js';
import { beginRun, handleInRun, type RunBase, type SubjectRun } from './subject-run.js';

/** Begins the head, where it has not begun and there is one. */
export function beginHead(program: Program, state: TurnState): Step {
  if (state.runs.has(state.head) || state.head === program.subjects.length) return { state, commands: [] };
  return beginSubject(program, state, { index: state.head, world: state.world });
}

export function beginSubject(
  program: Program,
  state: TurnState,
  { index, world }: { readonly index: number; readonly world: World },
): Step {
  const { run, commands } = beginRun(subjectAt(program, index), toBase(state, world));
  return storeRun(program, state, { index, started: { run, number: 1, answers: [], keys: new Map() }, commands });
}

/** Gives the end of a call to its run. */
export function handleInSubject(
  program: Program,
  state: TurnState,
  { index, key, command }: SubjectAsker,
  event: CallEvent,
): Step {
  const started = runAt(state, index);
  const answer: Answer = { request_hash: command.request_hash, event: { ...event, key } };
  const { run, commands, verdict } = handleInRun(subjectAt(program, index), started.run, answer.event);
  const answered = { ...started, run, answers: [...started.answers, answer] };
  const step = storeRun(program, state, { index, started: answered, commands });
  return verdict === undefined ? step : { ...step, verdict: { ...verdict, key: event.key } };
}

interface Change {
  readonly index: number;
  readonly started: StartedRun;
  /** New commands, with the run's own keys. */
  readonly commands: readonly Invoke[];
}

/** Stores a run, and issues its commands or holds them back. */
export function storeRun(program: Program, state: TurnState, { index, started, commands }: Change): Step {
  const outcomes = outcomesAfter(program, state, index, started.run);
  if (commands.length === 0) return { state: { ...state, runs: state.runs.with(index, started), outcomes }, commands };
  const keys = new Map(started.keys);
  let { awaited, held, budgets } = state;
  let { run } = started;
  const issued: Invoke[] = [];
  const runs = state.runs.with(index, started);
  for (const asked of commands) {
    const command = { ...toOutside(asked, keys, started.number), rank: index };
    if (isRead(asked) || command.key !== asked.key) keys.set(asked.key, command.key);
    const asker: SubjectAsker = { kind: 'subject', index, key: asked.key, command };
    const passed = mayIssue({ ...state, runs }, index, command) ? reserveCall(program, { budgets }, command) : HELD;
    if (passed.kind === 'granted') {
      awaited = awaited.with(command.key, { ...asker, command: passed.command });
      issued.push(passed.command);
      ({ budgets } = passed);
    } else if (passed.kind === 'waits') held = held.with(index, [...(held.get(index) ?? []), asker]);
    else run = { ...run, failure: passed.failure };
  }
  const next = { ...state, runs: runs.with(index, { ...started, run, keys }), outcomes, awaited, held, budgets };
  return { state: next, commands: issued };
}

const HELD = { kind: 'waits' } as const;

function isRead({ call }: Invoke): boolean {
  return call.effect === 'read_only';
}

/**
 * A command of a run as the outside knows it: repeated requests of a later run have keys and conversations of their
 * own. A call with a side effect is made by one run only, and a service may know it by its key: that is the same in
 * every run, unless an earlier run has read something in its place.
 * @param keys of all runs of the subject so far; none of a side effect that has the key of its run
 */
function toOutside(command: Invoke, keys: ReadonlyMap<string, string>, number: number): Invoke {
  const { parent_key, generation } = command;
  const named = (name: string): string => withRun(name, number);
  return {
    ...command,
    key: isRead(command) || keys.has(command.key) ? named(command.key) : command.key,
    ...present({
      parent_key: parent_key && (keys.get(parent_key) ?? parent_key),
      generation: generation && { ...generation, conversation: named(generation.conversation) },
    }),
  };
}

/** The event of a run, where it is done and its patch is one. */
export function toEvent(program: Program, { world }: TurnState, index: number, run: SubjectRun): readonly WorldEvent[] {
  if (run.stage !== 'finished' || run.patch === undefined) return [];
  const { patch, origins } = run.patch;
  return [{ turn: world.turn + 1, subject_id: subjectAt(program, index).subject_id, patch, origins }];
}

/** The outcomes with that of a run: what it has reached, or that it is at work again. */
function outcomesAfter(program: Program, state: TurnState, index: number, run: SubjectRun): readonly Outcome[] {
  const { outcomes } = state;
  if (run.stage === 'finished') {
    const [event] = toEvent(program, state, index, run);
    return withOutcome(outcomes, index, event && { index, event, is_reached: true });
  }
  const former = outcomes.find((one) => one.index === index);
  return former?.is_reached === true ? withOutcome(outcomes, index, { ...former, is_reached: false }) : outcomes;
}

export function toBase({ simulation_time, readings }: TurnState, world: World): RunBase {
  return { world, simulation_time, turn_readings: readings };
}

/** The subject at an index of the scenario's order. */
export function subjectAt(program: Program, index: number): SubjectProgram {
  const subject = program.subjects[index];
  if (subject === undefined) throw new Error(`there is no subject ${index}`);
  return subject;
}

export function runAt({ runs }: TurnState, index: number): StartedRun {
  const started = runs.get(index);
  if (started === undefined) throw new Error(`the subject ${index} has not begun`);
  return started;
}
