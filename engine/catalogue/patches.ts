import { PATCH_OPERATIONS, WORLD_VALUES } from '../core/world/patch-operations.js';
import type { EffectOperation } from '../core/world/world-patch.js';
import type { PatchEffectRecord, PatchRecord } from '../ports/records.js';
import { type Block, change, faint, links, linkTo, list, note, prose, strong } from './view.js';

/** A patch as the records of its turn and of its attempt have it. */
interface ShownPatch extends Pick<PatchRecord, 'patch_seq' | 'workflow_subject_entity_id' | 'narration'> {
  readonly effects: readonly PatchEffectRecord[];
  /** The call whose answer is the patch. */
  readonly llm_call_id: string | null;
  readonly source_invocation_id?: string | undefined;
  /** Absent in the attempt's own record. */
  readonly attempt_id?: string;
}

/** The names of entities by id. */
export type Names = ReadonlyMap<string, string>;

/** Patches in their order; each can be linked to by its number. */
export function patchList(patches: readonly ShownPatch[], names: Names = new Map()): Block {
  return list(
    patches.map((patch) => drawPatch(patch, names)),
    patches.map(({ patch_seq }) => `patch-${patch_seq}`),
  );
}

/** Its narration, its changes, and the ways to the calls that it came from. */
function drawPatch(patch: ShownPatch, names: Names): readonly Block[] {
  const { patch_seq, workflow_subject_entity_id: subject, narration, effects, llm_call_id } = patch;
  const label = `Why? The prompt behind patch ${patch_seq}`;
  return [
    note(strong(named(subject, names)), faint(` patch ${patch_seq}`)),
    prose(narration),
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
  return change(state_before, state_after, `${owner} ${isAppended(op) ? 'remembers' : 'is now'}`);
}
