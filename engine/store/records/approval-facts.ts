import type { ApprovalAsked, ApprovalDecided } from '../../core/facts/fact.js';

// What was asked of a person, and what was decided: their facts, as the statement that notes them and the record give them.

export type NotedKind = (ApprovalAsked | ApprovalDecided)['kind'];

/** The members of both facts, from a row of approvals. */
export const APPROVAL_FACT = (approval: string): string => `json_build_object(${[
  'approval_id',
  'command_key',
  'tool_name',
  'source_hash',
  'effect_class',
  'origins',
  'rule',
  'because',
  'asked_at',
  'deadline',
  'status',
  'decided_at',
  'decided_by',
  'grant_id',
  'reason',
]
  .map((name) => `'${name}', ${approval}.${name}`)
  .join(', ')}, 'subject_id', ${approval}.workflow_subject_entity_id, 'node_id', ${approval}.workflow_node_id,
     'request_hash', encode(sha256(convert_to(${approval}.request_json::text, 'UTF8')), 'hex'))`;

/** What `APPROVAL_FACT` gives. */
export interface NotedApproval
  extends Omit<ApprovalAsked, 'kind' | 'at'>,
    Pick<ApprovalDecided, 'decided_by' | 'grant_id' | 'reason'> {
  readonly asked_at: string;
  readonly status: 'waiting' | ApprovalDecided['decision'];
  readonly decided_at: string | null;
}

/** The fact that an event notes. A row whose decision somebody took back gives another fact than the one that was sealed. */
export function factOfApproval(
  kind: NotedKind,
  { asked_at, status, decided_at, decided_by, grant_id, reason, deadline, ...asked }: NotedApproval,
): ApprovalAsked | ApprovalDecided {
  if (kind === 'approval_asked') return { kind, at: toMoment(asked_at), ...asked, deadline: toMoment(deadline) };
  const { approval_id } = asked;
  const decision = status as ApprovalDecided['decision'];
  return { kind, at: toMoment(decided_at ?? asked_at), approval_id, decision, decided_by, grant_id, reason };
}

function toMoment(stored: string): string {
  return new Date(stored).toISOString();
}
