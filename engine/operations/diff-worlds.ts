import { blameChanges, diffWorlds, type WorldChange } from '../core/world/diff-worlds.js';
import type { EffectOrigin, WorldSnapshot } from '../ports/records.js';
import type { Archive, Done } from './engine.js';
import { showWorld } from './worlds.js';

export interface DiffRequest {
  readonly world_slug: string;
  readonly from_turn: number;
  /** May be the earlier of the two. */
  readonly to_turn: number;
  /** Whether each change is to tell what brought it about. */
  readonly blame: boolean;
}

/** A change, and where it was asked for the effects behind it, oldest first: the last one left the value as it is. */
export type DiffedChange = WorldChange & { readonly blame?: readonly EffectOrigin[] };

/** What is different between two turns of a world. */
export interface WorldDiff {
  readonly world_slug: string;
  readonly from: TurnPlace;
  readonly to: TurnPlace;
  readonly changes: readonly DiffedChange[];
}

export interface TurnPlace {
  readonly turn: number;
  readonly simulation_time: string;
}

/** What changed between two turns of a world, its shared history included, and on request what brought it about. */
export async function diffTurns(archive: Archive, request: DiffRequest): Promise<Done<WorldDiff>> {
  const { world_slug, from_turn, to_turn } = request;
  const from = await showWorld(archive, { world_slug, turn: from_turn });
  if (!from.ok) return from;
  const to = await showWorld(archive, { world_slug, turn: to_turn });
  if (!to.ok) return to;
  const changes = diffWorlds(from.value, to.value);
  return {
    ok: true,
    value: {
      world_slug,
      from: toPlace(from.value),
      to: toPlace(to.value),
      changes: request.blame ? await blame(archive, request, changes) : changes,
    },
  };
}

function toPlace({ turn, simulation_time }: WorldSnapshot): TurnPlace {
  return { turn, simulation_time };
}

/** Read backwards, a difference is owed to the same effects as read forwards. */
async function blame(
  archive: Archive,
  { world_slug, from_turn, to_turn }: DiffRequest,
  changes: readonly WorldChange[],
): Promise<readonly DiffedChange[]> {
  if (changes.length === 0) return [];
  const turns = { after: Math.min(from_turn, to_turn), until: Math.max(from_turn, to_turn) };
  return blameChanges(changes, await archive.store.worlds.effects(world_slug, turns));
}
