import { PATCH_OPERATIONS, WORLD_VALUES } from './patch-operations.js';
import type { EffectOperation } from './world-patch.js';
import type { Content, Entity } from './world.js';
import { pairByName } from '../content/pair-by-name.js';

/** The contents of a world at one turn. */
export interface WorldContents {
  readonly environments: readonly (Content & { readonly label: string })[];
  readonly entities: readonly Entity[];
}

/** One value that is not the same at two turns of a world. */
export type WorldChange = {
  /** Null where that world has no such environment, entity or memory. */
  readonly before: string | null;
  readonly after: string | null;
} & (
  | { readonly kind: 'environment_content'; readonly environment_label: string }
  | { readonly kind: 'entity_state'; readonly entity_id: string }
  | {
      readonly kind: 'entity_memory';
      readonly entity_id: string;
      /** The turn that it was made in. */
      readonly turn: number;
    }
);

/**
 * Every value that is not the same at one turn of a world and at another, which may be earlier, or of another world:
 * environments first, then each entity's state and memories, in the scenario's order.
 */
export function diffWorlds(from: WorldContents, to: WorldContents): readonly WorldChange[] {
  const contents = pairByName(from.environments, to.environments, ({ label }) => label);
  const entities = pairByName(from.entities, to.entities, ({ id }) => id);
  return [
    ...contents.flatMap(([label, before, after]): readonly WorldChange[] =>
      before?.content === after?.content
        ? []
        : [{ kind: 'environment_content', environment_label: label, ...pair(before?.content, after?.content) }],
    ),
    ...entities.flatMap(([id, before, after]) => diffEntities(id, before, after)),
  ];
}

function diffEntities(
  entity_id: string,
  before: Entity | undefined,
  after: Entity | undefined,
): readonly WorldChange[] {
  return [
    ...(before?.state === after?.state
      ? []
      : [{ kind: 'entity_state' as const, entity_id, ...pair(before?.state, after?.state) }]),
    ...diffMemories(entity_id, before?.memory ?? [], after?.memory ?? []),
  ];
}

function pair(before: string | undefined, after: string | undefined): Pick<WorldChange, 'before' | 'after'> {
  return { before: before ?? null, after: after ?? null };
}

/** Memories are appended only, so both lists begin with the shared ones. */
function diffMemories(entity_id: string, before: Entity['memory'], after: Entity['memory']): readonly WorldChange[] {
  const parting = before.findIndex(({ turn, content }, at) => {
    const other = after[at];
    return other?.turn !== turn || other.content !== content;
  });
  const shared = parting === -1 ? before.length : parting;
  const gone = before.slice(shared).map(({ turn, content }) => ({ turn, before: content, after: null }));
  const come = after.slice(shared).map(({ turn, content }) => ({ turn, before: null, after: content }));
  return [...gone, ...come].map((change) => ({ kind: 'entity_memory', entity_id, ...change }));
}

/** The members of an effect in every record. */
export interface RecordedEffect {
  readonly turn: number;
  readonly op: EffectOperation;
  readonly entity_id: string | null;
  readonly environment_label: string | null;
}

/** A change with the effects behind it, oldest first, those of the first place before those of the second. */
type Blamed<Effect extends RecordedEffect> = WorldChange & { readonly blame: readonly Effect[] };

/** The effects that only one of two places has, in the order of application. Effects of both made no difference. */
export interface EffectsApart<Effect extends RecordedEffect> {
  readonly from: readonly Effect[];
  readonly to: readonly Effect[];
}

/** Attributes each effect to the change that it had a part in. */
export function blameChanges<Effect extends RecordedEffect>(
  changes: readonly WorldChange[],
  effects: EffectsApart<Effect>,
): readonly Blamed<Effect>[] {
  const from = groupByPlace(effects.from);
  const to = groupByPlace(effects.to);
  const taken = new Map<string, number>();
  const blamed = changes.toReversed().map((change): Blamed<Effect> => {
    const place = placeOfChange(change);
    if (change.kind !== 'entity_memory')
      return { ...change, blame: [...(from.get(place) ?? []), ...(to.get(place) ?? [])] };
    // Memories of a turn are in the order of their effects, after those that the two places share: so the last change
    // is due to the last effect.
    const side = `${place} ${change.after === null ? 'from' : 'to'}`;
    const later = taken.get(side) ?? 0;
    taken.set(side, later + 1);
    const effect = (change.after === null ? from : to).get(place)?.at(-1 - later);
    return { ...change, blame: effect === undefined ? [] : [effect] };
  });
  return blamed.toReversed();
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

function placeOfEffect({ op, entity_id, environment_label, turn }: RecordedEffect): string {
  const kind = PATCH_OPERATIONS[op].changes;
  return WORLD_VALUES[kind].is_appended ? `${kind} ${entity_id} ${turn}` : `${kind} ${entity_id ?? environment_label}`;
}

function placeOfChange(change: WorldChange): string {
  if (change.kind === 'entity_memory') return `${change.kind} ${change.entity_id} ${change.turn}`;
  return `${change.kind} ${change.kind === 'entity_state' ? change.entity_id : change.environment_label}`;
}
