import { type Outcome, problem, refuse, type Refused, succeed } from '../../contract/problem.js';
import { isUuid } from '../../core/content/uuid.js';
import type { ApprovalRecord, ApprovalStatistics, Decided } from '../../ports/approvals.js';
import type { Archive, Engine } from '../engine.js';
import type { Acknowledgement } from '../settling/reports.js';

/** One call that waits for a person, or for which one has decided. */
export async function showApproval({ store }: Archive, approval_id: string): Promise<Outcome<ApprovalRecord>> {
  const found = isUuid(approval_id) ? await store.approvals.find(approval_id) : undefined;
  return found === undefined ? refuse(problem('APPROVAL_UNKNOWN', { approval_id })) : succeed(found);
}

/** The rules by which persons are asked, and how they decide. */
export interface ApprovalStats {
  readonly rules: readonly (ApprovalStatistics & {
    /** A gate that decides nothing: it was asked ten times or more, and never denied. */
    readonly never_denied: boolean;
  })[];
}

const ASKED_ENOUGH = 10;

/** How persons decide on calls, by rule and tool. */
export async function showApprovalStatistics({ store }: Archive, world_slug?: string): Promise<Outcome<ApprovalStats>> {
  const rules = await store.approvals.statistics(world_slug);
  return succeed({
    rules: rules.map((rule) => ({ ...rule, never_denied: rule.denied === 0 && rule.asked >= ASKED_ENOUGH })),
  });
}

/** A person's decision on one call. */
export interface CallDecision {
  readonly approval_id: string;
  readonly decision: 'approved' | 'denied';
  readonly decided_by: string;
  readonly reason?: string;
}

/**
 * Decides on a call, once: the same decision again changes nothing.
 * @returns a refusal where it was decided otherwise, nobody is asked any more, or an approval would be of an altered row
 */
export async function decideCall(engine: Engine, said: CallDecision): Promise<Outcome<Acknowledgement>> {
  const { approval_id, decision, decided_by, reason = null } = said;
  const asked = await showApproval(engine, approval_id);
  if (!asked.ok) return asked;
  if (decision === 'approved' && asked.value.is_altered) return refuseAltered(asked.value);
  const inbox_id = engine.runtime.clock.uuid();
  const decided = await engine.store.approvals.decide({ approval_id, decision, decided_by, reason, inbox_id });
  return acknowledge(asked.value, decision, decided);
}

/** A person was shown another call than the one that would be made. */
export function refuseAltered({ approval_id, world_slug }: ApprovalRecord): Refused {
  return refuse(problem('APPROVAL_ALTERED', { approval_id, world_slug }));
}

/** The decision is of the row: where an earlier version asked, it is not of the call as this version binds it. */
const DENIED_ALTERED = 'the attempt goes on without the call, or asks for it anew where an earlier version had asked';

function acknowledge(
  { approval_id, tool_name, is_altered }: ApprovalRecord,
  decision: 'approved' | 'denied',
  decided: Decided,
): Outcome<Acknowledgement> {
  if (decided.kind === 'unknown') return refuse(problem('APPROVAL_UNKNOWN', { approval_id }));
  const { kind, world_slug: world, attempt_id } = decided;
  if (kind === 'decided') return refuse(problem('APPROVAL_DECIDED', { approval_id, decision }));
  if (kind === 'late') return refuse(problem('APPROVAL_LATE', { approval_id, world_slug: world }));
  if (kind === 'duplicate')
    return succeed({
      accepted: false,
      reason: 'duplicate',
      message: `This was ${decision} before.`,
      world,
      attempt_id,
    });
  const denied = is_altered ? DENIED_ALTERED : 'the attempt goes on without the call';
  const follows = decision === 'approved' ? 'the attempt makes the call' : denied;
  return succeed({ accepted: true, message: `${tool_name} is ${decision}; ${follows}.`, world, attempt_id });
}
