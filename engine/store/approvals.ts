import { present } from '../contract/present.js';
import { bindApproval } from '../core/approvals/approval.js';
import { canonicalText } from '../core/content/canonical.js';
import { toStoredText } from '../core/content/stored-text.js';
import type { AttemptLease } from '../ports/attempts.js';
import type {
  ApprovalRecord,
  ApprovalState,
  ApprovalStatistics,
  AskedState,
  Decided,
  Decision,
  NamedApproval,
  UsedGrant,
} from '../ports/approvals.js';
import { FENCE, findHeld } from './attempts/fence.js';
import type { OpenDatabase } from './database.js';
import { COVERS, IS_USABLE, USED } from './grants.js';
import { APPROVAL_FACT, factOfApproval, type NotedApproval, type NotedKind } from './records/approval-facts.js';
import type { InWorld } from './queries.js';
import { turnOf } from './state-heads.js';
import { prepare, run, type Runner } from './statement.js';

// A call that a person must approve has no record yet: it was not begun. What was decided stands in its row here, and the
// message to the attempt only wakes its driver, which asks again and finds the decision. So nothing is lost between the
// two, and no decision has an effect twice: the call itself is begun once.

// What was asked, and what was decided, are events of the attempt, each noted once: when a driver of it learns of it.
const NOTE = (approval: string, condition: string) => `noted AS (
     INSERT INTO attempt_events (world_slug, attempt_id, event_kind, occurred_at, workflow_node_id,
       workflow_subject_entity_id, details)
     SELECT world_slug, attempt_id,
       CASE status WHEN 'waiting' THEN 'approval_asked' ELSE 'approval_decided' END::timeline_event_kind,
       coalesce(decided_at, asked_at), workflow_node_id, workflow_subject_entity_id,
       json_build_object('approval_id', approval_id, 'tool_name', tool_name, 'status', status)
     FROM ${approval} WHERE ${condition}
     RETURNING event_kind)`;

// A waiting row whose deadline has passed is left to `expireApprovals`.
const ASK = prepare(
  'ask_approval',
  `WITH ${FENCE},
   asked AS (
     INSERT INTO approvals (world_slug, approval_id, attempt_id, command_key, binding_hash, tool_name, source_hash,
       effect_class, workflow_node_id, workflow_subject_entity_id, request_json, origins, policy_hash,
       rule, because, asked_at, deadline)
     SELECT world_slug, :approval_id::uuid, :attempt_id::uuid, :command_key, :binding_hash, :tool_name, :source_hash,
       :effect_class::effect_class, :node_id, :subject_id, 
       :request::json, :origins::json, :policy_hash, :rule, :because, clock_timestamp(),
       clock_timestamp() + :deadline_ms::bigint * interval '1 millisecond'
     FROM fence
     ON CONFLICT (world_slug, attempt_id, command_key, binding_hash) DO NOTHING
     RETURNING *),
   state AS (
     SELECT * FROM asked
     UNION ALL
     SELECT approvals.* FROM fence JOIN approvals USING (world_slug)
     WHERE attempt_id = :attempt_id::uuid AND command_key = :command_key AND binding_hash = :binding_hash),
   ${NOTE(
     'state',
     `approval_id = :approval_id::uuid OR (status <> 'waiting' AND NOT EXISTS (
       SELECT FROM attempt_events AS events
       WHERE events.world_slug = state.world_slug AND events.attempt_id = state.attempt_id
         AND event_kind = 'approval_decided' AND details->>'approval_id' = state.approval_id::text))`,
   )}
   SELECT status, ${APPROVAL_FACT('state')} AS approval, (SELECT event_kind FROM noted) AS noted, (
       SELECT json_agg(json_build_object('grant_id', grant_id, 'arguments', arguments) ORDER BY granted_at)
       FROM approval_grants AS grants WHERE ${COVERS('state')} AND ${IS_USABLE}) AS grants
   FROM state`,
);

interface AskedRow {
  readonly status: ApprovalState['status'];
  readonly approval: NotedApproval;
  /** Which event this statement has written; null where it has written none. */
  readonly noted: NotedKind | null;
  readonly grants: AskedState['grants'] | null;
}

