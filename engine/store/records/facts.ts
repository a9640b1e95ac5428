import type { Json } from '../../contract/json.js';
import { hashOfStored } from '../../core/content/canonical.js';
import { groupBy } from '../../core/content/group-by.js';
import { unreachable } from '../../contract/unreachable.js';
import type {
  AttemptBegan,
  AttemptFailed,
  CallEnded,
  CallStarted,
  Fact,
  NotedKind,
  PatchFact,
} from '../../core/facts/fact.js';
import { patchHash, type TakenPatch } from '../../core/facts/patch-hash.js';
import { prepare, run, type Runner } from '../statement.js';
import { APPROVAL_FACT, factOfApproval, type NotedApproval } from './approval-facts.js';

// The facts of attempts as their record yields them: the same that their drivers emitted. A statement reads those of many
// attempts at once, because a statement for each of them would take most of the time.

const ATTEMPTS = prepare(
  'facts_of_attempts',
  `SELECT attempts.world_slug, attempts.attempt_id, attempted_turn, scenario_hash, renderer_version, plugin_versions,
     started_at, status, ended_at, failure_class, failure_message, failed_subject_entity_id AS subject_id,
     failed_node_id AS node_id, failed_source_invocation_id AS source_invocation_id, simulation_time
   FROM attempts LEFT JOIN turns USING (world_slug, attempt_id)
   WHERE attempts.world_slug = :world_slug AND attempts.attempt_id = ANY (:attempt_ids::uuid[])`,
);

// The whole answer of a model is what streamed from it, and its items. Hashes are made where the answers are, so that none travels.
const CALLS = prepare(
  'facts_of_calls',
  `WITH known AS (
     SELECT attempt_id, source_invocation_id, false AS is_adopted FROM source_invocations
     WHERE world_slug = :world_slug AND attempt_id = ANY (:attempt_ids::uuid[])
     UNION ALL
     SELECT attempt_id, source_invocation_id, true FROM adopted_calls
     WHERE world_slug = :world_slug AND attempt_id = ANY (:attempt_ids::uuid[]))
   SELECT known.attempt_id, calls.started_at, calls.ended_at, coalesce(started_event_id, ended_event_id) AS started_event_id,
     ended_event_id, row_to_json(started) AS started, row_to_json(ended) AS ended
   FROM known JOIN source_invocations AS calls
       ON calls.world_slug = :world_slug AND calls.source_invocation_id = known.source_invocation_id
     LEFT JOIN llm_calls ON llm_calls.world_slug = calls.world_slug AND llm_calls.llm_call_id = calls.llm_call_id
     CROSS JOIN LATERAL (
       SELECT calls.source_invocation_id, calls.invocation_seq, command_key, performance, invocation_kind, effect_class,
         request_hash, encode(sha256(convert_to(argument_origins::text, 'UTF8')), 'hex') AS origins_hash, calls.llm_call_id, source_hash, calls.workflow_hash,
         calls.workflow_subject_entity_id AS subject_id, calls.workflow_node_id AS node_id,
         ambient_source_id AS ambient_id, tool_name, parent_source_invocation_id,
         logical_generation_attempt AS generation_try, llm_calls.model, llm_calls.prefix_hash AS context_hash,
         llm_calls.output_schema_hash AS offered_schema_hash, delivered_schema_hash, schema_delivery, endpoint_origin,
         CASE WHEN is_adopted THEN calls.attempt_id END AS adopted_from, policy_ruling) AS started
     LEFT JOIN LATERAL (
       SELECT calls.source_invocation_id, calls.status, refused, failure_class, failure_detail,
         CASE WHEN calls.status <> 'interrupted' THEN failure_message END AS failure_message, model_output_kind,
         CASE WHEN calls.llm_call_id IS NULL
           THEN encode(sha256(convert_to(response_json::text, 'UTF8')), 'hex')
           WHEN answered THEN encode(sha256(coalesce((
             SELECT string_agg(text, ''::bytea ORDER BY batch_seq) FROM llm_streams AS streamed
             WHERE streamed.world_slug = calls.world_slug AND streamed.llm_call_id = calls.llm_call_id), '')
             || coalesce(convert_to(response_json::text, 'UTF8'), '')), 'hex')
           END AS answer_hash,
         duration_ms, input_tokens, output_tokens, cached_input_tokens, cache_written_input_tokens,
         reasoning_tokens) AS ended ON calls.status NOT IN ('running', 'pending')
   ORDER BY calls.invocation_seq`,
);

