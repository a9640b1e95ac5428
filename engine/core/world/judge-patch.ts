import { findBlankTexts } from './blank-text.js';
import { normaliseEntityId } from './entity-id.js';
import {
  type JudgedPlace,
  partsOf,
  PATCH_OPERATIONS,
  type PatchComplaint,
  type PatchOperation,
  type PatchReach,
  targetOf,
} from './patch-operations.js';
import type { Projected } from './projection.js';
import { entityNames, type Names, placeNames, renderRoster } from './roster.js';
import type { Entity, World } from './world.js';
import type { WorldEffect, WorldPatch } from './world-patch.js';

/** Whose patch is judged. */
interface Patcher {
  readonly subject: Entity;
  /** The subject's projection: rosters name nothing else. */
  readonly projected: Projected;
  readonly may: PatchReach;
}

/** Everything that only the live working world can find wrong with a patch of valid shape. */
export function findPatchComplaints(world: World, patcher: Patcher, patch: WorldPatch): readonly PatchComplaint[] {
  return patch.effects.flatMap((effect, index) => {
    const judged: JudgedPlace = { world, projected: patcher.projected, place: `effects[${index}]` };
    const parts = partsOf(effect);
    return (
      findTargetComplaint(judged, effect, parts.target) ??
      PATCH_OPERATIONS[effect.op].judge?.(judged, parts) ??
      findBreach(patcher, effect, judged.place) ??
      []
    );
  });
}

/** Everything wrong with a patch of valid shape that a person gives: it may touch all there is. */
export function findEditFaults(contents: Projected, patch: WorldPatch): readonly string[] {
  const world = {
    entities: new Map(contents.entities.map((entity) => [entity.id, entity])),
    environments: new Map(contents.environments.map(({ label, content }) => [label, content])),
  };
  const blank = findBlankTexts(patch).map((pointer) => `${pointer} has no character that shows`);
  const faults = patch.effects.flatMap((effect, index) => {
    const judged: JudgedPlace = { world, projected: contents, place: `effects[${index}]` };
    const parts = partsOf(effect);
    return (
      findTargetComplaint(judged, effect, parts.target) ?? PATCH_OPERATIONS[effect.op].judge?.(judged, parts) ?? []
    );
  });
  return [...blank, ...faults.map(({ message }) => message)];
}

function findTargetComplaint(judged: JudgedPlace, { op }: WorldEffect, target: string): PatchComplaint | undefined {
  return targetOf(op) === 'entity_id' ? findEntityComplaint(judged, target) : findEnvironmentComplaint(judged, target);
}

/** Finds a target of an effect that the node's `may` forbids. The target is known to exist. */
function findBreach(patcher: Patcher, effect: WorldEffect, place: string): PatchComplaint | undefined {
  const { target } = partsOf(effect);
  const allowed = listAllowed(patcher, PATCH_OPERATIONS[effect.op], targetOf(effect.op));
  if (allowed === undefined || allowed.some(([id]) => id === target)) return undefined;
  const what = `${place}: ${effect.op} of ${targetOf(effect.op)} ${JSON.stringify(target)}`;
  const message = `${what}, which is not allowed here. Allowed are:\n${renderRoster(target, allowed)}`;
  return { detail: 'disallowed_effect', message };
}

/** The permitted targets; undefined where any is. */
function listAllowed(
  { subject, projected, may }: Patcher,
  { limit, targets }: PatchOperation,
  target: ReturnType<typeof targetOf>,
): Names | undefined {
  const reach = may[limit.member] ?? 'any';
  if (reach === 'any') return undefined;
  if (reach === 'perceived') return targets(projected);
  if (target === 'entity_id') return entityNames([subject]);
  return subject.environment === undefined ? [] : [[subject.environment, '']];
}

function findEntityComplaint({ world, projected, place }: JudgedPlace, entityId: string): PatchComplaint | undefined {
  if (world.entities.has(entityId)) return undefined;
  const named = `${place}.entity_id ${JSON.stringify(entityId)}`;
  const roster = `Entity ids that exist here:\n${renderRoster(entityId, entityNames(projected.entities))}`;
  const normalised = normaliseEntityId(entityId);
  if (!normalised.ok) {
    return { detail: 'unknown_entity', message: `${named} is not a valid entity id: ${normalised.reason}. ${roster}` };
  }
  if (world.entities.has(normalised.id)) {
    return {
      detail: 'near_miss_entity',
      message: `${named} must be written exactly as ${JSON.stringify(normalised.id)}. ${roster}`,
    };
  }
  return {
    detail: 'unknown_entity',
    message: `${named} (canonical form ${JSON.stringify(normalised.id)}) names no entity of this world. ${roster}`,
  };
}

function findEnvironmentComplaint({ world, projected, place }: JudgedPlace, label: string): PatchComplaint | undefined {
  if (world.environments.has(label)) return undefined;
  const roster = `Environments that exist here:\n${renderRoster(label, placeNames(projected))}`;
  const named = `${place}.environment_label ${JSON.stringify(label)}`;
  return { detail: 'unknown_environment', message: `${named} names no environment of this world. ${roster}` };
}
