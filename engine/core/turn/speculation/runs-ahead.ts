import type { TurnCommand } from '../../protocol/command.js';
import { MAX_SPECULATIVE, type Program, type SubjectProgram, type WorkflowProgram } from '../../protocol/program.js';
import type { WorldEvent } from '../../world/world.js';
import type { Answer, StartedRun, TurnState } from '../state.js';
import { type Step, join } from '../step.js';
import { beginRun, handleInRun, type RunBase, type SubjectRun } from '../subject-run.js';
import { beginSubject, runAt, storeRun, subjectAt, toBase, toEvent } from '../subjects.js';
import { withHeld } from './held-calls.js';
import { affects } from './inputs.js';
import { type View, viewOf, worldAfter } from './outcomes.js';
import { listReaders, readersAfter } from './readers.js';

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

/** Folds the runs of later subjects again whose inputs the run of a subject has changed, in their order. */
export function updateLater(program: Program, state: TurnState, index: number): Step {
  let step: Step = { state, commands: [] };
  const { run } = runAt(state, index);
  if (run.stage !== 'finished') return step;
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
  const { run: old, keys, answers, number } = runAt(state, index);
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
  const started: StartedRun = {
    run: asksAnew === 0 ? withRefusal(folded.run, old) : folded.run,
    answers: folded.answers,
    keys,
    number: number + asksAnew,
    waits_for: likelyToChange(program, state, index),
  };
  const step = storeRun(program, rest, { index, started, commands });
  return discarded.length === 0 ? step : { ...step, discarded: [{ subject_id: subject.subject_id, keys: discarded }] };
}

/** A call that a budget has refused is not made because its run was folded again: it stays refused. */
function withRefusal(run: SubjectRun, { failure }: SubjectRun): SubjectRun {
  const isRefused = failure?.failure_class === 'budget_exhausted' && failure.call_key === undefined;
  return isRefused && run.failure === undefined ? { ...run, failure } : run;
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

/** Earlier subjects that are at work again, and had changed what this one reads when they were done before. */
function likelyToChange(program: Program, { world, outcomes }: TurnState, index: number): readonly number[] {
  const { subject_id, workflow } = subjectAt(program, index);
  const entity = world.entities.get(subject_id);
  if (entity === undefined) return [];
  return outcomes
    .filter((one) => !one.is_reached && one.index < index && affects(workflow.inputs, world, entity, one.event))
    .map((one) => one.index);
}

function isSamePatch(one: SubjectRun, other: SubjectRun): boolean {
  const [said, again] = [one, other].map(({ stage, patch }) =>
    stage === 'finished' ? [patch?.patch, patch?.origins] : undefined,
  );
  return JSON.stringify(said) === JSON.stringify(again);
}
