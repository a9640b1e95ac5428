import type { EffectOrigin, NarratedPatch } from '../ports/worlds.js';
import { READABLE } from './lineage.js';
import { prepare, run, type Runner } from './statement.js';

// An effect that leaves what it found changed nothing, so nothing is owed to it.
const CHANGES = `WITH ${READABLE}
   SELECT effect.world_slug, effect.turn, effect.patch_seq, effect.effect_index, effect.op, effect.entity_id,
     effect.environment_label, effect.state_before, effect.state_after, effect.sources, patch.narration,
     patch.workflow_subject_entity_id, patch.workflow_node_id, call.workflow_hash AS cognition_workflow_hash,
     patch.attempt_id, patch.source_invocation_id, call.llm_call_id, to_json(patch.origins) AS origins
   FROM readable
     JOIN patch_effects effect ON effect.world_slug = readable.world_slug
       AND effect.turn > :after AND effect.turn <= readable.until_turn
     JOIN world_patches patch ON patch.world_slug = effect.world_slug AND patch.turn = effect.turn
       AND patch.patch_seq = effect.patch_seq
     JOIN source_invocations call ON call.world_slug = patch.world_slug
       AND call.source_invocation_id = patch.source_invocation_id
   WHERE effect.state_before IS DISTINCT FROM effect.state_after`;

const EFFECTS = prepare(
  'list_effects',
  `${CHANGES}
   ORDER BY effect.turn, effect.patch_seq, effect.effect_index`,
);

/** Effects that changed something in the turns after one, up to another, in the order of application. */
export function listEffects(
  runner: Runner,
  world_slug: string,
  turns: { readonly after: number; readonly until: number },
): Promise<readonly EffectOrigin[]> {
  return run<EffectOrigin>(runner, EFFECTS, { world_slug, after: turns.after, turn: turns.until });
}

/** A part of the changes of one entity, the latest first. */
export interface EntityEffects {
  readonly entity_id: string;
  /** The last turn that counts. */
  readonly until: number;
  /** The turn after which they count; left out, all do. */
  readonly after?: number;
  /** Changes of its state alone, which memories are not. */
  readonly of_state?: boolean;
  /** Turn, patch and effect of the last row of the part before. */
  readonly before?: readonly [turn: number, patch_seq: number, effect_index: number];
  readonly limit: number;
}

const ENTITY_EFFECTS = prepare(
  'list_entity_effects',
  `${CHANGES} AND effect.entity_id = :entity_id AND (effect.state_before IS NOT NULL OR NOT :of_state::boolean)
     AND (effect.turn, effect.patch_seq, effect.effect_index) < (:before_turn, :before_patch, :before_effect)
   ORDER BY effect.turn DESC, effect.patch_seq DESC, effect.effect_index DESC LIMIT :limit`,
);

/** The changes of an entity up to a turn, the latest first. */
export function listEntityEffects(
  runner: Runner,
  world_slug: string,
  { entity_id, until, after = 0, of_state = false, before, limit }: EntityEffects,
): Promise<readonly EffectOrigin[]> {
  const [before_turn, before_patch, before_effect] = before ?? [until + 1, 0, 0];
  const keys = { before_turn, before_patch, before_effect };
  return run<EffectOrigin>(runner, ENTITY_EFFECTS, {
    world_slug,
    entity_id,
    turn: until,
    after,
    of_state,
    ...keys,
    limit,
  });
}

const PATCHES = prepare(
  'list_patches',
  `WITH ${READABLE}
   SELECT patch.turn, turns.simulation_time, patch_seq, patch.workflow_subject_entity_id, patch.narration,
     to_json(touched_entities) AS touched_entities, patch.attempt_id, call.llm_call_id,
     to_json(patch.origins) AS origins
   FROM readable
     JOIN world_patches patch ON patch.world_slug = readable.world_slug
       AND patch.turn > :after AND patch.turn <= readable.until_turn
     JOIN turns ON turns.world_slug = patch.world_slug AND turns.turn = patch.turn
     JOIN source_invocations call ON call.world_slug = patch.world_slug
       AND call.source_invocation_id = patch.source_invocation_id
   ORDER BY patch.turn, patch_seq`,
);

/** Committed patches of the turns after one, up to another, in the order of application. */
export function listPatches(
  runner: Runner,
  world_slug: string,
  turns: { readonly after: number; readonly until: number },
): Promise<readonly NarratedPatch[]> {
  return run<NarratedPatch>(runner, PATCHES, { world_slug, after: turns.after, turn: turns.until });
}
