import { present } from '../../contract/present.js';
import type { TurnCommand } from '../protocol/command.js';
import type { Verdict } from '../protocol/verdict.js';
import type { TurnState } from './state.js';

/** The result of one event. */
export interface Step {
  readonly state: TurnState;
  readonly commands: readonly TurnCommand[];
  /** The verdict to write beside the call that has ended. */
  readonly verdict?: Verdict;
  /** Calls of runs that other subjects' patches have made obsolete: those under way are to be aborted. */
  readonly discarded?: readonly Discarded[];
}

/** Calls of a run whose subject has made another request since, by their keys outside. */
export interface Discarded {
  readonly subject_id: string;
  readonly keys: readonly string[];
}

/** One step after another, as one. */
export function join(first: Step, second: Step): Step {
  const discarded = [...(first.discarded ?? []), ...(second.discarded ?? [])];
  return present({
    state: second.state,
    commands: [...first.commands, ...second.commands],
    verdict: first.verdict ?? second.verdict,
    discarded: discarded.length === 0 ? undefined : discarded,
  });
}
