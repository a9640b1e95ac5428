import { type Outcome, problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { present } from '../../contract/present.js';
import { among } from '../../core/content/nearest-name.js';
import { normaliseEntityId } from '../../core/world/entity-id.js';
import type { Entity } from '../../core/world/world.js';
import type { EffectOrigin, WorldSnapshot } from '../../ports/worlds.js';
import { type Part, readPart, type WantedPart } from '../browse/list-part.js';
import type { Archive } from '../engine.js';
import { showWorld, type TurnPlace, type WorldPlace } from './worlds.js';

/** An entity as it was at the end of a turn. */
interface ShownEntity extends TurnPlace, Entity {
  /** The latest turn of the world. */
  readonly last_turn: number;
}

/** An entity, and a part of its changes up to that turn, the latest first. */
export interface EntityLife extends ShownEntity {
  readonly history: Part<EffectOrigin>;
}

/** The place of an entity; its id is written as people type it. */
export interface EntityPlace extends WorldPlace {
  readonly entity_id: string;
}

/** The canonical id that a person means, by the rules of `normaliseEntityId`. */
export function toEntityId(written: string): Outcome<string> {
  const meant = normaliseEntityId(written);
  return meant.ok ? succeed(meant.id) : refuse(problem('BAD_ENTITY_ID', { written, reason: meant.reason }));
}

/** Several ids at once; those that are absent stay so. */
export function toEntityIds<Name extends string>(
  written: Readonly<Partial<Record<Name, string | undefined>>>,
): Outcome<Readonly<Partial<Record<Name, string>>>> {
  const ids: [string, string][] = [];
  for (const [name, text] of Object.entries<string | undefined>(written)) {
    if (text === undefined) continue;
    const id = toEntityId(text);
    if (!id.ok) return id;
    ids.push([name, id.value]);
  }
  return succeed(Object.fromEntries(ids) as Partial<Record<Name, string>>);
}

/** An entity of a world at the end of a turn; without a turn, as it is. */
export async function showEntity(
  archive: Archive,
  { entity_id, ...place }: EntityPlace,
): Promise<Outcome<ShownEntity>> {
  const id = toEntityId(entity_id);
  if (!id.ok) return id;
  const shown = await showWorld(archive, place);
  if (!shown.ok) return shown;
  const { world_slug, turn, simulation_time, entities } = shown.value;
  const entity = entities.find((one) => one.id === id.value);
  if (entity === undefined) return unknownEntity([shown.value], id.value);
  const world = await archive.store.worlds.find(world_slug);
  return succeed({ world_slug, turn, simulation_time, last_turn: world?.turn ?? turn, ...entity });
}

/** An entity, and a part of its changes. */
export async function showEntityLife(
  archive: Archive,
  place: EntityPlace,
  wanted: WantedPart,
): Promise<Outcome<EntityLife>> {
  const shown = await showEntity(archive, place);
  if (!shown.ok) return shown;
  const { world_slug, id: entity_id, turn: until } = shown.value;
  const history = await readPart<EffectOrigin>(wanted, {
    cursor: 'effect',
    keyOf: ({ turn, patch_seq, effect_index }) => [turn, patch_seq, effect_index].join('.'),
    read: async ({ after, limit }) => {
      const before = after?.split('.').map(Number) as [number, number, number] | undefined;
      return succeed(
        await archive.store.worlds.entityEffects(world_slug, { entity_id, until, limit, ...present({ before }) }),
      );
    },
  });
  return history.ok ? succeed({ ...shown.value, history: history.value }) : history;
}

/** Refuses an id that no entity of these worlds has. */
export function findUnknownEntity(
  worlds: readonly Pick<WorldSnapshot, 'world_slug' | 'entities'>[],
  ids: readonly (string | undefined)[],
): Refused | undefined {
  const known = worlds.flatMap(({ entities }) => entities.map(({ id }) => id));
  const unknown = ids.find((id) => id !== undefined && !known.includes(id));
  return unknown === undefined ? undefined : unknownEntity(worlds, unknown);
}

/** Refuses an id, with the nearest one that an entity of these worlds has. */
function unknownEntity(worlds: readonly Pick<WorldSnapshot, 'world_slug' | 'entities'>[], name: string): Refused {
  const known = new Set(worlds.flatMap(({ entities }) => entities.map(({ id }) => id)));
  const slugs = worlds.map(({ world_slug }) => world_slug);
  return refuse(problem('ENTITY_UNKNOWN', { name, worlds: slugs, ...among(name, [...known]) }));
}
