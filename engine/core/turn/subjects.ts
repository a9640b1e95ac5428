import { present } from '../../contract/present.js';
import type { Invoke, TurnCommand } from '../protocol/command.js';
import type { CallEvent } from '../protocol/event.js';
import { MAX_SPECULATIVE, type Program, type SubjectProgram, type WorkflowProgram } from '../protocol/program.js';
import type { World, WorldEvent } from '../world/world.js';
import { mayIssue, noteChanged, withHeld } from './held-calls.js';
import { affects } from './inputs.js';
import { type Outcome, type View, viewOf, withOutcome, worldAfter } from './outcomes.js';
import { listReaders, readersAfter } from './readers.js';
import { withRun } from '../../contract/scripted.js';
import type { Answer, StartedRun, SubjectAsker, TurnState } from './state.js';
import { type Step, join } from './step.js';
import { beginRun, handleInRun, type RunBase, type SubjectRun } from './subject-run.js';

// Subjects of a workflow that runs them concurrently begin together. Each run is kept equal to the fold of its answers on
// the world that its subject would see if every subject before it were as far as it is now. Where an earlier patch
// changes a subject's inputs, its run is folded again on the new world: answers to equal requests are kept, and only
// other requests are made anew. So a run that reaches the head is the run of an ordered turn.

/** Begins every subject, except the first, that need not wait for those before it. */
export function beginAhead(program: Program, state: TurnState): Step {
  const allowance = program.subjects.reduce((sum, { workflow }) => sum + speculationOf(program, workflow), 0);
  const commands: TurnCommand[] = [];
  let ahead: TurnState = { ...state, allowance, readers: listReaders(program.subjects, state.world) };
  let { world } = state;
  for (const [index, { workflow }] of program.subjects.entries()) {
    if (speculationOf(program, workflow) === 0) continue;
    const step = beginSubject(program, ahead, { index, world });
    ahead = step.state;
    commands.push(...step.commands);
    world = worldAfter(world, toEvent(program, ahead, index, runAt(ahead, index).run));
  }
  return { state: ahead, commands };
}

/** How many runs of each subject of a workflow may be superseded on average; 0 where its subjects run one after the other. */
function speculationOf({ execution }: Program, { max_speculative }: WorkflowProgram): number {
  if (execution === 'per_subject_ordered') return 0;
  return max_speculative === 0 && execution === 'per_subject_concurrent' ? MAX_SPECULATIVE : max_speculative;
}

/** Begins the head, where it has not begun and there is one. */
export function beginHead(program: Program, state: TurnState): Step {
  if (state.runs.has(state.head) || state.head === program.subjects.length) return { state, commands: [] };
  return beginSubject(program, state, { index: state.head, world: state.world });
}

function beginSubject(
  program: Program,
  state: TurnState,
  { index, world }: { readonly index: number; readonly world: World },
): Step {
  const { run, commands } = beginRun(subjectAt(program, index), toBase(state, world));
  return storeRun(program, state, { index, started: { run, number: 1, answers: [], keys: new Map() }, commands });
}

/** Gives the end of a call to its run, and the consequences to later subjects. */
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
  const stored = storeRun(program, state, { index, started: answered, commands });
  const step = run.stage === 'finished' ? join(stored, updateLater(program, stored.state, index, run)) : stored;
  return verdict === undefined ? step : { ...step, verdict: { ...verdict, key: event.key } };
}

interface Change {
  readonly index: number;
  readonly started: StartedRun;
  /** New commands, with the run's own keys. */
  readonly commands: readonly Invoke[];
}

/** Stores a run, and issues its commands or holds them back. */
function storeRun(program: Program, state: TurnState, { index, started, commands }: Change): Step {
  const outcomes = withOutcome(state.outcomes, index, toOutcome(program, state, index, started));
  if (commands.length === 0) {
    const next = { ...state, runs: state.runs.with(index, started), outcomes };
    return { state: noteChanged(next, index, started), commands };
  }
  const keys = new Map(started.keys);
  let { awaited, held } = state;
  const issued: Invoke[] = [];
  const runs = state.runs.with(index, started);
  for (const asked of commands) {
    const command = { ...toOutside(asked, keys, started.number), rank: index };
    if (isRead(asked) || command.key !== asked.key) keys.set(asked.key, command.key);
    const asker: SubjectAsker = { kind: 'subject', index, key: asked.key, command };
    if (mayIssue({ ...state, runs }, index, command)) {
      awaited = awaited.with(command.key, asker);
      issued.push(command);
    } else held = held.with(index, [...(held.get(index) ?? []), asker]);
  }
  const next = { ...state, runs: runs.with(index, { ...started, keys }), outcomes, awaited, held };
  return { state: noteChanged(next, index, started), commands: issued };
}

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

/** Earlier subjects that are at work again, and had changed what this one reads when they were done before. */
function likelyToChange(program: Program, { world, outcomes }: TurnState, index: number): readonly number[] {
  const { subject_id, workflow } = subjectAt(program, index);
  const entity = world.entities.get(subject_id);
  if (entity === undefined) return [];
  return outcomes
    .filter((one) => !one.is_reached && one.index < index && affects(workflow.inputs, world, entity, one.event))
    .map((one) => one.index);
}