/** Asks a person for a call, once, and says how it stands: one statement. @param approval_id a fresh id */
export async function askApproval(
  runner: Runner,
  lease: AttemptLease,
  { approval_id, binding_hash, ...asked }: NamedApproval,
): Promise<AskedState | 'overtaken'> {
  const { command_key, tool_name, source_hash, effect, node_id, subject_id, request, origins, ...rest } = asked;
  const { policy_hash, rule, because, deadline_ms } = rest;
  const row = await findHeld<AskedRow>(runner, ASK, lease, {
    approval_id,
    binding_hash,
    command_key,
    tool_name,
    source_hash,
    effect_class: effect,
    node_id: node_id ?? null,
    subject_id: subject_id ?? null,
    request: canonicalText(request),
    origins: origins === undefined ? null : canonicalText(origins),
    policy_hash,
    rule,
    because: toStoredText(because),
    deadline_ms,
  });
  if (row === undefined) return 'overtaken';
  const { status, approval, grants, noted } = row;
  const { deadline, reason } = approval;
  const facts = noted === null ? [] : [factOfApproval(noted, approval)];
  return {
    approval_id: approval.approval_id,
    status,
    reason,
    deadline: Date.parse(deadline),
    grants: grants ?? [],
    facts,
  };
}

// The use and the decision are one statement: a grant is used up exactly as often as it says. The approval is locked first,
// so that no use is lost where somebody decides on it at the same moment.
const USE_GRANT = prepare(
  'use_approval_grant',
  `WITH ${FENCE},
   asked AS (
     SELECT approvals.world_slug FROM fence JOIN approvals USING (world_slug)
     WHERE approval_id = :approval_id::uuid AND approvals.status = 'waiting' FOR UPDATE OF approvals),
   ${USED},
   decided AS (
     UPDATE approvals
     SET status = 'approved', decided_at = clock_timestamp(), decided_by = used.granted_by, grant_id = used.grant_id,
       reason = used.reason
     FROM used
     WHERE approvals.world_slug = used.world_slug AND approval_id = :approval_id::uuid AND status = 'waiting'
     RETURNING approvals.*),
   ${NOTE('decided', 'true')}
   SELECT (SELECT ${APPROVAL_FACT('decided')} FROM decided) AS approval, (SELECT event_kind FROM noted) AS noted FROM fence`,
);

/** Approves a call by a grant, which has one use less: one statement. @returns the fact; undefined where it has none left */
export async function useGrant(
  runner: Runner,
  lease: AttemptLease,
  use: UsedGrant,
): Promise<AskedState['facts'] | 'overtaken'> {
  const row = await findHeld<{ readonly approval: NotedApproval | null; readonly noted: NotedKind }>(
    runner,
    USE_GRANT,
    lease,
    {
      ...use,
    },
  );
  if (row === undefined) return 'overtaken';
  return row.approval === null ? [] : [factOfApproval(row.noted, row.approval)];
}

/** An approval that a later one of the same call, or the end of its attempt, has made void. */
const IS_SUPERSEDED = `(attempts.ended_at IS NOT NULL OR EXISTS (
     SELECT FROM approvals AS later
     WHERE later.world_slug = approvals.world_slug AND later.attempt_id = approvals.attempt_id
       AND later.command_key = approvals.command_key AND later.approval_id > approvals.approval_id))`;

// The locks are taken in the order of a take-over: the world, its attempt, the approval. A held attempt cannot end, so
// its driver handles the message.
const DECIDE = prepare(
  'decide_approval',
  `WITH named AS (
     SELECT world_slug, attempt_id FROM approvals WHERE approval_id = :approval_id::uuid),
   world AS (
     SELECT named.* FROM named JOIN worlds USING (world_slug) FOR KEY SHARE OF worlds),
   attempt AS (
     SELECT attempts.* FROM world JOIN attempts USING (world_slug, attempt_id) FOR SHARE OF attempts),
   asked AS (
     SELECT approvals.world_slug FROM attempt AS attempts JOIN approvals USING (world_slug, attempt_id)
     WHERE approval_id = :approval_id::uuid AND approvals.status = 'waiting' AND approvals.deadline > now()
       AND NOT ${IS_SUPERSEDED}
     FOR UPDATE OF approvals),
   ${USED},
   decided AS (
     UPDATE approvals
     SET status = :decision::approval_status, decided_at = clock_timestamp(), decided_by = :decided_by,
       grant_id = :grant_id::uuid, reason = :reason
     FROM asked
     WHERE approvals.world_slug = asked.world_slug AND approval_id = :approval_id::uuid
       AND (:grant_id::uuid IS NULL OR EXISTS (SELECT FROM used))
     RETURNING approvals.world_slug, approvals.attempt_id, workflow_subject_entity_id AS agent_id),
   written AS (
     INSERT INTO agent_inbox (world_slug, inbox_id, message_type, status, attempt_id, agent_id, agent_turn_id,
       turn_epoch, correlation_id, payload, next_retry_at)
     SELECT decided.world_slug, :inbox_id::uuid, 'ui_action', 'pending', decided.attempt_id, decided.agent_id,
       ${turnOf('decided')}, :approval_id::uuid, :payload::json, now()
     FROM decided
     RETURNING world_slug)
   SELECT world_slug, attempt_id, EXISTS (SELECT FROM written) AS is_accepted FROM attempt`,
);

