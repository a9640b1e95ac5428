import { present } from '../../contract/present.js';
import type { ResponseSource } from '../../generated/response-source.js';
import type { EffectClass, Reference } from '../../generated/workflow.js';
import type { Foreseen } from '../policy/policy.js';
import { foreseeCall } from '../protocol/ruling.js';
import { type CompileParts, hashOf, type WorkflowSetting } from './compile-parts.js';

/** A binding whose calls need leave. */
export interface PolicedBinding {
  readonly policy_id: string;
  readonly effect: EffectClass;
  readonly source_ref: Reference;
  /** Its calls are made for no subject. */
  readonly once_per_turn?: boolean | undefined;
}

/** What policy says of a binding's calls, for each of those for whom they are made. */
export function foreseeBinding(
  parts: Pick<CompileParts, 'find'>,
  { policy, subjects }: Pick<WorkflowSetting, 'policy' | 'subjects'>,
  { policy_id, effect, source_ref, once_per_turn }: PolicedBinding,
): readonly (Foreseen & { readonly subject?: string })[] {
  const source = parts.find('response_source', hashOf(source_ref)) as unknown as ResponseSource | undefined;
  const call = present({ policy_id, policy, effect, source: { label: source?.label ?? '' } });
  const served = once_per_turn === true ? [undefined] : subjects;
  return served.flatMap((subject) => {
    const foreseen = foreseeCall(call, subject);
    return foreseen === undefined ? [] : present({ ...foreseen, subject });
  });
}

/** Whether a call is denied, whatever its arguments are. */
export function isDenied({ decisions }: Foreseen): boolean {
  return decisions.size === 1 && decisions.has('deny');
}
