import type { JsonObject } from '../../contract/json.js';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { type ApprovalStatus, findGrant } from '../../core/approvals/approval.js';
import { toPointer } from '../../core/content/json-pointer.js';
import { isUuid } from '../../core/content/uuid.js';
import type { ApprovalRecord, GrantRecord, NewGrant } from '../../ports/approvals.js';
import { refuseAltered, showApproval } from './approvals.js';
import type { Archive, Engine } from '../engine.js';
import type { Acknowledgement } from '../settling/reports.js';

/** One grant. */
export async function showGrant({ store }: Archive, grant_id: string): Promise<Outcome<GrantRecord>> {
  const found = isUuid(grant_id) ? await store.grants.find(grant_id) : undefined;
  return found === undefined ? refuse(problem('GRANT_UNKNOWN', { grant_id })) : succeed(found);
}

/** What a person grants: calls like one that was asked for. */
export interface WantedGrant {
  readonly approval_id: string;
  readonly uses: number;
  /** A week where it is left out. */
  readonly hours?: number;
  /** Pointers into the arguments, and the values that must stand there; the arguments of the call where it is left out. */
  readonly arguments?: JsonObject;
  readonly granted_by: string;
  readonly reason?: string;
}

/** The arguments of a call, each by its pointer. */
export function pointAtArguments({ request }: Pick<ApprovalRecord, 'request'>): JsonObject {
  return Object.fromEntries(Object.entries(request).map(([name, value]) => [toPointer([name]), value]));
}

const HOUR_MS = 60 * 60 * 1_000;
/** How long a grant lasts where nobody says. */
export const GRANT_HOURS = 7 * 24;

/** How many calls that wait already a new grant may decide on. */
const WAITING_MAX = 1_000;

/**
 * Approves calls to come of a tool, for a subject, in a world: those with the granted arguments, as often and as long as it
 * says. Calls that wait already and are like these are approved at once. The call that it is made from may have been decided
 * on, or have expired: that stays as it is, and is said.
 * @returns a refusal where the call that it is made from is not such a one
 */
export async function grantCalls(
  engine: Engine,
  wanted: WantedGrant,
): Promise<Outcome<Acknowledgement & { readonly made: GrantRecord }>> {
  const { store, runtime } = engine;
  const asked = await showApproval(engine, wanted.approval_id);
  if (!asked.ok) return asked;
  if (asked.value.is_altered) return refuseAltered(asked.value);
  const { world_slug, tool_name, workflow_subject_entity_id: subject_id, request } = asked.value;
  const { uses, hours = GRANT_HOURS, granted_by, reason = null } = wanted;
  const args = wanted.arguments ?? { '': request };
  const grant_id = runtime.clock.uuid();
  const grant = { grant_id, arguments: args };
  if (findGrant([grant], request) === undefined) return refuse(problem('GRANT_MISSES_CALL', { tool_name }));
  const scope = { world_slug, tool_name, subject_id };
  await store.grants.add({ ...grant, ...scope, uses, granted_by, deadline_ms: hours * HOUR_MS, reason });
  const approved = await approveWaiting(engine, { ...grant, ...scope, granted_by, reason });
  const made = await showGrant(engine, grant_id);
  if (!made.ok) return made;
  const stands = await showApproval(engine, wanted.approval_id);
  if (!stands.ok) return stands;
  const until = `${made.value.deadline.slice(0, 16).replace('T', ' ')} UTC`;
  const further = `${made.value.uses_left} of ${uses} uses are left, until ${until}`;
  const waited = approved === 1 ? 'one call' : approved === 0 ? 'no call' : `${approved} calls`;
  const own = stands.value.grant_id === grant_id ? '' : ` ${OWN_CALL[stands.value.status]}`;
  const message = `${tool_name} is granted: ${waited} that waited may be made; ${further}.${own}`;
  return succeed({ accepted: true, message, world: world_slug, made: made.value });
}

/** How the call stands that a grant is made from, where the grant has not approved it. */
const OWN_CALL: Readonly<Record<ApprovalStatus, string>> = {
  approved: 'The call that it is made from was approved before.',
  denied: 'The call that it is made from stays denied.',
  expired: 'The call that it is made from is not made: nobody decided on it in time.',
  waiting: 'The call that it is made from is not made by it: others used the grant up, or its time is over.',
  superseded: 'The call that it is made from is not made: nothing waits for it any more.',
};

/** Approves what waits, the oldest first, as far as the grant goes. @returns how many calls it has approved */
async function approveWaiting(
  { store, runtime }: Engine,
  {
    world_slug,
    tool_name,
    subject_id,
    grant_id,
    granted_by: decided_by,
    reason,
    ...grant
  }: Omit<NewGrant, 'uses' | 'deadline_ms'>,
): Promise<number> {
  const waiting = await store.approvals.list({ world_slug, status: 'waiting', limit: WAITING_MAX });
  let approved = 0;
  for (const { approval_id, request, ...call } of waiting.toReversed()) {
    const isOfScope =
      !call.is_altered && call.tool_name === tool_name && call.workflow_subject_entity_id === subject_id;
    if (!isOfScope || findGrant([{ ...grant, grant_id }], request) === undefined) continue;
    const decision = { approval_id, decision: 'approved', decided_by, grant_id, reason } as const;
    const decided = await store.approvals.decide({ ...decision, inbox_id: runtime.clock.uuid() });
    approved += decided.kind === 'accepted' ? 1 : 0;
  }
  return approved;
}

/** Takes a grant back: it approves no further call. What it has approved stays approved. */
export async function revokeGrant(engine: Engine, grant_id: string): Promise<Outcome<Acknowledgement>> {
  const found = await showGrant(engine, grant_id);
  if (!found.ok) return found;
  const { world_slug: world, tool_name } = found.value;
  if (await engine.store.grants.revoke(grant_id))
    return succeed({ accepted: true, message: `The grant of ${tool_name} is taken back.`, world });
  return succeed({ accepted: false, reason: 'late', message: 'It approves no call any more.', world });
}