// A statement of its own: it sees what others decided at the same moment.
const LOOK = prepare(
  'look_at_approval',
  `SELECT CASE WHEN approvals.status <> 'waiting' THEN approvals.status::text
       WHEN ${IS_SUPERSEDED} OR deadline <= now() THEN 'late' ELSE 'waiting' END AS status
   FROM approvals JOIN attempts USING (world_slug, attempt_id) WHERE approval_id = :approval_id::uuid`,
);

/** Decides on a call, once, and wakes its attempt: one statement where that is accepted, else two. */
export async function decideApproval(
  database: Pick<OpenDatabase, 'query' | 'ring'>,
  { approval_id, decision, decided_by, grant_id, reason, inbox_id }: Decision,
): Promise<Decided> {
  const said = { decided_by: toStoredText(decided_by), reason: reason === null ? null : toStoredText(reason) };
  const values = {
    approval_id,
    decision,
    grant_id: grant_id ?? null,
    inbox_id,
    ...said,
    payload: canonicalText({ decision, reason: said.reason }),
  };
  const [row] = await run<Readonly<Record<'world_slug' | 'attempt_id', string>> & { readonly is_accepted: boolean }>(
    database,
    DECIDE,
    values,
  );
  if (row === undefined) return { kind: 'unknown' };
  const { world_slug, attempt_id, is_accepted } = row;
  if (is_accepted) database.ring([world_slug]);
  if (is_accepted) return { kind: 'accepted', world_slug, attempt_id };
  const [seen] = await run<{ readonly status: string }>(database, LOOK, { approval_id });
  const status = seen?.status ?? 'late';
  const kind = status === decision ? 'duplicate' : status === 'approved' || status === 'denied' ? 'decided' : 'late';
  return { kind, world_slug, attempt_id };
}

// As of pending calls: each is found once, and a row that another holds is left for the next time.
const EXPIRE = prepare(
  'expire_approvals',
  `WITH due AS (
     SELECT world_slug, approval_id, attempt_id, agent_id, row_number() OVER (ORDER BY deadline) AS place
     FROM (
       SELECT approvals.world_slug, approval_id, approvals.attempt_id, approvals.deadline,
         workflow_subject_entity_id AS agent_id
       FROM approvals JOIN attempts USING (world_slug, attempt_id) JOIN worlds USING (world_slug)
       WHERE approvals.status = 'waiting' AND approvals.deadline <= now() AND attempts.ended_at IS NULL
       ORDER BY approvals.deadline LIMIT cardinality(:inbox_ids::uuid[])
       FOR UPDATE OF approvals SKIP LOCKED FOR KEY SHARE OF attempts, worlds SKIP LOCKED) AS found),
   told AS (
     UPDATE approvals SET status = 'expired', decided_at = now()
     FROM due WHERE approvals.world_slug = due.world_slug AND approvals.approval_id = due.approval_id),
   written AS (
     INSERT INTO agent_inbox (world_slug, inbox_id, message_type, status, attempt_id, agent_id, agent_turn_id,
       turn_epoch, correlation_id, next_retry_at)
     SELECT due.world_slug, ids.inbox_id, 'ui_action', 'pending', due.attempt_id, due.agent_id, ${turnOf('due')},
       due.approval_id, now()
     FROM due JOIN unnest(:inbox_ids::uuid[]) WITH ORDINALITY AS ids (inbox_id, place) USING (place)
     ON CONFLICT (world_slug, correlation_id) WHERE correlation_id IS NOT NULL DO NOTHING
     RETURNING world_slug)
   SELECT world_slug FROM written`,
);

/** Ends what nobody has decided in time, and wakes the attempts: one statement. @param inbox_ids fresh: one for each that may be found */
export async function expireApprovals(
  database: Pick<OpenDatabase, 'query' | 'ring'>,
  inbox_ids: readonly string[],
): Promise<number> {
  const expired = await run<InWorld>(database, EXPIRE, { inbox_ids });
  database.ring(expired.map(({ world_slug }) => world_slug));
  return expired.length;
}

const MILLISECONDS = (interval: string): string => `(extract(epoch FROM ${interval}) * 1000)::float8`;

