import { groupBy } from '../../core/content/group-by.js';
import type { AttemptBegan, AttemptFailed, CallEnded, CallStarted, Fact, PatchFact } from '../../core/facts/fact.js';
import { patchHash, type TakenPatch } from '../../core/facts/patch-hash.js';
import { prepare, run, type Runner } from '../statement.js';

// The facts of attempts as their record yields them: the same that their drivers emitted. A statement reads those of many
// attempts at once, because a statement for each of them would take most of the time.

const ATTEMPTS = prepare(
  'facts_of_attempts',
  `SELECT attempts.world_slug, attempts.attempt_id, attempted_turn, scenario_hash, renderer_version, plugin_versions,
     started_at,
     status, ended_at, failure_class, failure_message, failed_subject_entity_id AS subject_id,
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
   SELECT known.attempt_id, calls.source_invocation_id, invocation_seq, command_key, performance, invocation_kind, effect_class,
     request_hash, source_hash, calls.workflow_hash, workflow_subject_entity_id AS subject_id,
     workflow_node_id AS node_id, ambient_source_id AS ambient_id, tool_name, parent_source_invocation_id,
     logical_generation_attempt AS generation_try, llm_calls.model, llm_calls.prefix_hash AS context_hash,
     llm_calls.output_schema_hash AS offered_schema_hash, schema_delivery, endpoint_origin, CASE WHEN is_adopted THEN calls.attempt_id END AS adopted_from,
     calls.started_at, calls.ended_at, calls.status, refused, failure_class, failure_message, model_output_kind,
     duration_ms, input_tokens, output_tokens, cached_input_tokens, cache_written_input_tokens, reasoning_tokens,
     coalesce(started_event_id, ended_event_id) AS started_event_id,
     ended_event_id,
     CASE WHEN calls.llm_call_id IS NULL
       THEN encode(sha256(convert_to(response_json::text, 'UTF8')), 'hex')
       WHEN answered THEN encode(sha256(coalesce((
         SELECT string_agg(text, ''::bytea ORDER BY batch_seq) FROM llm_streams AS streamed
         WHERE streamed.world_slug = calls.world_slug AND streamed.llm_call_id = calls.llm_call_id), '')
         || coalesce(convert_to(response_json::text, 'UTF8'), '')), 'hex')
       END AS answer_hash
   FROM known JOIN source_invocations AS calls
       ON calls.world_slug = :world_slug AND calls.source_invocation_id = known.source_invocation_id
     LEFT JOIN llm_calls ON llm_calls.world_slug = calls.world_slug AND llm_calls.llm_call_id = calls.llm_call_id
   ORDER BY invocation_seq`,
);

const EVENTS = prepare(
  'facts_of_events',
  `SELECT events.attempt_id, event_id, event_kind, occurred_at, events.source_invocation_id, settled.performed,
     encode(sha256(convert_to(settled.response_json::text, 'UTF8')), 'hex') AS answer_hash
   FROM attempt_events AS events LEFT JOIN call_settlements AS settled
     ON settled.world_slug = events.world_slug AND settled.source_invocation_id = events.source_invocation_id
       AND event_kind = 'call_settled'
   WHERE events.world_slug = :world_slug AND events.attempt_id = ANY (:attempt_ids::uuid[])
     AND event_kind IN ('call_superseded', 'call_interrupted', 'call_settled')
   ORDER BY event_id`,
);

