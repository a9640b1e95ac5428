import { type Outcome, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import type { NarratedPatch } from '../../ports/worlds.js';
import type { Archive } from '../engine.js';
import { findUnknownEntity, toEntityIds } from './entities.js';
import { showWorld } from './worlds.js';

export interface StoryRequest {
  readonly world_slug: string;
  /** The first turn; 1 by default. */
  readonly from?: number;
  /** The last turn; the world's latest by default. */
  readonly to?: number;
  readonly subject?: string;
  readonly entity?: string;
}

/** The narrated turns of a world. Turns without a narration are left out. */
export interface WorldStory {
  readonly world_slug: string;
  readonly turns: readonly NarratedTurn[];
}

interface NarratedTurn {
  readonly turn: number;
  readonly simulation_time: string;
  readonly patches: readonly (Omit<NarratedPatch, 'turn' | 'simulation_time'> & {
    readonly name: string;
    readonly environment: string | null;
  })[];
}

/** Reads the narrations of a world, those of turns that a fork shares included. */
export async function readStory(archive: Archive, request: StoryRequest): Promise<Outcome<WorldStory>> {
  const { world_slug, from = 1, to } = request;
  const ids = toEntityIds({ subject: request.subject, entity: request.entity });
  if (!ids.ok) return ids;
  const { subject, entity } = ids.value;
  const world = await showWorld(archive, present({ world_slug, turn: to }));
  if (!world.ok) return world;
  const unknown = findUnknownEntity([world.value], [subject, entity]);
  if (unknown !== undefined) return unknown;
  const patches = await archive.store.worlds.patches(world_slug, { after: from - 1, until: world.value.turn });
  const wanted = patches.filter(
    ({ workflow_subject_entity_id: by, touched_entities, narration }) =>
      narration !== '' &&
      (subject === undefined || by === subject) &&
      (entity === undefined || by === entity || touched_entities.includes(entity)),
  );
  const roster = new Map(world.value.entities.map((one) => [one.id, one]));
  const turns = [...new Set(wanted.map(({ turn }) => turn))].map((turn): NarratedTurn => {
    const ofTurn = wanted.filter((patch) => patch.turn === turn);
    return {
      turn,
      simulation_time: ofTurn[0]?.simulation_time ?? '',
      patches: ofTurn.map(({ turn: _turn, simulation_time: _time, ...patch }) => {
        const { name, environment } = roster.get(patch.workflow_subject_entity_id) ?? {};
        return { ...patch, name: name ?? patch.workflow_subject_entity_id, environment: environment ?? null };
      }),
    };
  });
  return succeed({ world_slug, turns });
}
