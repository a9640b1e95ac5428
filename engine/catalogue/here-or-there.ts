import type { JsonObject } from '../contract/json.js';
import { present } from '../contract/present.js';
import { type Outcome, refuse } from '../contract/problem.js';
import type { Composition } from '../operations/composition.js';
import type { Engine } from '../operations/engine.js';
import { personHere } from '../operations/people/person-here.js';
import type { Acknowledgement, SaidReport } from '../operations/settling/reports.js';
import { hereOrThere } from '../operations/serving/served.js';
import { noSuchAttempt } from '../operations/running/stop-to-end.js';
import { act, stopHere } from './act.js';
import type { Action } from './action.js';
import { reportCall, stopAttempt } from './actions/calls.js';
import { takeBackTurns } from './actions/worlds.js';
import { fillPath } from './resource.js';

// What a person does at a terminal: on the database, or through the server that holds it.

/**
 * Performs an action here, or through the server that holds the database.
 * @param said what the server is told; undefined where it cannot be asked
 * @param here performs it here
 */
export function actHereOrThere<Value>(
  composition: Composition,
  declared: Pick<Action, 'path' | 'takes'>,
  said: JsonObject | undefined,
  reason: string | undefined,
  here: (engine: Engine) => Promise<Outcome<Value>>,
): Promise<Outcome<Value | Acknowledgement>> {
  if (said === undefined) return hereOrThere(composition, here, undefined);
  const fields = Object.keys(declared.takes).map((name) => [name, said[name]]);
  return hereOrThere(composition, here, {
    path: fillPath(declared.path, said),
    body: present({ ...Object.fromEntries(fields), reason }),
  });
}

/** Performs an action as it is declared, here or there. */
export function actAsPerson<Input extends Readonly<Record<string, unknown>>>(
  composition: Composition,
  declared: Action<Input>,
  input: Input & JsonObject,
  reason?: string,
): Promise<Outcome<Acknowledgement>> {
  return actHereOrThere(composition, declared, input, reason, (engine) =>
    act(engine, declared, input, personHere(reason)),
  );
}

/** Reports the end of a call by hand. */
export function report(
  composition: Composition,
  correlation: string,
  said: SaidReport,
): Promise<Outcome<Acknowledgement>> {
  const [answer, reason] = said.kind === 'answered' ? [said.value] : [undefined, said.message];
  const input = { source_invocation_id: correlation, ...present({ answer }) };
  return actAsPerson(composition, reportCall, input, reason);
}

/** Removes the queued turns of a world that have not begun. */
export function takeBack(composition: Composition, world_slug: string): Promise<Outcome<Acknowledgement>> {
  return actAsPerson(composition, takeBackTurns, { world_slug });
}

/** Stops an attempt. A suspended one ends at once. @param reason kept in the record */
export async function stop(
  composition: Composition,
  attempt_id: string,
  reason?: string,
): Promise<Outcome<Acknowledgement>> {
  const stopped = await actHereOrThere(composition, stopAttempt, { attempt_id }, reason, (engine) =>
    stopHere(engine, attempt_id, personHere(reason)),
  );
  return stopped.ok && stopped.value.reason === 'unknown' ? refuse(noSuchAttempt(attempt_id)) : stopped;
}
