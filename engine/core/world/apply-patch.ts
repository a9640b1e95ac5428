import type { FixedMap } from '../content/fixed-map.js';
import {
  type Draft,
  partsOf,
  PATCH_OPERATIONS,
  targetOf,
  WORLD_VALUES,
  type WorldDraft,
  type WorldValue,
} from './patch-operations.js';
import { type Origins, ofPatch } from '../prompt/origins.js';
import type { World } from './world.js';
import type { AppliedEffect, AppliedPatch, WorldPatch } from './world-patch.js';

/**
 * The world after a patch, with the values before and after each effect. `state_before` is the value immediately before
 * the effect, earlier patches and effects included. The given world is not changed.
 * @param origins of the patch
 * @throws Error where the patch was not judged against this world first: that is a bug
 */
export function applyPatch(
  world: World,
  patch: WorldPatch,
  origins: Origins,
): { readonly world: World; readonly applied: AppliedPatch } {
  const entities = openDraft(world.entities);
  const environments = openDraft(world.environments);
  const draft: WorldDraft = { entities, environments, turn: world.turn + 1, origins: ofPatch(origins) };
  const effects = patch.effects.map((effect, effect_index): AppliedEffect => {
    const { op } = effect;
    const parts = partsOf(effect);
    const left = PATCH_OPERATIONS[op].apply(draft, parts);
    return { effect_index, op, [targetOf(op)]: parts.target, ...left };
  });
  const touched = new Set(effects.flatMap((effect) => effect.entity_id ?? []));
  return {
    world: { ...world, entities: entities.end(), environments: environments.end() },
    applied: { patch, effects, touched_entities: [...touched] },
  };
}

/** Collects changes: a world may have many entities, and a turn many patches, so that nothing else is copied. */
function openDraft<Value>(from: FixedMap<Value>): Draft<Value> & { end(): FixedMap<Value> } {
  const changes = new Map<string, Value>();
  return {
    get: (name) => changes.get(name) ?? from.get(name),
    set: (name, value) => void changes.set(name, value),
    end: () => from.with(changes),
  };
}

/**
 * The effects that a turn stores, by the value that they change: of what is appended all; of anything else the last at each
 * target, unless it leaves what was there at the turn's beginning.
 * @param effects of all patches of the turn, in the order of application
 */
export function effectsToStore<Effect extends AppliedEffect>(
  effects: readonly Effect[],
): (value: WorldValue) => readonly Effect[] {
  return (value) => {
    const { target, is_appended } = WORLD_VALUES[value];
    const chosen = effects.filter(({ op }) => PATCH_OPERATIONS[op].changes === value);
    if (is_appended) return chosen;
    const first = new Map(chosen.toReversed().map((effect) => [effect[target], effect]));
    const last = new Map(chosen.map((effect) => [effect[target], effect]));
    return [...last].flatMap(([id, effect]) => (first.get(id)?.state_before === effect.state_after ? [] : [effect]));
  };
}
