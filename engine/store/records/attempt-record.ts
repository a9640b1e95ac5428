import { present } from '../../contract/present.js';
import type { NotNull, RawBuilder } from 'kysely';
import type { AttemptFilter, CountedRows, ListPart } from '../../ports/browse.js';
import type { AttemptRecord, AttemptSummary, AuditRecord, PatchRecord, RanAttempt } from '../../ports/records.js';
import { IS_DOUBTED } from '../attempts/doubt.js';
import { CALL_COUNT, TRACE_SUMMARY } from '../attempts/trace-summary.js';
import { listApprovalsOf } from '../approvals.js';
import { listActions } from '../operator-actions.js';
import { listAwaited } from '../pending/pending-calls.js';
import { type Building, type InAttempt, type InWorld, query } from '../queries.js';
import { prepare, run, type Runner } from '../statement.js';
import { listAgentTurns } from './agent-records.js';
import { listInvocations } from './invocation-rows.js';
import { listTimeline } from './timeline-rows.js';
import { isDriven } from './work-state.js';

// A turn waits for the doubts of one attempt alone; of others they have been set aside.
const DOUBTED = `(
     SELECT count(*)::int FROM worlds JOIN source_invocations AS calls USING (world_slug)
     WHERE worlds.world_slug = attempts.world_slug AND worlds.adoptable_attempt_id = attempts.attempt_id
       AND calls.attempt_id = attempts.attempt_id AND ${IS_DOUBTED})`;

const SUMMARY = [
  ...(['attempt_id', 'world_slug', 'attempted_turn', 'status', 'failure_class', 'failure_message'] as const),
  ...(['failed_subject_entity_id', 'failed_node_id', 'failed_source_invocation_id', 'started_at', 'ended_at'] as const),
] as const;

/** Attempts as lists show them. */
const selectSummaries = ({ from, sql }: Building) =>
  from('attempts')
    .select(SUMMARY)
    .select([sql.raw<number>(CALL_COUNT).as('source_invocation_count'), sql.raw<number>(DOUBTED).as('calls_in_doubt')])
    .select(sql.raw<boolean>(isDriven('attempts')).as('is_driven'));

/** A world's attempts, oldest first. */
export function listAttempts(runner: Runner, world_slug: string): Promise<readonly AttemptSummary[]> {
  return readAttempts(runner, { world_slug });
}

const readAttempts = query((building, { world_slug }: InWorld) =>
  selectSummaries(building).where('world_slug', '=', world_slug).orderBy('epoch'),
);

/** A world's attempts, the latest first, after one of them. */
export const listLatestAttempts = query((building, { after, limit, ...filter }: AttemptFilter & ListPart) => {
  const { world_slug } = filter;
  const latest = selectSummaries(building).where(isWanted(building, filter)).orderBy('epoch', 'desc').limit(limit);
  if (after === undefined) return latest;
  const shown = building.from('attempts as shown').select('shown.epoch').where('shown.attempt_id', '=', after);
  return latest.where('epoch', '<', shown.where('shown.world_slug', '=', world_slug));
});

/** The condition that an attempt is one of those that a list shows. */
const isWanted = ({ sql }: Building, { world_slug, status, turn, failure_class }: AttemptFilter) => {
  const conditions = [
    sql<boolean>`attempts.world_slug = ${world_slug}`,
    status !== undefined && sql<boolean>`attempts.status::text = ${status}`,
    turn !== undefined && sql<boolean>`attempts.attempted_turn = ${turn}::bigint`,
    failure_class !== undefined && sql<boolean>`attempts.failure_class = ${failure_class}`,
  ].filter((condition) => condition !== false);
  return sql<boolean>`${sql.join(conditions, sql` AND `)}`;
};

/** How many of the latest attempts, and no more are looked at, have each status. */
export const countAttempts = query((building, { seen, ...filter }: AttemptFilter & CountedRows) => {
  const { from, sql } = building;
  const latest = from('attempts')
    .select('status')
    .where(isWanted(building, filter))
    .orderBy('epoch', 'desc')
    .limit(seen);
  return from(latest.as('latest'))
    .select(['status', sql<number>`count(*)::int`.as('count')])
    .groupBy('status')
    .orderBy('status');
});

type AtTurn = InWorld & Readonly<Record<'turn' | 'limit', number>>;

/**
 * A world's attempts at one turn, the latest first. Epochs grow with turns: they lie between the commit of the turn before
 * and its own.
 */
export const listAttemptsAtTurn = query((building, { world_slug, turn, limit }: AtTurn) => {
  const { from, sql, lit } = building;
  const epochOfCommit = (of: number | RawBuilder<number>) =>
    from('turns')
      .innerJoin('attempts as by', 'by.attempt_id', 'turns.attempt_id')
      .whereRef('by.world_slug', '=', 'turns.world_slug')
      .where((eb) => eb.and({ 'turns.world_slug': world_slug, 'turns.turn': of }))
      .select('by.epoch');
  return selectSummaries(building)
    .where((eb) => eb.and({ world_slug, attempted_turn: turn }))
    .where('epoch', '>', (eb) => eb.fn.coalesce(epochOfCommit(sql<number>`${turn}::bigint - 1`), lit<number>(0)))
    .where('epoch', '<=', (eb) => eb.fn.coalesce(epochOfCommit(turn), sql<number>`9223372036854775807`))
    .orderBy('epoch', 'desc')
    .limit(limit);
});

