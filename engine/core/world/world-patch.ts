import type { WorldPatch } from '../../generated/world-patch.js';

export type { WorldPatch };
export type WorldEffect = WorldPatch['effects'][number];
export type EffectOperation = WorldEffect['op'];

/** One effect with the values immediately before and after it. */
export interface AppliedEffect {
  /** 0-based, within the patch. */
  readonly effect_index: number;
  readonly op: EffectOperation;
  readonly entity_id?: string;
  readonly environment_label?: string;
  /** Absent for memories, which are appended. */
  readonly state_before?: string;
  readonly state_after: string;
  /** Of a memory that an author has a node write: the ids of the memories that the node was shown. */
  readonly sources?: readonly string[];
}

/** A patch that a working world has taken. */
export interface AppliedPatch {
  readonly patch: WorldPatch;
  readonly effects: readonly AppliedEffect[];
  /** Entity ids in the order in which they were first touched. */
  readonly touched_entities: readonly string[];
}
