import { type Blamed, blameChanges, diffWorlds, type WorldChange } from '../core/world/diff-worlds.js';
import type { EffectOrigin, WorldSnapshot } from '../ports/worlds.js';
import type { Archive, Done, Refused } from './engine.js';
import { findUnknownEntity } from './tell-world.js';
import { showWorld } from './worlds.js';

export interface DiffRequest {
  readonly world_slug: string;
  readonly from_turn: number;
  /** May be the earlier of the two. */
  readonly to_turn: number;
  readonly blame: boolean;
  readonly entity?: string;
  /** Only what this subject has had a part in. */
  readonly subject?: string;
}

/** A world at one of its turns; as it is where the turn is left out. */
export interface WorldPlace {
  readonly world_slug: string;
  readonly turn?: number;
}

/** A change, and where it was asked for the effects behind it, oldest first: the last one left the value as it is. */
export type DiffedChange = WorldChange & { readonly blame?: readonly EffectOrigin[] };

/** What is different between two turns of a world, or of two worlds. */
export interface WorldDiff {
  /** That of `from`. */
  readonly world_slug: string;
  readonly from: TurnPlace;
  readonly to: TurnPlace;
  readonly changes: readonly DiffedChange[];
}

export interface TurnPlace {
  readonly world_slug: string;
  readonly turn: number;
  readonly simulation_time: string;
}

/** What changed between two turns of a world, its shared history included, and on request what brought it about. */
export async function diffTurns(archive: Archive, request: DiffRequest): Promise<Done<WorldDiff>> {
  const { world_slug, from_turn, to_turn, subject, blame } = request;
  const places = { from: { world_slug, turn: from_turn }, to: { world_slug, turn: to_turn } };
  const diff = await diffPlaces(archive, {
    ...places,
    ...(request.entity === undefined ? {} : { entity: request.entity }),
  });
  if (!diff.ok || (!blame && subject === undefined)) return diff;
  const unknown = await findUnknownSubject(archive, request);
  if (unknown !== undefined) return unknown;
  const blamed = (await blameOn(archive, request, diff.value.changes)).filter(
    (change) => subject === undefined || change.blame.some(({ workflow_subject_entity_id: by }) => by === subject),
  );
  const changes = blame ? blamed : blamed.map(({ blame: _effects, ...change }) => change);
  return { ok: true, value: { ...diff.value, changes } };
}

async function findUnknownSubject(
  archive: Archive,
  { world_slug, to_turn, subject }: DiffRequest,
): Promise<Refused | undefined> {
  if (subject === undefined) return undefined;
  const to = await showWorld(archive, { world_slug, turn: to_turn });
  return to.ok ? findUnknownEntity([to.value], [subject]) : to;
}

/** What is different between two worlds, each at one of its turns. */
export async function diffPlaces(
  archive: Archive,
  request: { readonly from: WorldPlace; readonly to: WorldPlace; readonly entity?: string },
): Promise<Done<WorldDiff>> {
  const from = await showWorld(archive, request.from);
  if (!from.ok) return from;
  const to = await showWorld(archive, request.to);
  if (!to.ok) return to;
  const { entity } = request;
  const unknown = findUnknownEntity([from.value, to.value], [entity]);
  if (unknown !== undefined) return unknown;
  const changes = diffWorlds(from.value, to.value).filter(
    (change) => entity === undefined || (change.kind !== 'environment_content' && change.entity_id === entity),
  );
  const { world_slug } = from.value;
  return { ok: true, value: { world_slug, from: toPlace(from.value), to: toPlace(to.value), changes } };
}

function toPlace({ world_slug, turn, simulation_time }: WorldSnapshot): TurnPlace {
  return { world_slug, turn, simulation_time };
}

/** Read backwards, a difference is owed to the same effects as read forwards. */
async function blameOn(
  archive: Archive,
  { world_slug, from_turn, to_turn }: DiffRequest,
  changes: readonly WorldChange[],
): Promise<readonly Blamed<EffectOrigin>[]> {
  if (changes.length === 0) return [];
  const turns = { after: Math.min(from_turn, to_turn), until: Math.max(from_turn, to_turn) };
  return blameChanges(changes, await archive.store.worlds.effects(world_slug, turns));
}
