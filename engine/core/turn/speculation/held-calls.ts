import type { Fail, Invoke } from '../../protocol/command.js';
import type { Program } from '../../protocol/program.js';
import { foreseeCall } from '../../protocol/ruling.js';
import type { SubjectAsker } from '../asker.js';
import { reserveCall } from '../budgets.js';
import type { StartedRun, TurnState } from '../state.js';

/**
 * Whether a call may be made now. The head's calls are never made in vain. A call of a later subject may be, so it is made
 * only where it reads and asks no person, and as long as every run that has begun could still be superseded. A run that is likely to be
 * superseded waits for the subjects that would supersede it.
 */
export function mayIssue(state: TurnState, index: number, command: Invoke): boolean {
  if (index === state.head) return true;
  return isSpeculative(command) && state.runs.size <= state.allowance && !waits(state, index);
}

function isSpeculative({ call, subject_id }: Invoke): boolean {
  const isForPerson = foreseeCall(call, subject_id)?.decisions.has('require_approval') === true;
  return call.effect === 'read_only' && call.pending_deadline_ms === undefined && !isForPerson;
}

function waits({ runs, head }: TurnState, index: number): boolean {
  const isDone = (other: number): boolean => other < head || runs.get(other)?.run.stage === 'finished';
  return runs.get(index)?.waits_for?.every(isDone) === false;
}

/** With those of a subject's held calls that are held on. */
export function withHeld(held: TurnState['held'], index: number, rest: readonly SubjectAsker[]): TurnState['held'] {
  return rest.length === 0 ? held.without(index) : held.with(index, rest);
}

/** Makes the held calls that need not wait any more, each subject's in its own order. */
export function releaseHeld(
  program: Program,
  state: TurnState,
): { readonly state: TurnState; readonly commands: readonly Invoke[] } {
  let { awaited, held, runs, budgets } = state;
  const commands: Invoke[] = [];
  for (const [index, askers] of [...state.held].toSorted(([one], [other]) => one - other)) {
    const passed = new Set<SubjectAsker>();
    const free = askers.filter(({ command }) => mayIssue(state, index, command));
    for (const asker of inOrder(free, state.runs.get(index))) {
      const reserved = reserveCall(program, { budgets }, asker.command);
      if (reserved.kind === 'waits') continue;
      passed.add(asker);
      if (reserved.kind === 'refused') {
        runs = withFailure(runs, index, reserved.failure);
        continue;
      }
      ({ budgets } = reserved);
      awaited = awaited.with(asker.command.key, { ...asker, command: reserved.command });
      commands.push(reserved.command);
    }
    if (passed.size === 0) continue;
    held = withHeld(
      held,
      index,
      askers.filter((asker) => !passed.has(asker)),
    );
  }
  return { state: { ...state, awaited, held, runs, budgets }, commands };
}

/** A run that asks nothing more. */
function withFailure(runs: TurnState['runs'], index: number, failure: Fail): TurnState['runs'] {
  const started = runs.get(index);
  return started === undefined ? runs : runs.with(index, { ...started, run: { ...started.run, failure } });
}

/** A run that was folded again has kept some of its calls, and made others anew. */
function inOrder(askers: readonly SubjectAsker[], started: StartedRun | undefined): readonly SubjectAsker[] {
  return [...(started?.run.awaited.keys() ?? [])].flatMap((key) => askers.filter((asker) => asker.key === key));
}
