import type { ListPart } from '../../ports/browse.js';
import type {
  AttemptRecord,
  AttemptSummary,
  AuditRecord,
  PatchEffectRecord,
  PatchRecord,
  RanAttempt,
} from '../../ports/records.js';
import { IS_DOUBTED } from '../attempts/doubt.js';
import { CALL_COUNT, TRACE_SUMMARY } from '../attempts/trace-summary.js';
import type { OpenDatabase } from '../database.js';
import { operatorActions } from '../operator-actions.js';
import { listAwaited } from '../pending/pending-calls.js';
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

const SUMMARY = `attempt_id, world_slug, attempted_turn, status, failure_class, failure_message,
     failed_subject_entity_id, failed_node_id, failed_source_invocation_id, started_at, ended_at,
     ${CALL_COUNT} AS source_invocation_count, ${DOUBTED} AS calls_in_doubt, ${isDriven('attempts')} AS is_driven`;

const SELECT_SUMMARY = `SELECT ${SUMMARY} FROM attempts`;

const LIST = prepare('attempts_of_world', `${SELECT_SUMMARY} WHERE world_slug = :world_slug ORDER BY epoch`);

/** A world's attempts, oldest first. */
export function listAttempts(runner: Runner, world_slug: string): Promise<readonly AttemptSummary[]> {
  return run<AttemptSummary>(runner, LIST, { world_slug });
}

const LATEST = prepare(
  'browse_attempts',
  `${SELECT_SUMMARY} WHERE world_slug = :world_slug AND epoch < coalesce(
     (SELECT epoch FROM attempts AS shown WHERE shown.world_slug = :world_slug AND attempt_id = :after::uuid),
     CASE WHEN :after::uuid IS NULL THEN 9223372036854775807 ELSE 0 END)
   ORDER BY epoch DESC LIMIT :limit`,
);

/** A world's attempts, the latest first, after one of them. */
export function listLatestAttempts(
  runner: Runner,
  world_slug: string,
  { after, limit }: ListPart,
): Promise<readonly AttemptSummary[]> {
  return run<AttemptSummary>(runner, LATEST, { world_slug, after: after ?? null, limit });
}

// Epochs grow with turns: the attempts at one lie between the commit of the turn before and its own.
const epochOfCommit = (turn: string): string =>
  `(SELECT committed.epoch FROM turns JOIN attempts AS committed USING (world_slug, attempt_id)
    WHERE turns.world_slug = :world_slug AND turns.turn = ${turn})`;

const AT_TURN = prepare(
  'browse_attempts_at_turn',
  `${SELECT_SUMMARY} WHERE world_slug = :world_slug AND attempted_turn = :turn
     AND epoch > coalesce(${epochOfCommit(':turn::bigint - 1')}, 0)
     AND epoch <= coalesce(${epochOfCommit(':turn::bigint')}, 9223372036854775807)
   ORDER BY epoch DESC LIMIT :limit`,
);

/** A world's attempts at one turn, the latest first. */
export function listAttemptsAtTurn(
  runner: Runner,
  world_slug: string,
  { turn, limit }: { readonly turn: number; readonly limit: number },
): Promise<readonly AttemptSummary[]> {
  return run<AttemptSummary>(runner, AT_TURN, { world_slug, turn, limit });
}

const FIND = prepare(
  'find_attempt',
  `SELECT ${SUMMARY}, epoch, take_overs, adopts,
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
  database: OpenDatabase,
  attempt_id: string,
  calls_max?: number,
): Promise<RanAttempt | undefined> {
  const [row] = await run<Omit<RanAttempt, 'patches' | 'invocations'>>(database, FIND, { attempt_id });
  if (!row) return undefined;
  const attempt = { world_slug: row.world_slug, attempt_id };
  const bounded = { ...attempt, limit: toEventLimit(calls_max) };
  return {
    ...row,
    patches: await listPatches(database, bounded),
    invocations: await listInvocations(database, attempt, calls_max === undefined ? {} : { limit: calls_max }),
  };
}

function toEventLimit(calls_max: number | undefined): number | null {
  return calls_max === undefined ? null : calls_max * EVENTS_OF_CALL;
}

/**
 * One attempt with everything that happened in it.
 * @param calls_max how many of its calls are given, and so many events for each; all where it is left out
 */
export async function findAttempt(
  database: OpenDatabase,
  attempt_id: string,
  calls_max?: number,
): Promise<AttemptRecord | undefined> {
  const ran = await findRanAttempt(database, attempt_id, calls_max);
  if (!ran) return undefined;
  const attempt = { world_slug: ran.world_slug, attempt_id };
  const limit = toEventLimit(calls_max);
  const timeline = await listTimeline(database, attempt);
  return {
    ...ran,
    awaited: ran.ended_at === null ? await listAwaited(database, attempt_id) : [],
    agent_turns: await listAgentTurns(database, attempt_id, timeline),
    timeline: limit === null ? timeline : timeline.slice(0, limit),
    audit: await listAudit(database, { ...attempt, limit }),
    operator_actions: await operatorActions(database).list(attempt),
  };
}

/** It starts, is accepted or superseded, and ends. */
const EVENTS_OF_CALL = 3;

interface BoundedAttempt {
  readonly [column: string]: string | number | null;
  readonly world_slug: string;
  readonly attempt_id: string;
  /** Null for no limit. */
  readonly limit: number | null;
}

const PATCHES = prepare(
  'patches_of_attempt',
  `SELECT patch_seq, workflow_subject_entity_id, workflow_node_id, narration,
     touched_entities::text[] AS touched_entities,
     (SELECT json_agg(json_build_object('effect_index', effect_index, 'op', op, 'entity_id', entity_id,
        'environment_label', environment_label, 'state_before', state_before, 'state_after', state_after)
        ORDER BY effect_index)
      FROM patch_effects effects
      WHERE effects.world_slug = patches.world_slug AND effects.turn = patches.turn
        AND effects.patch_seq = patches.patch_seq) AS effects
   FROM world_patches patches
   WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid ORDER BY patch_seq LIMIT :limit`,
);

type PatchRow = Omit<PatchRecord, 'effects'> & { readonly effects: readonly PatchEffectRecord[] | null };

async function listPatches(runner: Runner, attempt: BoundedAttempt): Promise<readonly PatchRecord[]> {
  const rows = await run<PatchRow>(runner, PATCHES, attempt);
  return rows.map((row) => ({ ...row, effects: row.effects ?? [] }));
}

const AUDIT = prepare(
  'audit_of_attempt',
  `SELECT audit_kind, attempts.status AS attempt_status, source_invocation_id, workflow_subject_entity_id,
     workflow_node_id, patch_seq, attempt_number, raw_response, rejection, details
   FROM world_audit_events JOIN attempts USING (world_slug, attempt_id)
   WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid ORDER BY audit_event_id LIMIT :limit`,
);

type AuditRow = Omit<AuditRecord, 'raw_response'> & { readonly raw_response: Buffer | null };

async function listAudit(runner: Runner, attempt: BoundedAttempt): Promise<readonly AuditRecord[]> {
  const rows = await run<AuditRow>(runner, AUDIT, attempt);
  return rows.map((row) => ({ ...row, raw_response: row.raw_response?.toString('utf8') ?? null }));
}
