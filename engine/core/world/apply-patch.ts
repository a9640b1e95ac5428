import { unreachable } from '../../contract/unreachable.js';
import type { Entity, World } from './world.js';
import type { AppliedEffect, AppliedPatch, WorldEffect, WorldPatch } from './world-patch.js';

/**
 * The world after a patch, and what each effect found and left. `state_before` is what stood immediately before the
 * effect, earlier patches and effects included. The given world is not changed.
 * @throws Error where the patch was not judged against this world first: that is a bug
 */
export function applyPatch(world: World, patch: WorldPatch): { readonly world: World; readonly applied: AppliedPatch } {
  const entities = new Map(world.entities);
  const environments = new Map(world.environments);
  const effects = patch.effects.map((effect, index) => ({
    effect_index: index,
    ...applyEffect(entities, environments, effect, world.turn + 1),
  }));
  const touched = new Set(effects.flatMap((effect) => effect.entity_id ?? []));
  return { world: { ...world, entities, environments }, applied: { patch, effects, touched_entities: [...touched] } };
}

function applyEffect(
  entities: Map<string, Entity>,
  environments: Map<string, string>,
  effect: WorldEffect,
  turn: number,
): Omit<AppliedEffect, 'effect_index'> {
  switch (effect.op) {
    case 'set_entity_state': {
      const entity = present(entities.get(effect.entity_id), effect.entity_id);
      entities.set(entity.id, { ...entity, state: effect.state });
      return { op: effect.op, entity_id: entity.id, state_before: entity.state, state_after: effect.state };
    }
    case 'append_entity_memory': {
      const entity = present(entities.get(effect.entity_id), effect.entity_id);
      entities.set(entity.id, { ...entity, memory: [...entity.memory, { content: effect.content, turn }] });
      return { op: effect.op, entity_id: entity.id, state_after: effect.content };
    }
    case 'set_environment_content': {
      const before = present(environments.get(effect.environment_label), effect.environment_label);
      environments.set(effect.environment_label, effect.content);
      return {
        op: effect.op,
        environment_label: effect.environment_label,
        state_before: before,
        state_after: effect.content,
      };
    }
    default:
      return unreachable(effect);
  }
}

function present<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`a patch that was not judged names ${name}`);
  return value;
}
