import { reportCall, settleCall, stopAttempt } from '../../../catalogue/actions/calls.js';
import { forkWorld, runTurns, takeBackTurns } from '../../../catalogue/actions/worlds.js';
import { isInDoubt } from '../../../operations/settle-call.js';
import type { StoredComponent } from '../../../ports/components.js';
import type { AttemptRecord, InvocationSummary } from '../../../ports/records.js';
import { type Decision, toDecisions } from '../parts/decision.js';

interface WorldTurn {
  readonly world_slug: string;
  readonly turn: number;
  readonly offered_scenarios: readonly StoredComponent[];
}

/** The decisions about a world at its latest turn. */
export function decideWorld(world: WorldTurn): readonly Decision[] {
  const keys = { world_slug: world.world_slug };
  return [...toDecisions(runTurns, keys, { turns: 1 }), ...toDecisions(takeBackTurns, keys), ...decideTurn(world)];
}

/** The decisions about a turn that is over. */
export function decideTurn({ world_slug, turn, offered_scenarios }: WorldTurn): readonly Decision[] {
  const options = [OWN_SCENARIO, ...offered_scenarios.map(toOption)];
  return toDecisions(forkWorld, { world_slug }, { at_turn: turn }, options);
}

const OWN_SCENARIO = { value: '', text: 'the one that this turn had' };

function toOption({ hash, label }: StoredComponent) {
  return { value: hash, text: `${label} (${hash.slice(0, 8)})` };
}

/** The decisions about an attempt. */
export function decideAttempt({ attempt_id, ended_at }: AttemptRecord): readonly Decision[] {
  return ended_at === null ? toDecisions(stopAttempt, { attempt_id }) : [];
}

/** The decisions about a call: a call in doubt is settled, a pending call is reported. */
export function decideCall(call: InvocationSummary): readonly Decision[] {
  const { source_invocation_id, response_json, status } = call;
  if (isInDoubt(call)) return toDecisions(settleCall, { source_invocation_id }, { answer: toText(response_json) });
  return status === 'pending' ? toDecisions(reportCall, { source_invocation_id }) : [];
}

function toText(answer: unknown): string {
  return answer === null ? '' : JSON.stringify(answer, null, 2);
}
