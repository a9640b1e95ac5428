import { SharedMap } from '../content/shared-map.js';
import type { Invoke } from '../protocol/command.js';
import type { StartedRun, SubjectAsker, TurnState } from './state.js';

// Calls that must not be made in vain are held back. Their condition is checked again only after an event that may
// change it: their subject is the head, a subject before it is done, or fewer runs are left to supersede.

/**
 * The head's calls are never made in vain. Those of a later subject may be, where they only read, as long as every run that
 * has begun could still be superseded; one that is likely to be so waits for those that would do it.
 */
export function mayIssue(state: TurnState, index: number, command: Invoke): boolean {
  if (index === state.head) return true;
  return isSpeculative(command) && isCovered(state) && findUndone(state, index) === undefined;
}

function isSpeculative({ call }: Invoke): boolean {
  return call.effect === 'read_only' && call.pending_deadline_ms === undefined;
}

function isCovered({ runs, allowance }: TurnState): boolean {
  return runs.size <= allowance;
}

/** The first subject that a run waits for and that is not done. */
function findUndone({ runs, head }: TurnState, index: number): number | undefined {
  const isDone = (other: number): boolean => other < head || runs.get(other)?.run.stage === 'finished';
  return runs.get(index)?.waits_for?.find((other) => !isDone(other));
}

/** With those of a subject's held calls that are held on. */
export function withHeld(held: TurnState['held'], index: number, rest: readonly SubjectAsker[]): TurnState['held'] {
  return rest.length === 0 ? held.without(index) : held.with(index, rest);
}

/** Notes the subject for which a changed run waits, and unblocks those that wait for the run where it is done. */
export function noteChanged(state: TurnState, index: number, { run }: StartedRun): TurnState {
  const noted = noteBlocker(state, index);
  const waiting = run.stage === 'finished' ? noted.waiting.get(index) : undefined;
  if (waiting === undefined) return noted;
  let { unblocked } = noted;
  for (const other of waiting) unblocked = unblocked.with(other, true);
  return { ...noted, waiting: noted.waiting.without(index), unblocked };
}

function noteBlocker(state: TurnState, index: number): TurnState {
  const askers = state.held.get(index);
  if (askers?.some(({ command }) => isSpeculative(command)) !== true) return state;
  const other = findUndone(state, index);
  if (other === undefined) return { ...state, unblocked: state.unblocked.with(index, true) };
  return { ...state, waiting: state.waiting.with(other, [...(state.waiting.get(other) ?? []), index]) };
}

/** Held calls that need not wait any more: they are made now, each subject's in its own order. */
export function releaseHeld(state: TurnState): { readonly state: TurnState; readonly commands: readonly Invoke[] } {
  if (state.held.size === 0) return { state, commands: [] };
  const unblocked = isCovered(state) ? state.unblocked : SharedMap.empty<number, true>();
  let next: TurnState = isCovered(state) ? { ...state, unblocked: SharedMap.empty() } : state;
  const released: SubjectAsker[] = [];
  for (const index of new Set([state.head, ...unblocked.keys()])) {
    const askers = state.held.get(index) ?? [];
    const free = askers.filter(({ command }) => mayIssue(state, index, command));
    const rest = askers.filter((asker) => !free.includes(asker));
    if (free.length > 0) next = { ...next, held: withHeld(next.held, index, rest) };
    next = noteBlocker(next, index);
    released.push(...inOrder(free, state.runs.get(index)));
  }
  let { awaited } = next;
  for (const asker of released) awaited = awaited.with(asker.command.key, asker);
  const commands = released.toSorted((one, other) => one.index - other.index).map(({ command }) => command);
  return { state: { ...next, awaited }, commands };
}

/** A run that was folded again has kept some of its calls, and made others anew. */
function inOrder(askers: readonly SubjectAsker[], started: StartedRun | undefined): readonly SubjectAsker[] {
  return [...(started?.run.awaited.keys() ?? [])].flatMap((key) => askers.filter((asker) => asker.key === key));
}
