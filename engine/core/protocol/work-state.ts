/** An attempt or a call, as far as its state follows from it. */
interface Work {
  readonly status: string;
  /** A driver holds the attempt. */
  readonly is_driven: boolean;
  /** Of calls: an earlier subject has changed their subject's inputs. */
  readonly is_superseded?: boolean;
}

/** An attempt whose driver is gone is open, and none of its calls is being made. */
export function isUndriven({ status, is_driven }: Work): boolean {
  return status === 'running' && !is_driven;
}

/** How an attempt or a call ended, or how far it is. */
export function stateOf(work: Work): string {
  if (work.is_superseded === true) return 'superseded';
  return isUndriven(work) ? 'driver gone' : work.status;
}

/** The states of a world, the one that needs a person most first. */
const WORLD_STATES = [
  'in doubt',
  'failed',
  'interrupted',
  'driver gone',
  'waits',
  'running',
  'queued',
  'at rest',
  'new',
];

/**
 * What a world does, by its newest attempt and its queue: `in doubt` until somebody settles a call, `waits` for an answer
 * from outside, `at rest` after a committed turn, `new` before its first.
 */
export function stateOfWorld(
  newest: (Work & { readonly is_in_doubt: boolean }) | null,
  { queued_turns }: { readonly queued_turns: number },
): string {
  if (newest?.is_in_doubt === true) return 'in doubt';
  const state = newest === null ? 'new' : stateOf(newest);
  if (state === 'suspended') return 'waits';
  if (state !== 'committed' && state !== 'new') return state;
  if (queued_turns > 0) return 'queued';
  return state === 'new' ? 'new' : 'at rest';
}

/** Compares two states of worlds: the one that needs a person more is first. */
export function compareWorldStates(left: string, right: string): number {
  return WORLD_STATES.indexOf(left) - WORLD_STATES.indexOf(right);
}
