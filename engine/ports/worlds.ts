import type { Content, Entity } from '../core/world/world.js';
import type { WorldContents } from '../core/world/diff-worlds.js';
import type { PatchEffectRecord, PatchRecord } from './records.js';

export interface WorldRecord {
  readonly world_slug: string;
  readonly scenario_hash: string;
  readonly scenario_label: string;
  /** The latest committed turn. */
  readonly turn: number;
  readonly simulation_time: string;
  readonly created_at: string;
  /** The world that it was forked from, and the turn. */
  readonly forked_from?: { readonly world_slug: string; readonly turn: number };
}

/** The files that a scenario was read from, on the machine where it was. */
export interface ScenarioFiles {
  /** The path that named it, absolute. */
  readonly path: string;
  /** The root of references, absolute; absent where the path implies it. */
  readonly root?: string;
  /** SHA-256 of the bytes of each file, by absolute path. */
  readonly digests: Readonly<Record<string, string>>;
}

/** A scenario that a world has, or had. */
export interface WorldScenario {
  /** The first turn with it, unless another one follows before. */
  readonly from_turn: number;
  readonly scenario_hash: string;
  readonly scenario_label: string;
  readonly chosen_at: string;
  readonly files?: ScenarioFiles;
}

/** A committed patch as a story shows it. */
export interface NarratedPatch extends Omit<PatchRecord, 'workflow_node_id' | 'source_invocation_id' | 'effects'> {
  readonly turn: number;
  readonly simulation_time: string;
  readonly attempt_id: string;
}

export interface WorldStart {
  readonly turn: number;
  readonly environments: readonly ({ readonly label: string } & Content)[];
  readonly entities: readonly Pick<Entity, 'id' | 'state' | 'origins' | 'memory'>[];
}

/** An effect of a committed patch with its origin. */
export interface EffectOrigin extends PatchEffectRecord, Omit<PatchRecord, 'touched_entities' | 'effects'> {
  /** The world that ran the turn: of a fork's shared history, an ancestor. */
  readonly world_slug: string;
  readonly turn: number;
  readonly cognition_workflow_hash: string;
  readonly attempt_id: string;
}

export interface WorldSnapshot extends WorldRecord, WorldContents {}
