import { type Outcome, succeed } from '../../contract/problem.js';
import { blameChanges, diffWorlds, type EffectsApart, type WorldChange } from '../../core/world/diff-worlds.js';
import type { EffectOrigin, WorldSnapshot } from '../../ports/worlds.js';
import type { Archive } from '../engine.js';
import { findUnknownEntity, toEntityIds } from './entities.js';
import { showWorld, type TurnPlace, type WorldPlace } from './worlds.js';

export interface DiffRequest {
  readonly from: WorldPlace;
  /** May be an earlier turn of the same world, or another world. */
  readonly to: WorldPlace;
  readonly blame: boolean;
  readonly entity?: string;
  /** Only changes by this subject, or of it. */
  readonly subject?: string;
}

/** A change, and on request the effects behind it; of two worlds, those of `from` before those of `to`. */
export type DiffedChange = WorldChange & { readonly blame?: readonly EffectOrigin[] };

export interface WorldDiff {
  /** That of `from`. */
  readonly world_slug: string;
  readonly from: TurnPlace;
  readonly to: TurnPlace;
  readonly changes: readonly DiffedChange[];
}

/**
 * Compares two turns. They are of one world, of two forks that share turns, or of two worlds.
 * @returns with `blame`, for each change the effects that only one of the two places has
 */
export async function diffPlaces(archive: Archive, request: DiffRequest): Promise<Outcome<WorldDiff>> {
  const from = await showWorld(archive, request.from);
  if (!from.ok) return from;
  const to = await showWorld(archive, request.to);
  if (!to.ok) return to;
  const ids = toEntityIds({ entity: request.entity, subject: request.subject });
  if (!ids.ok) return ids;
  const { entity, subject } = ids.value;
  const { blame } = request;
  const unknown = findUnknownEntity([from.value, to.value], [entity, subject]);
  if (unknown !== undefined) return unknown;
  const changes = diffWorlds(from.value, to.value).filter(
    (change) => entity === undefined || (change.kind !== 'environment_content' && change.entity_id === entity),
  );
  const places = { from: toPlace(from.value), to: toPlace(to.value) };
  const { world_slug } = from.value;
  if (!blame && subject === undefined) return succeed({ world_slug, ...places, changes });
  const blamed = blameChanges(changes, await effectsApart(archive, places)).filter(
    (change) => subject === undefined || change.blame.some(({ workflow_subject_entity_id: by }) => by === subject),
  );
  const shown = blame ? blamed : blamed.map(({ blame: _effects, ...change }) => change);
  return succeed({ world_slug, ...places, changes: shown });
}

function toPlace({ world_slug, turn, simulation_time }: WorldSnapshot): TurnPlace {
  return { world_slug, turn, simulation_time };
}

/** Forks share the turns before they parted: the same effects, by the same patches. */
async function effectsApart(
  { store }: Archive,
  { from, to }: { readonly from: TurnPlace; readonly to: TurnPlace },
): Promise<EffectsApart<EffectOrigin>> {
  const after = from.world_slug === to.world_slug ? Math.min(from.turn, to.turn) : 0;
  const ofFrom = await store.worlds.effects(from.world_slug, { after, until: from.turn });
  const ofTo = await store.worlds.effects(to.world_slug, { after, until: to.turn });
  return { from: without(ofFrom, ofTo), to: without(ofTo, ofFrom) };
}

function without(effects: readonly EffectOrigin[], others: readonly EffectOrigin[]): readonly EffectOrigin[] {
  const known = new Set(others.map(nameOf));
  return effects.filter((effect) => !known.has(nameOf(effect)));
}

function nameOf({ attempt_id, patch_seq, effect_index }: EffectOrigin): string {
  return `${attempt_id} ${patch_seq} ${effect_index}`;
}