/** Folds the runs of later subjects again whose inputs a run has changed, in their order. */
function updateLater(program: Program, state: TurnState, index: number, run: SubjectRun): Step {
  let step: Step = { state, commands: [] };
  let view: View = { world: state.world, index: state.head };
  const changes = [...toEvent(program, state, index, run)];
  let later = readersAfter(index, state.readers, changes, state.world);
  for (let next = later[0]; next !== undefined; next = later[0]) {
    later = later.slice(1);
    if (!isConcerned(program, state, next, changes)) continue;
    const before = runAt(step.state, next).run;
    view = viewOf(next, view, step.state.outcomes);
    step = join(step, foldAgain(program, step.state, view));
    const after = runAt(step.state, next).run;
    if (isSamePatch(before, after)) continue;
    changes.push(...[before, after].flatMap((one) => toEvent(program, state, next, one)));
    later = readersAfter(next, state.readers, changes, state.world);
  }
  return step;
}

/** Whether a subject has begun and reads what some events change. */
function isConcerned(program: Program, { runs, world }: TurnState, index: number, changes: readonly WorldEvent[]) {
  if (!runs.has(index)) return false;
  const { subject_id, workflow } = subjectAt(program, index);
  const entity = world.entities.get(subject_id);
  return entity !== undefined && changes.some((event) => affects(workflow.inputs, world, entity, event));
}

function foldAgain(program: Program, state: TurnState, { index, world }: View): Step {
  const subject = subjectAt(program, index);
  const { run: old, keys, answers, number, former: earlier } = runAt(state, index);
  const folded = fold(subject, toBase(state, world), answers);
  const isKept = (key: string): boolean => {
    const asked = old.awaited.get(key)?.request_hash;
    return asked !== undefined && asked === folded.run.awaited.get(key)?.request_hash;
  };
  const outside = (key: string): string => keys.get(key) ?? key;
  const commands = [...folded.run.awaited].flatMap(([key, command]) => (isKept(key) ? [] : [command]));
  const gone = [...old.awaited.keys()].filter((key) => !isKept(key)).map(outside);
  const unused = answers.filter((answer) => !folded.answers.includes(answer)).map(({ event }) => outside(event.key));
  const discarded = [...unused, ...gone.filter((key) => state.awaited.has(key))];
  const asksAnew = commands.length > 0 ? 1 : 0;
  const rest = drop({ ...state, allowance: state.allowance - asksAnew }, index, gone);
  const [former = earlier] = toEvent(program, state, index, old);
  const started: StartedRun = {
    run: folded.run,
    answers: folded.answers,
    keys,
    number: number + asksAnew,
    ...present({ former }),
    waits_for: likelyToChange(program, state, index),
  };
  const step = storeRun(program, rest, { index, started, commands });
  return discarded.length === 0 ? step : { ...step, discarded: [{ subject_id: subject.subject_id, keys: discarded }] };
}

/** Begins a run and gives it, in their order, all answers to what it asks. */
function fold(
  subject: SubjectProgram,
  base: RunBase,
  answers: readonly Answer[],
): { readonly run: SubjectRun; readonly answers: readonly Answer[] } {
  let { run } = beginRun(subject, base);
  const used: Answer[] = [];
  const findNext = (): Answer | undefined =>
    answers.find(
      (answer) => run.awaited.get(answer.event.key)?.request_hash === answer.request_hash && !used.includes(answer),
    );
  for (let next = findNext(); next !== undefined; next = findNext()) {
    ({ run } = handleInRun(subject, run, next.event));
    used.push(next);
  }
  return { run, answers: used };
}

/** Drops the calls of a subject that nobody waits for any more; those under way will still end. */
function drop(state: TurnState, index: number, keys: readonly string[]): TurnState {
  let { awaited, dropped } = state;
  for (const key of keys) {
    if (awaited.has(key)) dropped = dropped.with(key, true);
    awaited = awaited.without(key);
  }
  const rest = (state.held.get(index) ?? []).filter(({ command }) => !keys.includes(command.key));
  const held = withHeld(state.held, index, rest);
  return { ...state, awaited, held, dropped };
}

/** The event of a run, where it is done and its patch is one. */
function toEvent(program: Program, { world }: TurnState, index: number, run: SubjectRun): readonly WorldEvent[] {
  if (run.stage !== 'finished' || run.patch === undefined) return [];
  return [{ turn: world.turn + 1, subject_id: subjectAt(program, index).subject_id, patch: run.patch.patch }];
}

function toOutcome(
  program: Program,
  state: TurnState,
  index: number,
  { run, former }: StartedRun,
): Outcome | undefined {
  const is_reached = run.stage === 'finished';
  const [event] = is_reached ? toEvent(program, state, index, run) : former === undefined ? [] : [former];
  return event === undefined ? undefined : { index, event, is_reached };
}

function isSamePatch(one: SubjectRun, other: SubjectRun): boolean {
  const [said, again] = [one, other].map(({ stage, patch }) => (stage === 'finished' ? patch?.patch : undefined));
  return JSON.stringify(said) === JSON.stringify(again);
}

function toBase({ simulation_time, readings }: TurnState, world: World): RunBase {
  return { world, simulation_time, turn_readings: readings };
}

/** The subject at an index of the scenario's order. */
export function subjectAt(program: Program, index: number): SubjectProgram {
  const subject = program.subjects[index];
  if (subject === undefined) throw new Error(`there is no subject ${index}`);
  return subject;
}

function runAt({ runs }: TurnState, index: number): StartedRun {
  const started = runs.get(index);
  if (started === undefined) throw new Error(`the subject ${index} has not begun`);
  return started;
}
