import type { PatchStory } from '../../../operations/browse/worlds.js';
import type { WorldSnapshot } from '../../../ports/worlds.js';
import { isAppended } from '../parts/patch.js';

/** The changes of an entity, or of a place, in one turn. */
export interface Mark {
  readonly turn: number;
  /** The patch that caused it: the entity's own, where it acted. */
  readonly patch_seq: number;
  readonly has_acted: boolean;
  /** Absent where the state did not change. */
  readonly state?: string;
  readonly has_new_memory: boolean;
}

/** A row: a place, or an entity in it. */
export interface Line {
  readonly name: string;
  readonly is_place: boolean;
  readonly marks: readonly Mark[];
}

/** One change of an entity or of a place. */
interface Happening extends Partial<Omit<Mark, 'turn' | 'patch_seq'>> {
  readonly key: string;
  readonly turn: number;
  readonly patch_seq: number;
}

/** Places, each with the entities in it, by their changes; entities without any are left out. */
export function linesOf({ environments, entities }: WorldSnapshot, patches: readonly PatchStory[]): readonly Line[] {
  const happened = new Map<string, Happening[]>();
  for (const one of patches.flatMap(happeningsOf)) {
    const known = happened.get(one.key);
    if (known === undefined) happened.set(one.key, [one]);
    else known.push(one);
  }
  const marks = (key: string): readonly Mark[] => toMarks(happened.get(key) ?? []);
  const places = [...environments.map(({ label }) => label), undefined];
  return places.flatMap((label): readonly Line[] => {
    const place = { name: label ?? 'nowhere', is_place: true, marks: marks(placeKey(label ?? '')) };
    const here = entities
      .filter(({ environment }) => environment === label)
      .map(({ id, name }) => ({ name, is_place: false, marks: marks(entityKey(id)) }))
      .filter((line) => line.marks.length > 0);
    return here.length === 0 && place.marks.length === 0 ? [] : [place, ...here];
  });
}

const entityKey = (id: string): string => `entity ${id}`;
const placeKey = (label: string): string => `place ${label}`;

function happeningsOf({ turn, patch_seq, workflow_subject_entity_id: subject, effects }: PatchStory) {
  const at = { turn, patch_seq };
  return [
    { key: entityKey(subject), ...at, has_acted: true },
    ...effects.map(({ op, entity_id, environment_label, state_after }): Happening => {
      const key = entity_id === null ? placeKey(environment_label ?? '') : entityKey(entity_id);
      return isAppended(op) ? { key, ...at, has_new_memory: true } : { key, ...at, state: state_after };
    }),
  ];
}

function toMarks(happened: readonly Happening[]): readonly Mark[] {
  const marks = new Map<number, Mark>();
  for (const { key: _key, ...one } of happened) {
    const known = marks.get(one.turn) ?? { has_acted: false, has_new_memory: false, ...one };
    const patch_seq = one.has_acted === true ? one.patch_seq : known.patch_seq;
    marks.set(one.turn, { ...known, ...one, patch_seq });
  }
  return [...marks.values()];
}
