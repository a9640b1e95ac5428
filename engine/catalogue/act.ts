import { type Outcome, refuse, succeed } from '../contract/problem.js';
import { present } from '../contract/present.js';
import { type Actor, audit } from '../operations/people/audit.js';
import { findNamed, type NamedScenario, placeRefusal } from '../operations/worlds/change-scenario.js';
import type { AskedAction } from '../operations/composition.js';
import type { Engine } from '../operations/engine.js';
import type { Acknowledgement, Made } from '../operations/settling/reports.js';
import { noSuchAttempt, stopToEnd } from '../operations/running/stop-to-end.js';
import type { WorldSnapshot } from '../ports/worlds.js';
import type { Action, Done } from './action.js';
import { stopAttempt } from './actions/calls.js';
import { forkWorld } from './actions/worlds.js';

/**
 * Performs an action, with an entry in the audit.
 * @returns a refusal, without an entry, where the named thing does not exist, or a new name is taken; else what the
 * operation itself refuses
 */
export async function act<Input, Making extends Made[keyof Made]>(
  engine: Engine,
  declared: Action<Input, Making>,
  input: Input,
  actor: Actor,
): Promise<Outcome<Done<Making>>> {
  const place = await declared.locate(engine, input);
  if (!place.ok) return place;
  return audit(
    engine,
    { ...place.value, action: declared.kind },
    actor,
    (reason) => declared.perform(engine, input, present({ acted_by: actor.acted_by, surface: actor.surface, reason })),
    (acknowledgement) => acknowledgement,
  );
}

/** An action that is to be performed by who has the engine. */
export function ask<Input extends Readonly<Record<string, unknown>>>(
  declared: Action<Input>,
  input: Input,
): AskedAction {
  const { kind } = declared;
  return { kind, input, perform: (engine, actor) => act(engine, declared, input, actor) };
}

/** Performs an action, as `act` does, for a caller that needs what it has made. */
export async function make<Input, Making extends Made[keyof Made]>(
  engine: Engine,
  declared: Action<Input, Making>,
  input: Input,
  actor: Actor,
): Promise<Outcome<Making>> {
  const done = await act(engine, declared, input, actor);
  // An action that has an effect has made what it makes.
  return done.ok ? succeed(done.value.made as Making) : done;
}

/** Stops an attempt, as `act` does; a suspended one ends at once, since no driver may be running. */
export async function stopHere(engine: Engine, attempt_id: string, actor: Actor): Promise<Outcome<Acknowledgement>> {
  if ((await engine.store.records.attempt(attempt_id)) === undefined) return refuse(noSuchAttempt(attempt_id));
  const to_end: typeof stopAttempt = {
    ...stopAttempt,
    perform: (opened, input, { reason }) => stopToEnd(opened, input.attempt_id, reason),
  };
  return act(engine, to_end, { attempt_id }, actor);
}

/** Forks a world, as `act` does, by a scenario that is named by path or hash. @returns the fork, and a sentence on it */
export async function forkByHand(
  engine: Engine,
  {
    named,
    ...request
  }: { readonly world_slug: string; readonly at_turn: number; readonly as: string } & {
    readonly named?: NamedScenario;
  },
  actor: Actor,
): Promise<Outcome<{ readonly world: WorldSnapshot; readonly origin: string }>> {
  const scenario = named && (await findNamed(engine, named));
  if (scenario?.ok === false) return scenario;
  const forked = await act(engine, forkWorld, { ...request, ...present({ scenario: scenario?.value }) }, actor);
  if (!forked.ok) return named === undefined ? forked : placeRefusal(engine, named, forked);
  const { made, message: origin } = forked.value;
  return succeed({ world: made as WorldSnapshot, origin });
}
