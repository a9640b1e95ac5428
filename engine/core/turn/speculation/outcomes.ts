import { applyPatch } from '../../world/apply-patch.js';
import type { World, WorldEvent } from '../../world/world.js';

/** The result of a run whose patch the working world has not taken. */
export interface Outcome {
  /** Of the subject, in the scenario's order. */
  readonly index: number;
  readonly event: WorldEvent;
  /** False where the run is at work again: it had this result before, and may well reach it again. */
  readonly is_reached: boolean;
}

/** The world as a subject sees it: with the patches of the subjects before it, as far as they are reached. */
export interface View {
  readonly world: World;
  /** Of that subject. */
  readonly index: number;
}

/** Outcomes by rising index, of which a subject has one at most, with the latest of a subject. */
export function withOutcome(
  outcomes: readonly Outcome[],
  index: number,
  outcome: Outcome | undefined,
): readonly Outcome[] {
  const found = outcomes.findIndex((other) => other.index >= index);
  const at = found === -1 ? outcomes.length : found;
  const replaced = outcomes[at]?.index === index ? 1 : 0;
  if (replaced === 0 && outcome === undefined) return outcomes;
  return outcomes.toSpliced(at, replaced, ...(outcome === undefined ? [] : [outcome]));
}

/** The view of a later subject. It begins with what an earlier one sees, and takes the outcomes between the two alone. */
export function viewOf(index: number, earlier: View, outcomes: readonly Outcome[]): View {
  const between = outcomes.filter((one) => one.is_reached && one.index >= earlier.index && one.index < index);
  return {
    index,
    world: worldAfter(
      earlier.world,
      between.map(({ event }) => event),
    ),
  };
}

export function worldAfter(world: World, events: readonly WorldEvent[]): World {
  if (events.length === 0) return world;
  const after = events.reduce((now, { patch, origins }) => applyPatch(now, patch, origins).world, world);
  return { ...after, events: [...world.events, ...events] };
}
