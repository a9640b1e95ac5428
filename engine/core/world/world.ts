import type { WorldPatch } from './world-patch.js';

export interface Entity {
  readonly id: string;
  readonly name: string;
  readonly kind: 'agent' | 'prop';
  readonly environment?: string;
  readonly goal?: string;
  readonly state: string;
  /** What it remembers, oldest first, and since which turn; 0 for what the scenario began with. */
  readonly memory: readonly { readonly content: string; readonly turn: number }[];
}

export type Memory = Entity['memory'][number];

/** A patch that a working world has taken, in a turn, from a subject. */
export interface WorldEvent {
  readonly turn: number;
  readonly subject_id: string;
  readonly patch: WorldPatch;
}

/** A world at one turn: a value. Patches make new ones. */
export interface World {
  readonly slug: string;
  /** The turn whose end this is; 0 is the scenario's start. */
  readonly turn: number;
  /** Content by environment label, in the scenario's order. */
  readonly environments: ReadonlyMap<string, string>;
  /** By canonical id, in the scenario's order. */
  readonly entities: ReadonlyMap<string, Entity>;
  /** What happened in the latest turns, oldest first: of as many turns as some projection asks for, and of this one. */
  readonly events: readonly WorldEvent[];
}
