import { advance } from '../core/turn/advance.js';
import type { TurnCommand } from '../core/protocol/command.js';
import { type AskedApproval, bindApproval, findGrant } from '../core/approvals/approval.js';
import type { ApprovalState } from '../ports/approvals.js';
import type { CallUnapproved } from '../ports/sources.js';
import { type Attempt, callOf, moveTo } from './attempt.js';
import { writeAlone } from './journal.js';
import type { RuntimeParts } from './runtime-parts.js';

// A call that a person must approve is not begun: it leaves no record but the approval. Whoever drives the attempt when it
// is decided issues the call again, asks again, and finds the decision.

/** Asks for a call, or finds what was decided of it; a grant that covers it decides at once. */
export async function askApproval(parts: RuntimeParts, attempt: Attempt, asked: AskedApproval): Promise<ApprovalState> {
  const { journal, lease } = attempt;
  const named = { ...asked, approval_id: parts.clock.uuid(), binding_hash: bindApproval(lease.attempt_id, asked) };
  const { grants, facts, ...state } = await writeAlone(journal, () => parts.attempts.askApproval(lease, named));
  attempt.facts.push(...facts);
  const grant = state.status === 'waiting' ? findGrant(grants, asked.request) : undefined;
  if (grant === undefined) return state;
  const use = { approval_id: state.approval_id, grant_id: grant.grant_id };
  const used = await writeAlone(journal, () => parts.attempts.useGrant(lease, use));
  attempt.facts.push(...used);
  return used.length > 0 ? { ...state, status: 'approved' } : state;
}

/** The call waits for a person. It has not been begun, so that nothing of it is on record. */
export function waitForApproval(
  attempt: Attempt,
  { key, approval_id, deadline }: CallUnapproved,
): readonly TurnCommand[] {
  const { start, former } = callOf(attempt, key);
  if (former === undefined) attempt.calls.delete(key);
  else attempt.calls.set(key, former);
  attempt.performances.set(key, start.performance - 1);
  attempt.approvals.set(approval_id, key);
  attempt.onProgress({ kind: 'approval_asked', approval_id, command: start.command, deadline });
  return moveTo(attempt, advance(attempt.program, attempt.state, { kind: 'approval_asked', key, deadline }));
}

/** Something was decided: the call is issued again. A decision on a call that this driver has not asked for yet is found when it does. */
export async function handleDecision(
  parts: RuntimeParts,
  attempt: Attempt,
  message: { readonly inbox_id: string; readonly correlation_id: string | null },
): Promise<readonly TurnCommand[]> {
  await writeAlone(attempt.journal, () => parts.attempts.discard(attempt.lease, message.inbox_id));
  const key = attempt.approvals.get(message.correlation_id ?? '');
  if (key === undefined) return [];
  return moveTo(attempt, advance(attempt.program, attempt.state, { kind: 'approval_decided', key }));
}