const PATCHES = prepare(
  'facts_of_patches',
  `SELECT attempt_id, patch_seq, workflow_subject_entity_id AS subject_id, workflow_node_id AS node_id, source_invocation_id,
     narration, touched_entities::text[], effects
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

type CallRow = Omit<CallStarted, 'kind' | 'at'> &
  Omit<CallEnded, 'kind' | 'at' | 'status'> & {
    readonly status: CallEnded['status'] | 'running' | 'pending';
    readonly started_at: string;
    readonly ended_at: string | null;
    readonly started_event_id: number | null;
    readonly ended_event_id: number | null;
  };

/** Each row names the attempt whose fact it is. */
interface OfAttempt {
  readonly attempt_id: string;
}

const ofAttempt = ({ attempt_id }: OfAttempt): string => attempt_id;

interface EventRow {
  readonly event_id: number;
  readonly event_kind: 'call_superseded' | 'call_interrupted' | 'call_settled';
  readonly occurred_at: string;
  readonly source_invocation_id: string;
  readonly performed: boolean | null;
  readonly answer_hash: string | null;
}

type PatchRow = Omit<PatchFact, 'patch_hash'> & TakenPatch;

/** A fact with its place in the record. */
interface Placed {
  readonly place: number;
  readonly fact: Fact;
}

/** The rows of one attempt. */
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
      event_kind === 'call_interrupted' ? [[source_invocation_id, event_id] as const] : [],
    ),
  );
  const placed = [
    ...calls.flatMap((call) => placeCall(call, interrupted.get(call.source_invocation_id))),
    ...events.flatMap((event) => placeEvent(event) ?? []),
  ].toSorted((left, right) => left.place - right.place);
  const during = placed.filter(({ fact }) => fact.kind !== 'call_settled').map(({ fact }) => fact);
  const settled = placed.filter(({ fact }) => fact.kind === 'call_settled').map(({ fact }) => fact);
  return [toBegan(row), ...during, ...toEnd(row, patches), ...settled];
}

function toBegan(row: AttemptRow): AttemptBegan {
  const { world_slug, attempt_id, attempted_turn, scenario_hash, renderer_version, plugin_versions, started_at } = row;
  const at = toMoment(started_at);
  const place = { world_slug, attempt_id, attempted_turn };
  return { kind: 'attempt_began', at, ...place, scenario_hash, renderer_version, plugin_versions };
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
  const { narration, touched_entities, effects } = taken;
  const patch_hash = patchHash({ narration, touched_entities, effects });
  return { patch_seq, subject_id, node_id, source_invocation_id, patch_hash };
}

/** A call that nobody saw end is noted as interrupted by an event, or by the end of its attempt. */
function placeCall(row: CallRow, interrupted_event_id: number | undefined): readonly Placed[] {
  const is_adopted = row.adopted_from !== null;
  const began = is_adopted ? -1 : (row.started_event_id ?? 0);
  const started: Placed = { place: began, fact: toStarted(row) };
  const { status, ended_at } = row;
  if (status === 'running' || status === 'pending' || ended_at === null) return [started];
  const ended = is_adopted ? -1 : (row.ended_event_id ?? interrupted_event_id ?? Number.MAX_SAFE_INTEGER);
  return [started, { place: ended, fact: toEnded(row, status, toMoment(ended_at)) }];
}

function toStarted(row: CallRow): CallStarted {
  return {
    kind: 'call_started',
    at: toMoment(row.started_at),
    source_invocation_id: row.source_invocation_id,
    invocation_seq: row.invocation_seq,
    command_key: row.command_key,
    performance: row.performance,
    invocation_kind: row.invocation_kind,
    effect_class: row.effect_class,
    request_hash: row.request_hash,
    source_hash: row.source_hash,
    workflow_hash: row.workflow_hash,
    subject_id: row.subject_id,
    node_id: row.node_id,
    ambient_id: row.ambient_id,
    tool_name: row.tool_name,
    parent_source_invocation_id: row.parent_source_invocation_id,
    generation_try: row.generation_try,
    model: row.model,
    context_hash: row.context_hash,
    offered_schema_hash: row.offered_schema_hash,
    schema_delivery: row.schema_delivery,
    endpoint_origin: row.endpoint_origin,
    adopted_from: row.adopted_from,
  };
}

function toEnded(row: CallRow, status: CallEnded['status'], at: string): CallEnded {
  const isSeen = status !== 'interrupted';
  return {
    kind: 'call_ended',
    at,
    source_invocation_id: row.source_invocation_id,
    status,
    refused: row.refused,
    failure_class: row.failure_class,
    failure_message: isSeen ? row.failure_message : null,
    model_output_kind: row.model_output_kind,
    answer_hash: row.answer_hash,
    duration_ms: row.duration_ms,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    cached_input_tokens: row.cached_input_tokens,
    cache_written_input_tokens: row.cache_written_input_tokens,
    reasoning_tokens: row.reasoning_tokens,
  };
}

function placeEvent({ event_id, event_kind, occurred_at, ...event }: EventRow): Placed | undefined {
  const { source_invocation_id, performed, answer_hash } = event;
  const at = toMoment(occurred_at);
  if (event_kind === 'call_superseded')
    return { place: event_id, fact: { kind: 'call_superseded', at, source_invocation_id } };
  if (event_kind !== 'call_settled' || performed === null) return undefined;
  return { place: event_id, fact: { kind: 'call_settled', at, source_invocation_id, performed, answer_hash } };
}

function toMoment(stored: string): string {
  return new Date(stored).toISOString();
}
