import { PATCH_OPERATIONS, WORLD_VALUES } from '../core/world/patch-operations.js';
import type { EffectOperation } from '../core/world/world-patch.js';
import type { PatchEffectRecord, PatchRecord } from '../ports/records.js';
import { sayOrigins } from './say-origins.js';
import {
  type Block,
  type Blocks,
  change,
  faint,
  links,
  linkTo,
  list,
  type Names,
  note,
  picture,
  prose,
  strong,
  worldTime,
} from './view.js';
import type { TurnStory } from '../operations/browse/worlds.js';
import type { WorldSnapshot } from '../ports/worlds.js';

/** A patch as the records of its turn and of its attempt have it. */
interface ShownPatch extends Pick<PatchRecord, 'patch_seq' | 'workflow_subject_entity_id' | 'narration' | 'origins'> {
  readonly effects: readonly PatchEffectRecord[];
  /** The call whose answer is the patch. */
  readonly llm_call_id: string | null;
  readonly source_invocation_id?: string | undefined;
  /** Absent in the attempt's own record. */
  readonly attempt_id?: string;
}

/** Patches in their order; each can be linked to by its number. */
export function patchList(patches: readonly ShownPatch[], names: Names = new Map()): Block {
  return list(
    patches.map((patch) => drawPatch(patch, names)),
    patches.map(({ patch_seq }) => `patch-${patch_seq}`),
  );
}

/** Turns as prose, the latest first. @param patches_max how many patches of each are shown */
export function drawStory(
  world_slug: string,
  turns: readonly TurnStory[],
  patches_max: number,
  names: Names = new Map(),
): Block {
  return picture(
    { of: 'story', shown: { world_slug, turns, patches_max }, names },
    ...turns.flatMap(({ turn, simulation_time, patches }) => [
      note(strong(`Turn ${turn}`), '  ', worldTime(simulation_time)),
      list(
        patches
          .slice(0, patches_max)
          .map(({ workflow_subject_entity_id: id, narration }) => [
            note(strong(names.get(id) ?? id)),
            prose(narration),
          ]),
      ),
    ]),
  );
}

export function namesIn({ entities }: Pick<WorldSnapshot, 'entities'>): Names {
  return new Map(entities.map(({ id, name }) => [id, name]));
}

/** Its narration, its changes, and the ways to the calls that it came from. */
function drawPatch(patch: ShownPatch, names: Names): Blocks {
  const { patch_seq, workflow_subject_entity_id: subject, narration, effects, llm_call_id } = patch;
  const label = `Why? The prompt behind patch ${patch_seq}`;
  return [
    note(
      strong(named(subject, names)),
      faint(` patch ${patch_seq}${patch.origins === null ? '' : `, from ${sayOrigins(patch.origins)}`}`),
    ),
    narration !== '' && prose(narration),
    ...effects.map((effect) => drawEffect(effect, names)),
    links(
      llm_call_id === null ? null : { ...linkTo('llm_call', llm_call_id, 'Why?'), label },
      linkTo('source_invocation', patch.source_invocation_id ?? null, 'the call'),
      linkTo('attempt', patch.attempt_id ?? null, 'the attempt'),
    ),
  ];
}

function named(id: string, names: Names): string {
  const name = names.get(id) ?? id;
  return name === id ? id : `${name} (${id})`;
}

/** Whether an operation adds to a value, as to a memory, and does not replace it. */
export function isAppended(op: EffectOperation): boolean {
  return WORLD_VALUES[PATCH_OPERATIONS[op].changes].is_appended;
}

export function drawEffect(effect: PatchEffectRecord, names: Names = new Map()): Block {
  const { op, entity_id, environment_label, state_before, state_after } = effect;
  const owner = entity_id === null ? environment_label : named(entity_id, names);
  const sources = effect.sources === null ? '' : `, from ${saySources(effect.sources)},`;
  return change(state_before, state_after, `${owner} ${isAppended(op) ? 'remembers' : 'is now'}${sources}`);
}

/** The memories from which a node wrote one that its author has it write. */
export function saySources(sources: readonly string[]): string {
  return sources.length === 0 ? 'no memory' : `the memories ${sources.join(', ')}`;
}
