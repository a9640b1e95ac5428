import type { Inputs, SubjectProgram } from '../../protocol/program.js';
import { partsOf, targetOf } from '../../world/patch-operations.js';
import type { World, WorldEvent } from '../../world/world.js';

/** Which subjects may read a change at a place, by index: fixed for a turn, since nobody changes its environment. */
export interface Readers {
  /** Subjects that read nothing but their own environment, by that. */
  readonly near: ReadonlyMap<string, readonly number[]>;
  /** All others: any change may concern them. */
  readonly far: readonly number[];
}

/** Where nobody reads anything. */
export const NO_READERS: Readers = { near: new Map(), far: [] };

/** The readers among the subjects of a turn. */
export function listReaders(subjects: readonly SubjectProgram[], { entities }: World): Readers {
  const near = new Map<string, number[]>();
  const far: number[] = [];
  for (const [index, { subject_id, workflow }] of subjects.entries()) {
    const environment = entities.get(subject_id)?.environment;
    if (environment === undefined || !readsNearAlone(workflow.inputs)) {
      far.push(index);
      continue;
    }
    const there = near.get(environment) ?? [];
    there.push(index);
    near.set(environment, there);
  }
  return { near, far };
}

function readsNearAlone({ projections, pointers }: Inputs): boolean {
  return pointers.length === 0 && projections.every(({ scope }) => scope === 'subject_environment');
}

/**
 * The subjects after one whom events may concern, in their order, including everyone whom `affects` names.
 * @param events whose subjects and targets exist
 */
export function readersAfter(
  index: number,
  { near, far }: Readers,
  events: readonly WorldEvent[],
  { entities }: World,
): readonly number[] {
  const places = new Set<string>();
  for (const { subject_id, patch } of events) {
    const changed = patch.effects.map((effect) => ({ kind: targetOf(effect.op), name: partsOf(effect).target }));
    for (const { kind, name } of [{ kind: 'entity_id', name: subject_id }, ...changed]) {
      const place = kind === 'entity_id' ? entities.get(name)?.environment : name;
      if (place !== undefined) places.add(place);
    }
  }
  const there = [...places].flatMap((place) => near.get(place) ?? []);
  return [...there, ...far].filter((reader) => reader > index).toSorted((one, other) => one - other);
}
