import type { Json } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import { decide, foresee, type Foreseen, type PolicedCall, type Ruling } from '../policy/policy.js';
import { type Provenance, UNTRACED } from '../policy/provenance.js';
import type { CallProgram } from './program.js';

export interface CallForPolicy {
  readonly call: Pick<CallProgram, 'policy_id' | 'policy' | 'effect'> & {
    readonly source: Pick<CallProgram['source'], 'label'>;
  };
  readonly subject_id?: string | undefined;
  readonly request: Json;
  /** Where the request comes from; left out, it may come from anywhere. */
  readonly provenance?: Provenance | undefined;
}

const NO_POLICY: Ruling = { decision: 'deny', rule: null, because: 'there is no tool policy' };

/** The policy's decision about a call that is about to be made. @returns undefined for a call that needs no leave */
export function ruleOn({ call, subject_id, request, provenance = UNTRACED }: CallForPolicy): Ruling | undefined {
  const policed = toPoliced(call, subject_id);
  if (policed === undefined) return undefined;
  const { policy } = call;
  return policy === undefined ? NO_POLICY : decide(policy.rules, { ...policed, arguments: request, provenance });
}

/** What policy says of a call before its arguments are known. @returns undefined for a call that needs no leave */
export function foreseeCall(call: CallForPolicy['call'], subject_id: string | undefined): Foreseen | undefined {
  const policed = toPoliced(call, subject_id);
  if (policed === undefined) return undefined;
  const { policy } = call;
  return policy === undefined ? { decisions: new Set(['deny']), ruling: NO_POLICY } : foresee(policy.rules, policed);
}

function toPoliced(
  { policy_id: tool, effect, source }: CallForPolicy['call'],
  subject: string | undefined,
): PolicedCall | undefined {
  return tool === undefined ? undefined : present({ tool, effect, source: source.label, subject });
}
