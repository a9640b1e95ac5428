import { FixedMap } from '../content/fixed-map.js';
import type { Origins } from '../prompt/origins.js';
import type { WorldPatch } from './world-patch.js';

export interface Entity {
  readonly id: string;
  readonly name: string;
  readonly kind: 'agent' | 'prop';
  readonly environment?: string;
  readonly goal?: string;
  readonly state: string;
  /** Of its state; left out where the scenario wrote it. */
  readonly origins?: Origins;
  /** Its memories, oldest first, and their turns; 0 for those of the scenario. */
  readonly memory: readonly Memory[];
}

export type Memory = {
  /** Its turn, and its number among the memories that the agent has of that turn: `3.2`. Left out where no store has it. */
  readonly memory_id?: string;
  readonly content: string;
  readonly turn: number;
  readonly origins?: Origins;
  /**
   * Of a memory that an author has a node write: the ids of the memories that the node was shown. Records have it, and no
   * turn reads it.
   */
  readonly sources?: readonly string[];
};

/** A patch that a working world has taken, in a turn, from a subject. */
export interface WorldEvent {
  readonly turn: number;
  readonly subject_id: string;
  readonly patch: WorldPatch;
  /** Of the patch. */
  readonly origins: Origins;
}

/** An environment's content. */
export interface Content {
  readonly content: string;
  /** Left out where the scenario wrote it. */
  readonly origins?: Origins;
}

/** A world at one turn: a value. Patches make new ones. */
export interface World {
  readonly slug: string;
  /** The turn whose end this is; 0 is the scenario's start. */
  readonly turn: number;
  /** Content by environment label, in the scenario's order. */
  readonly environments: FixedMap<Content>;
  /** By canonical id, in the scenario's order. */
  readonly entities: FixedMap<Entity>;
  /** The ids of the entities in each environment, in the scenario's order. Entities never change their environment. */
  readonly residents: ReadonlyMap<string, readonly string[]>;
  /** The events of the latest turns, oldest first: of as many turns as some projection includes, and of this one. */
  readonly events: readonly WorldEvent[];
}

interface WorldParts extends Pick<World, 'slug' | 'turn' | 'events'> {
  readonly environments: Iterable<readonly [label: string, content: Content]>;
  readonly entities: Iterable<Entity>;
}

/** The world of these parts, which are in the scenario's order. */
export function composeWorld({ slug, turn, environments, entities, events }: WorldParts): World {
  const residents = new Map<string, string[]>();
  const named: [string, Entity][] = [];
  for (const entity of entities) {
    named.push([entity.id, entity]);
    if (entity.environment === undefined) continue;
    const together = residents.get(entity.environment);
    if (together === undefined) residents.set(entity.environment, [entity.id]);
    else together.push(entity.id);
  }
  return { slug, turn, environments: FixedMap.of(environments), entities: FixedMap.of(named), residents, events };
}
