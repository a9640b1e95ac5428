import type { JsonObject } from '../contract/json.js';
import type { ApprovalGrant, ApprovalStatus, AskedApproval } from '../core/approvals/approval.js';
import type { ApprovalAsked, ApprovalDecided } from '../core/facts/fact.js';

/** A call that waits for a person, or for which one has decided. */
export interface ApprovalRecord {
  readonly approval_id: string;
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  readonly command_key: string;
  readonly status: ApprovalStatus;
  readonly tool_name: string;
  readonly source_hash: string;
  readonly source_label: string;
  readonly effect_class: string;
  readonly workflow_node_id: string | null;
  readonly workflow_subject_entity_id: string | null;
  readonly request: JsonObject;
  /** Where each argument comes from, by its pointer; null where no rule reads it. */
  readonly origins: Readonly<Record<string, readonly string[]>> | null;
  /** The pointer of the deciding rule in its policy, and its reason. */
  readonly rule: string;
  readonly because: string;
  /** Whether its row was changed since a person was asked, or an earlier version asked: then it is not approved. */
  readonly is_altered: boolean;
  /** RFC 3339. */
  readonly asked_at: string;
  readonly deadline: string;
  readonly decided_at: string | null;
  /** Until the decision, or until it is read; null where it is void. */
  readonly waited_ms: number | null;
  /** From when it is read to the deadline; null unless it waits. */
  readonly left_ms: number | null;
  readonly decided_by: string | null;
  /** The grant by which they had decided before. */
  readonly grant_id: string | null;
  readonly reason: string | null;
  /** The call, once it was made. */
  readonly source_invocation_id: string | null;
}

/** How an approval stands, for the driver whose call waits for it. */
export interface ApprovalState {
  readonly approval_id: string;
  readonly status: 'waiting' | 'approved' | 'denied' | 'expired';
  /** In milliseconds since 1970, by the clock of the database. */
  readonly deadline: number;
  readonly reason: string | null;
}

/** An approval, the grants that may cover its call, and what the statement has noted of it. */
export interface AskedState extends ApprovalState {
  readonly grants: readonly ApprovalGrant[];
  readonly facts: readonly (ApprovalAsked | ApprovalDecided)[];
}

/** What a person is asked, with a fresh id and the hash of the call. */
export interface NamedApproval extends AskedApproval {
  readonly approval_id: string;
  readonly binding_hash: string;
}

export interface UsedGrant {
  readonly approval_id: string;
  readonly grant_id: string;
}

export interface Decision {
  readonly approval_id: string;
  readonly decision: 'approved' | 'denied';
  readonly decided_by: string;
  /** The grant that decides, which has one use less then; a person where it is left out. */
  readonly grant_id?: string;
  readonly reason: string | null;
  /** A fresh id, for the message to the attempt. */
  readonly inbox_id: string;
}

/**
 * What came of a decision. `duplicate`: the same was decided before. `decided`: something else was. `late`: its attempt is
 * over, or the call was asked for once more.
 */
export type Decided =
  | {
      readonly kind: 'accepted' | 'duplicate' | 'decided' | 'late';
      readonly world_slug: string;
      readonly attempt_id: string;
    }
  | { readonly kind: 'unknown' };

export interface NewGrant extends ApprovalGrant {
  readonly world_slug: string;
  readonly tool_name: string;
  /** Null for every subject. */
  readonly subject_id: string | null;
  readonly uses: number;
  readonly granted_by: string;
  readonly deadline_ms: number;
  readonly reason: string | null;
}

/** A grant, as people read it. */
export interface GrantRecord extends Omit<NewGrant, 'subject_id' | 'deadline_ms'> {
  /** Whether it still approves calls, or why not. */
  readonly status: 'usable' | 'used_up' | 'expired' | 'revoked';
  readonly workflow_subject_entity_id: string | null;
  readonly uses_left: number;
  readonly granted_at: string;
  readonly deadline: string;
  readonly revoked_at: string | null;
}

/** How people have decided on the calls of one rule. */
export interface ApprovalStatistics {
  readonly rule: string;
  readonly tool_name: string;
  readonly asked: number;
  readonly approved: number;
  readonly denied: number;
  readonly expired: number;
  readonly by_grant: number;
  /** Of decisions by a person: the median in milliseconds; null without one. */
  readonly median_ms: number | null;
  /** Of decisions by a person: the share made in under 3 seconds, from 0 to 1; null without one. */
  readonly hasty: number | null;
}
