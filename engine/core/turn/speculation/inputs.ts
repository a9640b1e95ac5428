import { overlaps } from '../../content/json-pointer.js';
import type { Inputs } from '../../protocol/program.js';
import { partsOf, PATCH_OPERATIONS, targetOf } from '../../world/patch-operations.js';
import { perceivesEntity, perceivesPlace } from '../../world/projection.js';
import type { Entity, World, WorldEvent } from '../../world/world.js';
import type { WorldEffect } from '../../world/world-patch.js';

/**
 * Whether a patch can change what a subject reads. It may say so of a patch that changes nothing there, and never says no
 * of one that does.
 */
export function affects({ projections, pointers }: Inputs, world: World, subject: Entity, event: WorldEvent): boolean {
  const actor = world.entities.get(event.subject_id);
  return (
    event.patch.effects.some((effect) => touches(effect, { projections, pointers }, world, subject)) ||
    (actor !== undefined &&
      projections.some((projection) => projection.events !== undefined && perceivesEntity(subject, projection, actor)))
  );
}

function touches(effect: WorldEffect, { projections, pointers }: Inputs, world: World, subject: Entity): boolean {
  const { target } = partsOf(effect);
  if (targetOf(effect.op) === 'environment_label')
    return (
      projections.some((projection) => perceivesPlace(subject, projection, target)) ||
      pointers.some((tokens) => overlaps(tokens, ['world', 'environments', target]))
    );
  if (target === subject.id) return true;
  // An effect that nobody else perceives, such as a memory, is read by no other subject.
  if (PATCH_OPERATIONS[effect.op].perceived_as === undefined) return false;
  const entity = world.entities.get(target);
  return (
    (entity !== undefined && projections.some((projection) => perceivesEntity(subject, projection, entity))) ||
    pointers.some((tokens) => overlaps(tokens, ['world', 'entities', target]))
  );
}