const SELECT_RECORDS = `
   SELECT approval_id, approvals.world_slug, approvals.attempt_id, attempted_turn, command_key, tool_name, source_hash,
     response_sources.content->>'label' AS source_label, effect_class, workflow_node_id, workflow_subject_entity_id,
     request_json AS request, origins, binding_hash, policy_hash, rule, because, asked_at, approvals.deadline, decided_at,
     CASE WHEN NOT is_superseded THEN ${MILLISECONDS('coalesce(decided_at, now()) - asked_at')} END AS waited_ms,
     CASE WHEN approvals.status = 'waiting' AND NOT is_superseded
       THEN greatest(0, ${MILLISECONDS('approvals.deadline - now()')}) END AS left_ms,
     decided_by, grant_id, reason,
     CASE WHEN is_superseded THEN 'superseded' ELSE approvals.status::text END AS status,
     (SELECT source_invocation_id FROM source_invocations AS calls
      WHERE calls.world_slug = approvals.world_slug AND calls.attempt_id = approvals.attempt_id
        AND calls.command_key = approvals.command_key
      ORDER BY performance DESC LIMIT 1) AS source_invocation_id
   FROM approvals JOIN attempts USING (world_slug, attempt_id)
     JOIN response_sources ON response_sources.hash = approvals.source_hash
     CROSS JOIN LATERAL (SELECT approvals.status = 'waiting' AND ${IS_SUPERSEDED} AS is_superseded) AS stands`;

const FIND = prepare('find_approval', `${SELECT_RECORDS} WHERE approval_id = :approval_id::uuid`);
const LIST = prepare(
  'list_approvals',
  `SELECT * FROM (${SELECT_RECORDS}
     WHERE (:world_slug::text IS NULL OR approvals.world_slug = :world_slug)
       AND (:attempt_id::uuid IS NULL OR approvals.attempt_id = :attempt_id::uuid)
       AND (:after::uuid IS NULL OR approval_id < :after::uuid)) AS listed
   WHERE :status::text IS NULL OR status = :status
   ORDER BY approval_id DESC LIMIT :limit::int`,
);

type ApprovalRow = Omit<ApprovalRecord, 'is_altered'> & {
  readonly binding_hash: string;
  /** Null where an earlier version asked, which bound its decisions to less. */
  readonly policy_hash: string | null;
};

function toRecord({ binding_hash, policy_hash, ...row }: ApprovalRow): ApprovalRecord {
  const { attempt_id, effect_class: effect, workflow_node_id, workflow_subject_entity_id, origins, ...asked } = row;
  const asker = present({
    node_id: workflow_node_id ?? undefined,
    subject_id: workflow_subject_entity_id ?? undefined,
    origins: origins ?? undefined,
  });
  const is_altered =
    policy_hash === null
      ? row.status === 'waiting'
      : bindApproval(attempt_id, { ...asked, ...asker, effect, policy_hash }) !== binding_hash;
  return { ...row, is_altered };
}

export async function findApproval(runner: Runner, approval_id: string): Promise<ApprovalRecord | undefined> {
  return (await run<ApprovalRow>(runner, FIND, { approval_id })).map(toRecord)[0];
}

/** Approvals, the latest first. */
export async function listApprovals(
  runner: Runner,
  wanted: {
    readonly world_slug?: string | null;
    readonly attempt_id?: string | null;
    readonly status?: string | null;
    readonly after?: string | null;
    readonly limit: number;
  },
): Promise<readonly ApprovalRecord[]> {
  const rows = await run<ApprovalRow>(runner, LIST, {
    world_slug: null,
    attempt_id: null,
    status: null,
    after: null,
    ...wanted,
  });
  return rows.map(toRecord);
}

/** How many approvals of an attempt are shown. */
const SHOWN_MAX = 100;

/** The calls of an attempt for which a person was asked, in the order of the questions. */
export async function listApprovalsOf(runner: Runner, attempt_id: string): Promise<readonly ApprovalRecord[]> {
  return (await listApprovals(runner, { attempt_id, limit: SHOWN_MAX })).toReversed();
}

const STATISTICS = prepare(
  'approval_statistics',
  `SELECT rule, tool_name, count(*)::int AS asked, count(*) FILTER (WHERE status = 'approved')::int AS approved,
     count(*) FILTER (WHERE status = 'denied')::int AS denied, count(*) FILTER (WHERE status = 'expired')::int AS expired,
     count(grant_id)::int AS by_grant, percentile_cont(0.5) WITHIN GROUP (ORDER BY took_ms)::float8 AS median_ms,
     avg((took_ms < 3000)::int)::float8 AS hasty
   FROM (
     SELECT *, CASE WHEN status IN ('approved', 'denied') AND grant_id IS NULL
       THEN extract(epoch FROM decided_at - asked_at) * 1000 END AS took_ms
     FROM approvals WHERE :world_slug::text IS NULL OR world_slug = :world_slug) AS timed
   GROUP BY rule, tool_name ORDER BY asked DESC, rule, tool_name`,
);

/** How people decide, by rule and tool: of one world, or of all. */
export function listApprovalStatistics(runner: Runner, world_slug?: string): Promise<readonly ApprovalStatistics[]> {
  return run<ApprovalStatistics>(runner, STATISTICS, { world_slug: world_slug ?? null });
}