const EVENTS = prepare(
  'facts_of_events',
  `SELECT events.attempt_id, event_id, event_kind, occurred_at, events.source_invocation_id, details, settled.performed,
     encode(sha256(convert_to(settled.response_json::text, 'UTF8')), 'hex') AS answer_hash,
     CASE WHEN approvals.approval_id IS NOT NULL THEN ${APPROVAL_FACT('approvals')} END AS approval
   FROM attempt_events AS events LEFT JOIN call_settlements AS settled
     ON settled.world_slug = events.world_slug AND settled.source_invocation_id = events.source_invocation_id
       AND event_kind = 'call_settled'
     LEFT JOIN approvals ON approvals.world_slug = events.world_slug AND event_kind IN ('approval_asked', 'approval_decided')
       AND approvals.attempt_id = events.attempt_id AND approval_id = (details->>'approval_id')::uuid
   WHERE events.world_slug = :world_slug AND events.attempt_id = ANY (:attempt_ids::uuid[])
     AND event_kind NOT IN ('attempt_failed', 'attempt_interrupted')
   ORDER BY event_id`,
);

const PATCHES = prepare(
  'facts_of_patches',
  `SELECT attempt_id, patch_seq, workflow_subject_entity_id AS subject_id, workflow_node_id AS node_id, source_invocation_id,
     narration, touched_entities::text[], effects, origins
   FROM world_patches WHERE world_slug = :world_slug AND attempt_id = ANY (:attempt_ids::uuid[])
   ORDER BY patch_seq`,
);

type AttemptRow = Omit<AttemptBegan, 'kind' | 'at'> &
  Pick<AttemptFailed, 'subject_id' | 'node_id' | 'source_invocation_id'> & {
    readonly status: string;
    readonly started_at: string;
    readonly ended_at: string | null;
    readonly failure_class: string | null;
    readonly failure_message: string | null;
    readonly simulation_time: string | null;
  };

interface CallRow {
  readonly started: Omit<CallStarted, 'kind' | 'at'>;
  /** Null of a call under way. */
  readonly ended: Omit<CallEnded, 'kind' | 'at'> | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly started_event_id: number | null;
  readonly ended_event_id: number | null;
}

/** Each row names the attempt whose fact it is. */
interface OfAttempt {
  readonly attempt_id: string;
}

const ofAttempt = ({ attempt_id }: OfAttempt): string => attempt_id;

interface EventRow {
  readonly event_id: number;
  readonly event_kind: NotedKind;
  readonly occurred_at: string;
  readonly source_invocation_id: string | null;
  /** What somebody has altered may be anything. */
  readonly details: (Partial<Record<'deadline' | 'resume_deadline', string>> & { readonly take_overs?: number }) | null;
  readonly performed: boolean | null;
  readonly answer_hash: string | null;
  /** Of an event of an approval; null where that is gone. */
  readonly approval: NotedApproval | null;
}

type PatchRow = Omit<PatchFact, 'patch_hash'> & TakenPatch;

/** A fact with its place in the record. */
interface Placed {
  readonly place: number;
  readonly fact: Fact;
}

interface Rows {
  readonly calls: readonly CallRow[];
  readonly events: readonly EventRow[];
  readonly patches: readonly PatchRow[];
}

/**
 * Reads the facts of attempts of one world, those of each in the order in which they became durable: adopted calls after
 * the beginning, settlements after the end.
 * @returns by attempt; nothing for an unknown one
 */
