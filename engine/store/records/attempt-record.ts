import { sql } from 'kysely';
import type {
  AttemptRecord,
  AttemptSummary,
  AuditRecord,
  PatchEffectRecord,
  PatchRecord,
  TimelineRecord,
} from '../../ports/records.js';
import { CALL_COUNT, traceSummary } from '../attempts/trace-summary.js';
import type { OpenDatabase } from '../database.js';
import { prepare, run, type Runner } from '../statement.js';
import { toJson } from '../stored-json.js';
import { listInvocations } from './invocation-rows.js';

const SUMMARY = [
  'attempt_id',
  'world_slug',
  'attempted_turn',
  'status',
  'failure_class',
  'failure_message',
  'failed_subject_entity_id',
  'failed_node_id',
  'failed_source_invocation_id',
  'started_at',
  'ended_at',
] as const;

// Calls are summed up when the attempt ends; until then they are counted when asked for.
const COUNTED = `CASE WHEN ended_at IS NULL THEN ${CALL_COUNT} ELSE source_invocation_count END`;

interface SummaryRow extends Omit<AttemptSummary, 'started_at' | 'ended_at'> {
  readonly started_at: Date;
  readonly ended_at: Date | null;
}

function toSummary<Row extends SummaryRow>(
  row: Row,
): Omit<Row, 'started_at' | 'ended_at'> & Pick<AttemptSummary, 'started_at' | 'ended_at'> {
  return { ...row, started_at: row.started_at.toISOString(), ended_at: row.ended_at?.toISOString() ?? null };
}

/** A world's attempts, oldest first. */
export async function listAttempts(
  { queries }: Pick<OpenDatabase, 'queries'>,
  world_slug: string,
): Promise<readonly AttemptSummary[]> {
  const rows = await queries
    .selectFrom('attempts')
    .select(SUMMARY)
    .select(sql<number>`${sql.raw(COUNTED)}`.as('source_invocation_count'))
    .where('world_slug', '=', world_slug)
    .orderBy('epoch')
    .execute();
  return rows.map(toSummary);
}

const FIND = prepare(
  'find_attempt',
  `SELECT ${SUMMARY.join(', ')}, ${COUNTED} AS source_invocation_count, epoch, scenario_hash, renderer_version,
     CASE WHEN ended_at IS NULL THEN ${traceSummary(false)} ELSE source_trace_summary END AS source_trace_summary
   FROM attempts WHERE attempt_id = :attempt_id::uuid`,
);

type AttemptRow = SummaryRow &
  Pick<AttemptRecord, 'epoch' | 'scenario_hash' | 'renderer_version' | 'source_trace_summary'>;

/** One attempt with everything that happened in it. */
export async function findAttempt(database: OpenDatabase, attempt_id: string): Promise<AttemptRecord | undefined> {
  const [row] = await run<AttemptRow>(database, FIND, { attempt_id });
  if (!row) return undefined;
  const attempt = { world_slug: row.world_slug, attempt_id };
  return {
    ...toSummary(row),
    patches: await listPatches(database, attempt),
    invocations: await listInvocations(database, attempt),
    timeline: await listTimeline(database, attempt),
    audit: await listAudit(database, attempt),
  };
}

interface AttemptKey {
  readonly [column: string]: string;
  readonly world_slug: string;
  readonly attempt_id: string;
}

const PATCHES = prepare(
  'patches_of_attempt',
  `SELECT patch_seq, workflow_subject_entity_id, workflow_node_id, patch->>'narration' AS narration,
     touched_entities::text[] AS touched_entities,
     (SELECT json_agg(json_build_object('effect_index', effect_index, 'op', op, 'entity_id', entity_id,
        'environment_label', environment_label, 'state_before', state_before, 'state_after', state_after)
        ORDER BY effect_index)
      FROM patch_effects effects
      WHERE effects.world_slug = patches.world_slug AND effects.turn = patches.turn
        AND effects.patch_seq = patches.patch_seq) AS effects
   FROM world_patches patches
   WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid ORDER BY patch_seq`,
);

type PatchRow = Omit<PatchRecord, 'effects'> & { readonly effects: readonly PatchEffectRecord[] | null };

async function listPatches(runner: Runner, attempt: AttemptKey): Promise<readonly PatchRecord[]> {
  const rows = await run<PatchRow>(runner, PATCHES, attempt);
  return rows.map((row) => ({ ...row, effects: row.effects ?? [] }));
}

async function listTimeline({ queries }: OpenDatabase, attempt: AttemptKey): Promise<readonly TimelineRecord[]> {
  const rows = await queries
    .selectFrom('attempt_timeline_events')
    .select(sql<number>`row_number() OVER (ORDER BY event_id)`.as('event_seq'))
    .select(['event_kind', 'occurred_at', 'source_invocation_id', 'workflow_subject_entity_id'])
    .select(['workflow_node_id', 'patch_seq', 'details'])
    .where('world_slug', '=', attempt.world_slug)
    .where('attempt_id', '=', attempt.attempt_id)
    .orderBy('event_id')
    .execute();
  return rows.map((row) => ({
    ...row,
    occurred_at: row.occurred_at.toISOString(),
    details: toJson(row.details),
  }));
}

async function listAudit({ queries }: OpenDatabase, attempt: AttemptKey): Promise<readonly AuditRecord[]> {
  const rows = await queries
    .selectFrom('world_audit_events as audit')
    .innerJoin('attempts', (join) =>
      join.onRef('attempts.world_slug', '=', 'audit.world_slug').onRef('attempts.attempt_id', '=', 'audit.attempt_id'),
    )
    .select(['audit_kind', 'attempts.status as attempt_status', 'source_invocation_id', 'workflow_subject_entity_id'])
    .select(['workflow_node_id', 'patch_seq', 'attempt_number', 'raw_response', 'rejection', 'details'])
    .where('audit.world_slug', '=', attempt.world_slug)
    .where('audit.attempt_id', '=', attempt.attempt_id)
    .orderBy('audit_event_id')
    .execute();
  return rows.map((row) => ({
    ...row,
    raw_response: row.raw_response?.toString('utf8') ?? null,
    details: toJson(row.details),
  }));
}
