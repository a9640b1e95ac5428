import type { Invoke } from '../../protocol/command.js';
import type { SubjectAsker } from '../asker.js';
import type { StartedRun, TurnState } from '../state.js';

/**
 * Whether a call may be made now. The head's calls are never made in vain. A call of a later subject may be, so it is made
 * only where it reads, and as long as every run that has begun could still be superseded. A run that is likely to be
 * superseded waits for the subjects that would supersede it.
 */
export function mayIssue(state: TurnState, index: number, command: Invoke): boolean {
  if (index === state.head) return true;
  return isSpeculative(command) && isCovered(state) && !waits(state, index);
}

function isSpeculative({ call }: Invoke): boolean {
  return call.effect === 'read_only' && call.pending_deadline_ms === undefined;
}

function isCovered({ runs, allowance }: TurnState): boolean {
  return runs.size <= allowance;
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
export function releaseHeld(state: TurnState): { readonly state: TurnState; readonly commands: readonly Invoke[] } {
  let { awaited, held } = state;
  const released: SubjectAsker[] = [];
  for (const [index, askers] of state.held) {
    const free = askers.filter(({ command }) => mayIssue(state, index, command));
    if (free.length === 0) continue;
    held = withHeld(
      held,
      index,
      askers.filter((asker) => !free.includes(asker)),
    );
    released.push(...inOrder(free, state.runs.get(index)));
  }
  for (const asker of released) awaited = awaited.with(asker.command.key, asker);
  const commands = released.toSorted((one, other) => one.index - other.index).map(({ command }) => command);
  return { state: { ...state, awaited, held }, commands };
}

/** A run that was folded again has kept some of its calls, and made others anew. */
function inOrder(askers: readonly SubjectAsker[], started: StartedRun | undefined): readonly SubjectAsker[] {
  return [...(started?.run.awaited.keys() ?? [])].flatMap((key) => askers.filter((asker) => asker.key === key));
}