const FIND = prepare(
  'find_attempt',
  `SELECT ${SUMMARY.join(', ')}, ${CALL_COUNT} AS source_invocation_count, ${DOUBTED} AS calls_in_doubt, ${isDriven('attempts')} AS is_driven, epoch, take_overs, adopts,
     EXISTS (
       SELECT FROM worlds
       WHERE worlds.world_slug = attempts.world_slug AND adoptable_attempt_id = attempt_id) AS is_adoptable,
     scenario_hash, renderer_version,
     ${TRACE_SUMMARY} AS source_trace_summary,
     (SELECT count(*)::int FROM attempt_events AS noted
      WHERE noted.world_slug = attempts.world_slug AND noted.attempt_id = attempts.attempt_id
        AND noted.event_kind = 'call_superseded') AS superseded_call_count
   FROM attempts WHERE attempt_id = :attempt_id::uuid`,
);

/**
 * One attempt with its patches and calls, as a run reports it.
 * @param calls_max how many of its calls are read; all where it is left out
 */
export async function findRanAttempt(
  runner: Runner,
  attempt_id: string,
  calls_max?: number,
): Promise<RanAttempt | undefined> {
  const [row] = await run<Omit<RanAttempt, 'patches' | 'invocations'>>(runner, FIND, { attempt_id });
  if (!row) return undefined;
  const attempt = { world_slug: row.world_slug, attempt_id };
  return {
    ...row,
    patches: await run<PatchRecord>(runner, PATCHES, attempt),
    invocations: await listInvocations(runner, attempt, present({ limit: calls_max })),
  };
}

/**
 * One attempt with everything that happened in it.
 * @param calls_max how many of its calls are given, and of the entries of its audit; all where it is left out
 */
export async function findAttempt(
  runner: Runner,
  attempt_id: string,
  calls_max?: number,
): Promise<AttemptRecord | undefined> {
  const ran = await findRanAttempt(runner, attempt_id, calls_max);
  if (!ran) return undefined;
  const attempt = { world_slug: ran.world_slug, attempt_id };
  return {
    ...ran,
    awaited: ran.ended_at === null ? await listAwaited(runner, attempt_id) : [],
    approvals: await listApprovalsOf(runner, attempt_id),
    agent_turns: await listAgentTurns(runner, attempt_id),
    timeline: await listTimeline(runner, attempt),
    audit: await listAudit(runner, { ...attempt, limit: calls_max ?? null }),
    operator_actions: await listActions(runner, attempt),
  };
}

interface BoundedAttempt extends InAttempt {
  /** Null for no limit. */
  readonly limit: number | null;
}

const PATCHES = prepare(
  'patches_of_attempt',
  `SELECT patch_seq, workflow_subject_entity_id, workflow_node_id, narration,
     touched_entities::text[] AS touched_entities, source_invocation_id, to_json(origins) AS origins,
     (SELECT llm_call_id FROM source_invocations calls
      WHERE calls.world_slug = patches.world_slug AND calls.source_invocation_id = patches.source_invocation_id)
       AS llm_call_id,
     (SELECT coalesce(json_agg(json_build_object('effect_index', effect_index, 'op', op, 'entity_id', entity_id,
        'environment_label', environment_label, 'state_before', state_before, 'state_after', state_after, 'sources', sources)
        ORDER BY effect_index), '[]')
      FROM patch_effects effects
      WHERE effects.world_slug = patches.world_slug AND effects.turn = patches.turn
        AND effects.patch_seq = patches.patch_seq) AS effects
   FROM world_patches patches
   WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid ORDER BY patch_seq`,
);

const readAudit = query(({ from }, { world_slug, attempt_id, limit }: BoundedAttempt) =>
  from('world_audit_events as events')
    .innerJoin('attempts', 'attempts.attempt_id', 'events.attempt_id')
    .whereRef('attempts.world_slug', '=', 'events.world_slug')
    .select(['audit_kind', 'attempts.status as attempt_status', 'source_invocation_id', 'workflow_subject_entity_id'])
    .select(['workflow_node_id', 'patch_seq', 'attempt_number', 'raw_response', 'rejection', 'details'])
    .where('events.world_slug', '=', world_slug)
    .where('events.attempt_id', '=', attempt_id)
    .orderBy('audit_event_id')
    .limit(limit)
    .$narrowType<{ audit_kind: NotNull }>(),
);

async function listAudit(runner: Runner, attempt: BoundedAttempt): Promise<readonly AuditRecord[]> {
  const rows = await readAudit(runner, attempt);
  return rows.map((row) => ({ ...row, raw_response: row.raw_response?.toString('utf8') ?? null }));
}