export async function readFactsOf(
  runner: Runner,
  world_slug: string,
  attempt_ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Fact[]>> {
  const key = { world_slug, attempt_ids };
  const attempts = await run<AttemptRow>(runner, ATTEMPTS, key);
  const calls = groupBy(await run<CallRow & OfAttempt>(runner, CALLS, key), ofAttempt);
  const events = groupBy(await run<EventRow & OfAttempt>(runner, EVENTS, key), ofAttempt);
  const has_patches = attempts.some(({ simulation_time }) => simulation_time !== null);
  const patches = groupBy(has_patches ? await run<PatchRow & OfAttempt>(runner, PATCHES, key) : [], ofAttempt);
  return new Map(
    attempts.map((row) => {
      const { attempt_id: id } = row;
      const rows = { calls: calls.get(id) ?? [], events: events.get(id) ?? [], patches: patches.get(id) ?? [] };
      return [id, toFacts(row, rows)];
    }),
  );
}

function toFacts(row: AttemptRow, { calls, events, patches }: Rows): readonly Fact[] {
  const interrupted = new Map(
    events.flatMap(({ event_kind, event_id, source_invocation_id }) =>
      event_kind === 'call_interrupted' ? [[source_invocation_id ?? '', event_id] as const] : [],
    ),
  );
  const placed = [
    ...calls.flatMap((call) => placeCall(call, interrupted.get(call.started.source_invocation_id))),
    ...events.flatMap((event) => placeEvent(event) ?? []),
  ].toSorted((left, right) => left.place - right.place);
  const during = placed.filter(({ fact }) => fact.kind !== 'call_settled').map(({ fact }) => fact);
  const settled = placed.filter(({ fact }) => fact.kind === 'call_settled').map(({ fact }) => fact);
  return [toBegan(row), ...during, ...toEnd(row, patches), ...settled];
}

function toBegan(row: AttemptRow): AttemptBegan {
  const { world_slug, attempt_id, attempted_turn, scenario_hash, renderer_version, started_at } = row;
  const plugin_versions = soundOr(row.plugin_versions, {});
  const at = toMoment(started_at);
  const place = { world_slug, attempt_id, attempted_turn };
  return { kind: 'attempt_began', at, ...place, scenario_hash, renderer_version, plugin_versions };
}

/** What somebody has altered may be no value that an entry can hold: then it is another one than was sealed. */
function soundOr<Value extends object | null>(stored: Value, other: Value): Value {
  return stored === null || hashOfStored(stored as unknown as Json) !== '' ? stored : other;
}

function toEnd(row: AttemptRow, patches: readonly PatchRow[]): readonly Fact[] {
  const { status, ended_at, simulation_time, failure_class, failure_message, subject_id, node_id } = row;
  if (ended_at === null) return [];
  const at = toMoment(ended_at);
  if (status === 'committed' && simulation_time !== null) {
    const taken = patches.map(toPatchFact);
    return [{ kind: 'turn_committed', at, simulation_time: toMoment(simulation_time), patches: taken }];
  }
  const { source_invocation_id } = row;
  const failed = { failure_class: failure_class ?? '', failure_message: failure_message ?? '' };
  return [{ kind: 'attempt_failed', at, ...failed, subject_id, node_id, source_invocation_id }];
}

function toPatchFact({ patch_seq, subject_id, node_id, source_invocation_id, ...taken }: PatchRow): PatchFact {
  return { patch_seq, subject_id, node_id, source_invocation_id, patch_hash: patchHash(taken) };
}

/** A call that nobody saw end is noted as interrupted by an event, or by the end of its attempt. */
function placeCall(row: CallRow, interrupted_event_id: number | undefined): readonly Placed[] {
  const is_adopted = row.started.adopted_from !== null;
  const began = is_adopted ? -1 : (row.started_event_id ?? 0);
  const policy_ruling = soundOr(row.started.policy_ruling, null);
  const started: CallStarted = { kind: 'call_started', at: toMoment(row.started_at), ...row.started, policy_ruling };
  if (row.ended === null || row.ended_at === null) return [{ place: began, fact: started }];
  const place = is_adopted ? -1 : (row.ended_event_id ?? interrupted_event_id ?? Number.MAX_SAFE_INTEGER);
  const ended: CallEnded = { kind: 'call_ended', at: toMoment(row.ended_at), ...row.ended };
  return [
    { place: began, fact: started },
    { place, fact: ended },
  ];
}

function placeEvent({ event_id, details, ...row }: EventRow): Placed | undefined {
  const { event_kind: kind, performed, answer_hash, source_invocation_id: id } = row;
  const [at, source_invocation_id] = [toMoment(row.occurred_at), id ?? ''];
  const place = (fact: Fact): Placed => ({ place: event_id, fact });
  switch (kind) {
    case 'attempt_continued':
      return place({ kind, at, take_overs: details?.take_overs ?? 0 });
    case 'attempt_suspended':
      return place({ kind, at, resume_deadline: toMoment(details?.resume_deadline ?? '') });
    case 'attempt_handed_over':
      return place({ kind, at });
    case 'call_pended':
      return place({ kind, at, source_invocation_id, deadline: toMoment(details?.deadline ?? '') });
    case 'call_superseded':
      return place({ kind, at, source_invocation_id });
    case 'call_settled':
      return performed === null ? undefined : place({ kind, at, source_invocation_id, performed, answer_hash });
    case 'approval_asked':
    case 'approval_decided':
      return row.approval === null ? undefined : place(factOfApproval(kind, row.approval));
    case 'call_interrupted':
      return undefined;
    default:
      return unreachable(kind);
  }
}

/** What somebody has altered to no moment, such as `infinity`, stays as it is. */
function toMoment(stored: string): string {
  const moment = new Date(stored);
  return Number.isNaN(moment.getTime()) ? stored : moment.toISOString();
}
