import type { Json, JsonObject } from '../../contract/json.js';
import { canonicalText, contentHash } from '../content/canonical.js';
import { findAt, pointerTokens } from '../content/json-pointer.js';
import { toStoredText } from '../content/stored-text.js';

/**
 * How a call stands that the policy leaves to a person. A decision is final. `superseded`: its attempt is over, or the call was asked for once more with
 * something else in it, so that no decision has an effect any more.
 */
export type ApprovalStatus = 'waiting' | 'approved' | 'denied' | 'expired' | 'superseded';

/** What a person is shown of a call, and decides on. */
export interface AskedApproval {
  readonly command_key: string;
  readonly tool_name: string;
  readonly source_hash: string;
  readonly effect: string;
  readonly node_id?: string;
  readonly subject_id?: string;
  readonly request: Json;
  /** Where each argument comes from, by its pointer; left out where no rule reads it. */
  readonly origins?: Readonly<Record<string, readonly string[]>>;
  /** The policy, and the pointer of the deciding rule in it. */
  readonly policy_hash: string;
  readonly rule: string;
  readonly because: string;
  /** How long a person has, from now. */
  readonly deadline_ms: number;
}

/**
 * Binds a decision to its call, and to all that a person is shown of it: the tool's definition and effect, the arguments and
 * their origins, the deciding rule and its reason, the subject and the attempt.
 * @returns SHA-256, 64 hex digits; another one for a call that differs in any of these
 */
export function bindApproval(attempt_id: string, asked: Omit<AskedApproval, 'deadline_ms'>): string {
  const { command_key, tool_name, source_hash, effect, request, policy_hash, rule } = asked;
  const { subject_id = null, node_id = null, origins = null } = asked;
  const call = { command_key, tool_name, source_hash, effect, request, origins, subject_id, node_id };
  return contentHash({ attempt_id, ...call, policy_hash, rule, because: toStoredText(asked.because) });
}

/** What the model is told of a call that a person has denied. */
export function sayDenied(name: string, reason: string | null): string {
  return `a person has denied ${name}${reason === null ? '' : `: ${reason}`}`;
}

/** The reason in what `sayDenied` says; undefined without one. */
export function reasonOfDenial(message: string): string | undefined {
  return /^a person has denied [^:]*: ([^]*)$/.exec(message)?.[1];
}

/** A person's decision for calls to come. */
export interface ApprovalGrant {
  readonly grant_id: string;
  /** Pointers into the arguments, and the values that must stand there. */
  readonly arguments: JsonObject;
}

/** The first grant that covers a call with these arguments; undefined where none does. */
export function findGrant<Grant extends ApprovalGrant>(grants: readonly Grant[], request: Json): Grant | undefined {
  return grants.find(({ arguments: wanted }) =>
    Object.entries(wanted).every(([pointer, value]) => {
      const found = findAt(request, pointerTokens(pointer));
      return found !== undefined && canonicalText(found) === canonicalText(value);
    }),
  );
}
