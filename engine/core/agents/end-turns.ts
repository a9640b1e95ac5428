import type { AcceptedPatch, Fail } from '../turn/command.js';
import type { AgentBook, AgentTurn } from './book.js';
import type { AgentTurnOutcome } from './status.js';
import { type Ended, type Timed, timed } from './transition.js';

/** How an attempt ends and when, as far as its agents are concerned. */
export type AttemptEnding = (
  | { readonly kind: 'commit'; readonly patches: readonly Pick<AcceptedPatch, 'subject_id' | 'patch_seq'>[] }
  | Fail
) &
  Timed;

/** The end of every agent turn that goes on: the attempt's end is theirs. */
export function endTurns(book: AgentBook, ending: AttemptEnding): readonly (Ended & Timed)[] {
  const ends = [...book.turns.values()].map((turn) =>
    ending.kind === 'commit' ? succeed(turn, ending.patches) : giveUp(turn, ending),
  );
  return timed(ends, ending.at);
}

function succeed({ agent_id }: AgentTurn, patches: Extract<AttemptEnding, { kind: 'commit' }>['patches']): Ended {
  const patch = patches.findLast(({ subject_id }) => subject_id === agent_id);
  if (patch === undefined) throw new Error(`the turn of ${agent_id} ends well and gives no patch`);
  return { kind: 'ended', subject_id: agent_id, outcome: 'success', patch_seq: patch.patch_seq };
}

/** An agent that had answered has nothing to do with the failure, and its patch is not applied. */
function giveUp({ agent_id, answer }: AgentTurn, { failure_class, message, subject_id, call_key }: Fail): Ended {
  if (answer !== null) {
    const failure = { failure_class: 'attempt_failed', message };
    return { kind: 'ended', subject_id: agent_id, outcome: 'failed', failure };
  }
  const blamed = call_key === undefined || subject_id !== agent_id ? {} : { call_key };
  const outcome = outcomeOf(failure_class);
  return { kind: 'ended', subject_id: agent_id, outcome, failure: { failure_class, message, ...blamed } };
}

function outcomeOf(failure_class: Fail['failure_class']): AgentTurnOutcome {
  switch (failure_class) {
    case 'stopped':
      return 'stopped';
    case 'timeout':
      return 'timed_out';
    default:
      return 'failed';
  }
}
