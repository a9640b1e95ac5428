import type { EffectOperation } from './world-patch.js';
import type { Entity } from './world.js';

/** What a world held at one turn. */
export interface WorldContents {
  readonly environments: readonly { readonly label: string; readonly content: string }[];
  readonly entities: readonly Entity[];
}

/** One value that is not the same at two turns of a world. */
export type WorldChange = EnvironmentChange | StateChange | MemoryChange;

export interface EnvironmentChange {
  readonly kind: 'environment_content';
  readonly environment_label: string;
  readonly before: string;
  readonly after: string;
}

export interface StateChange {
  readonly kind: 'entity_state';
  readonly entity_id: string;
  readonly before: string;
  readonly after: string;
}

/** A memory that is there at one of the two turns only. */
export interface MemoryChange {
  readonly kind: 'entity_memory';
  readonly entity_id: string;
  /** The turn that it was made in. */
  readonly turn: number;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Every value that changed from one turn of a world to another, which may be the earlier one: environments first, then
 * each entity's state and memories, in the scenario's order. The two must be of one world: it has one roster.
 */
export function diffWorlds(from: WorldContents, to: WorldContents): readonly WorldChange[] {
  const contents = new Map(from.environments.map(({ label, content }) => [label, content]));
  const entities = new Map(from.entities.map((entity) => [entity.id, entity]));
  return [
    ...to.environments.flatMap(({ label, content }): readonly WorldChange[] => {
      const before = contents.get(label) ?? '';
      return before === content
        ? []
        : [{ kind: 'environment_content', environment_label: label, before, after: content }];
    }),
    ...to.entities.flatMap((entity) => diffEntities(entities.get(entity.id), entity)),
  ];
}

function diffEntities(before: Entity | undefined, after: Entity): readonly WorldChange[] {
  const { id: entity_id, state } = after;
  const was = before?.state ?? '';
  return [
    ...(was === state ? [] : [{ kind: 'entity_state' as const, entity_id, before: was, after: state }]),
    ...diffMemories(entity_id, before?.memory ?? [], after.memory),
  ];
}

/** Memories are appended only, so the shorter list is how the longer one begins. */
function diffMemories(entity_id: string, before: Entity['memory'], after: Entity['memory']): readonly MemoryChange[] {
  const gone = before.slice(after.length).map(({ turn, content }) => ({ turn, before: content, after: null }));
  const come = after.slice(before.length).map(({ turn, content }) => ({ turn, before: null, after: content }));
  return [...gone, ...come].map((change) => ({ kind: 'entity_memory', entity_id, ...change }));
}

/** What an effect says of itself, wherever it is kept. */
export interface RecordedEffect {
  readonly turn: number;
  readonly op: EffectOperation;
  readonly entity_id: string | null;
  readonly environment_label: string | null;
}

/** A change with the effects that brought it about, oldest first: the last one left the value as it is. */
export type Blamed<Effect extends RecordedEffect> = WorldChange & { readonly blame: readonly Effect[] };

/**
 * Lays each effect at the change that it had a part in.
 * @param effects all effects of the turns after the earlier of the two, up to the later, in the order of application
 */
export function blameChanges<Effect extends RecordedEffect>(
  changes: readonly WorldChange[],
  effects: readonly Effect[],
): readonly Blamed<Effect>[] {
  const places = groupByPlace(effects);
  const told = new Map<string, number>();
  return changes.map((change) => {
    const place = placeOfChange(change);
    const parts = places.get(place) ?? [];
    if (change.kind !== 'entity_memory') return { ...change, blame: parts };
    // Memories of one turn stand in the order of their effects.
    const nth = told.get(place) ?? 0;
    told.set(place, nth + 1);
    return { ...change, blame: parts.slice(nth, nth + 1) };
  });
}

function groupByPlace<Effect extends RecordedEffect>(
  effects: readonly Effect[],
): ReadonlyMap<string, readonly Effect[]> {
  const places = new Map<string, Effect[]>();
  for (const effect of effects) {
    const place = placeOfEffect(effect);
    const group = places.get(place);
    if (group) group.push(effect);
    else places.set(place, [effect]);
  }
  return places;
}

const KIND_OF_OPERATION = {
  set_entity_state: 'entity_state',
  append_entity_memory: 'entity_memory',
  set_environment_content: 'environment_content',
} as const satisfies Record<EffectOperation, WorldChange['kind']>;

function placeOfEffect({ op, entity_id, environment_label, turn }: RecordedEffect): string {
  const kind = KIND_OF_OPERATION[op];
  return kind === 'entity_memory' ? `${kind} ${entity_id} ${turn}` : `${kind} ${entity_id ?? environment_label}`;
}

function placeOfChange(change: WorldChange): string {
  if (change.kind === 'entity_memory') return `${change.kind} ${change.entity_id} ${change.turn}`;
  return `${change.kind} ${change.kind === 'entity_state' ? change.entity_id : change.environment_label}`;
}
