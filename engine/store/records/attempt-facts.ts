import type { Json, JsonObject } from '../../contract/json.js';
import { canonicalText } from '../../core/content/canonical.js';
import { isShown, redact } from '../../core/content/redact.js';
import { isUuid } from '../../core/content/uuid.js';
import type { NotedKind } from '../../core/facts/fact.js';
import { type AttemptBegan, isLastOfAttempt, type Told } from '../../core/stream/told.js';
import type { FactCursor, FactPage } from '../../ports/stream.js';
import type { Artifact } from '../attempts/derived-artifacts.js';
import { prepare, run, type Runner } from '../statement.js';
import { AT_PLACE, ENTITIES, ENVIRONMENTS } from '../world-snapshot.js';
import { toChatAnswer } from './invocation-rows.js';
import { type FailedAnswer, findRejectedCalls } from './tool-calls.js';

/** About how many calls a page begins at most. */
const CALLS_MAX = 200;

const NOBODY = { attempt_id: null, world_slug: null, follows: null, is_latest: false };

/** The cursor of an attempt's beginning. @returns undefined for an unknown id */
export async function followAttempt(runner: Runner, attempt_id: string): Promise<FactCursor | undefined> {
  return isUuid(attempt_id) ? findCursor(runner, { ...NOBODY, attempt_id }) : undefined;
}

/** The beginning of the next attempt of a world after another one, or of its first. */
export function followNext(runner: Runner, world_slug: string, attempt_id?: string): Promise<FactCursor | undefined> {
  return findCursor(runner, { ...NOBODY, world_slug, follows: attempt_id ?? null });
}

/** The beginning of the latest attempt of a world. */
export function followLatest(runner: Runner, world_slug: string): Promise<FactCursor | undefined> {
  return findCursor(runner, { ...NOBODY, world_slug, is_latest: true });
}

// An epoch grows while its attempt is open, and no other one of its world is open then.
const FIND = prepare(
  'find_attempt_to_follow',
  `SELECT world_slug, attempt_id FROM attempts
   WHERE attempt_id = :attempt_id::uuid
     OR (world_slug = :world_slug::text AND epoch > coalesce((
       SELECT epoch FROM attempts AS before
       WHERE before.world_slug = :world_slug::text AND before.attempt_id = :follows::uuid), 0))
   ORDER BY CASE WHEN :is_latest::boolean THEN -epoch ELSE epoch END LIMIT 1`,
);

async function findCursor(runner: Runner, sought: Readonly<Record<string, string | boolean | null>>) {
  const [row] = await run<Pick<FactCursor, 'world_slug' | 'attempt_id'>>(runner, FIND, sought);
  if (row === undefined) return undefined;
  return { ...row, after: 0, last_invocation_seq: 0, missing_invocation_seqs: [], open: [] };
}

// A page is bounded by a number, so that it holds all that precedes it. Calls are found by the order of their issue,
// or because they were open; nothing that has been read is looked at again.
const READ = prepare(
  'read_facts',
  `WITH bound AS (
     SELECT least(:until::bigint, coalesce((
       SELECT coalesce(started_event_id, ended_event_id) FROM source_invocations
       WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid AND invocation_seq > :last_seq::int
         AND coalesce(started_event_id, ended_event_id) > :after::bigint
       ORDER BY invocation_seq OFFSET ${CALLS_MAX} LIMIT 1), :until::bigint)) AS upto),
   picked AS (
     SELECT source_invocation_id FROM source_invocations
     WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid AND invocation_seq > :last_seq::int
     UNION
     SELECT source_invocation_id FROM source_invocations
     WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid AND invocation_seq = ANY (:missing::int[])
     UNION
     SELECT unnest(:open::uuid[])),
   calls AS (
     SELECT calls.*, upto FROM bound, picked JOIN source_invocations AS calls
       ON calls.world_slug = :world_slug AND calls.source_invocation_id = picked.source_invocation_id
     WHERE coalesce(started_event_id, ended_event_id) <= upto),
   facts AS (
     SELECT coalesce(started_event_id, ended_event_id) AS event_id, 0 AS place, 'call_started' AS kind,
       source_invocation_id, CASE WHEN started_event_id IS NULL THEN ended_at ELSE started_at END AS occurred_at,
       NULL::bytea AS text, json_build_object('invocation_kind', invocation_kind, 'command_key', command_key,
         'performance', performance, 'subject_id', workflow_subject_entity_id, 'node_id', workflow_node_id,
         'ambient_id', ambient_source_id, 'tool_name', tool_name, 'tool_call_id', tool_call_id,
         'llm_call_id', llm_call_id,
         'parent_llm_call_id', (
           SELECT llm_call_id FROM source_invocations AS parents WHERE parents.world_slug = calls.world_slug
             AND parents.source_invocation_id = calls.parent_source_invocation_id),
         'request_json', CASE WHEN invocation_kind = 'model_elected_tool' THEN request_json END) AS details
     FROM calls WHERE coalesce(started_event_id, ended_event_id) > :after::bigint
     UNION ALL
     SELECT coalesce(streamed.event_id, ended_event_id, started_event_id), batch_seq, 'text_streamed',
       source_invocation_id, NULL, text, json_build_object('llm_call_id', streamed.llm_call_id)
     FROM calls JOIN llm_streams AS streamed
       ON streamed.world_slug = calls.world_slug AND streamed.llm_call_id = calls.llm_call_id
     WHERE coalesce(streamed.event_id, ended_event_id, started_event_id) > :after::bigint
       AND coalesce(streamed.event_id, ended_event_id, started_event_id) <= upto
     UNION ALL
     SELECT ended_event_id, 2147483647, 'call_ended', source_invocation_id, coalesce(ended_at, started_at), NULL,
       json_build_object('failure_class', failure_class, 'failure_message', failure_message,
         'failure_detail', failure_detail, 'command_key', command_key, 'model_output_kind', model_output_kind,
         'response_json', response_json, 'artifacts', (
           SELECT artifacts FROM llm_calls AS generations
           WHERE generations.world_slug = calls.world_slug AND generations.llm_call_id = calls.llm_call_id))
     FROM calls WHERE ended_event_id > :after::bigint AND ended_event_id <= upto
     UNION ALL
     SELECT began_event_id, -1, 'attempt_began', NULL, started_at, NULL, NULL
     FROM bound, attempts WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid
       AND began_event_id > :after::bigint AND began_event_id <= upto
     UNION ALL
     SELECT event_id, 0, event_kind::text, source_invocation_id, occurred_at, NULL, details
     FROM bound, attempt_events WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid
       AND event_id > :after::bigint AND event_id <= upto
     UNION ALL
     SELECT committed_event_id, 2147483647, 'turn_committed', NULL, committed_at, NULL, json_build_object('patches', (
       SELECT coalesce(json_agg(json_build_object('patch_seq', patch_seq, 'subject_id', workflow_subject_entity_id,
         'narration', narration, 'effects', (
           SELECT coalesce(json_agg(json_build_object('op', op, 'entity_id', entity_id,
             'environment_label', environment_label, 'state_after', state_after) ORDER BY effect_index), '[]')
           FROM patch_effects AS effects WHERE effects.world_slug = patches.world_slug
             AND effects.turn = patches.turn AND effects.patch_seq = patches.patch_seq)) ORDER BY patch_seq), '[]')
       FROM world_patches AS patches WHERE patches.world_slug = turns.world_slug AND patches.turn = turns.turn))
     FROM bound, turns WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid
       AND committed_event_id > :after::bigint AND committed_event_id <= upto)
   SELECT bound.upto, event_id, place, kind, occurred_at, text, details, calls.invocation_seq, calls.redaction,
     facts.source_invocation_id
   FROM facts CROSS JOIN bound LEFT JOIN calls
     ON calls.source_invocation_id = facts.source_invocation_id AND kind IN ('call_started', 'text_streamed', 'call_ended')
   ORDER BY event_id, place`,
);

/** A number beyond all that an attempt has. */
const NO_END = Number.MAX_SAFE_INTEGER;

interface Row {
  readonly upto: number;
  readonly event_id: number;
  readonly kind: Exclude<Told['kind'], 'noted'> | NotedKind | 'attempt_interrupted';
  /** Null of streamed text. */
  readonly occurred_at: string | null;
  readonly text: Buffer | null;
  /** What else is told, by the names of its members. */
  readonly details: JsonObject | null;
  readonly source_invocation_id: string | null;
  /** Of a call, of its text and of its end. */
  readonly invocation_seq: number | null;
  readonly redaction: 'all' | readonly string[] | null;
}

/** Facts after a cursor, read by indexes alone: earlier facts cost nothing. @param until at most to this number */
export async function readFacts(runner: Runner, cursor: FactCursor, until = NO_END): Promise<FactPage> {
  const { world_slug, attempt_id, after } = cursor;
  const rows = await run<Row>(runner, READ, {
    world_slug,
    attempt_id,
    after,
    until,
    last_seq: cursor.last_invocation_seq,
    missing: cursor.missing_invocation_seqs,
    open: cursor.open,
  });
  const isBegun = rows.some(({ kind }) => kind === 'attempt_began');
  const [began] = isBegun ? await run<Beginning>(runner, BEGINNING, { attempt_id }) : [];
  const facts = rows.flatMap((row) => toTold(row, began) ?? []);
  const last = facts.findIndex(isLastOfAttempt);
  const upto = rows.at(-1)?.upto ?? NO_END;
  const has_more = upto < until && last === -1;
  const latest = until === NO_END ? (rows.at(-1)?.event_id ?? after) : until;
  return {
    // Doubts of an attempt may be settled after its end.
    facts: last === -1 ? facts : facts.slice(0, last + 1),
    cursor: goOn(cursor, rows, facts[last]?.event_id ?? (has_more ? upto : latest)),
    has_more,
    is_over: last !== -1,
  };
}

function goOn(cursor: FactCursor, rows: readonly Row[], after: number): FactCursor {
  const met = new Set<number>();
  const open = new Set(cursor.open);
  for (const { kind, source_invocation_id, invocation_seq } of rows) {
    if (source_invocation_id === null || invocation_seq === null) continue;
    if (kind === 'call_started') open.add(source_invocation_id);
    if (kind === 'call_ended') open.delete(source_invocation_id);
    met.add(invocation_seq);
  }
  const last_invocation_seq = Math.max(cursor.last_invocation_seq, ...met);
  const skipped = Array.from(
    { length: last_invocation_seq - cursor.last_invocation_seq },
    (_seq, index) => cursor.last_invocation_seq + 1 + index,
  );
  return {
    ...cursor,
    after,
    last_invocation_seq,
    missing_invocation_seqs: [...cursor.missing_invocation_seqs, ...skipped].filter((seq) => !met.has(seq)),
    open: [...open],
  };
}

/** @returns undefined for what redaction hides whole */
function toTold(row: Row, began: Beginning | undefined): Told | undefined {
  const { event_id, details, source_invocation_id } = row;
  const at = new Date(row.occurred_at ?? 0).toISOString();
  const redaction = row.redaction ?? 'all';
  // The statement gives the members of each kind by their names.
  const told = (members: object) => ({ ...members, event_id, at, ...details }) as unknown as Told;
  switch (row.kind) {
    case 'attempt_began':
      if (began === undefined) throw new Error('an attempt that began has no beginning');
      return { kind: row.kind, event_id, at, ...began };
    case 'text_streamed':
      if (!isShown('/text', redaction)) return undefined;
      return told({ kind: row.kind, text: row.text?.toString('utf8') ?? '' });
    case 'call_ended':
      return {
        ...told({ kind: row.kind, source_invocation_id }),
        ...toAnswer(details as unknown as Answer, redaction),
      };
    case 'call_started':
    case 'turn_committed':
      return told({ kind: row.kind, source_invocation_id });
    case 'attempt_failed':
    case 'attempt_interrupted':
      return told({ kind: 'attempt_failed' });
    default:
      return { kind: 'noted', of: row.kind, event_id, at, source_invocation_id, details };
  }
}

interface Answer extends FailedAnswer {
  readonly response_json: Json;
  /** Null of a call that is no generation. */
  readonly artifacts: readonly Artifact[] | null;
}

function toAnswer({ response_json, artifacts, ...end }: Answer, redaction: 'all' | readonly string[]) {
  const reasoning = (artifacts ?? []).filter(({ kind }) => kind === 'reasoning');
  return {
    response_json: response_json === null ? null : redact(response_json, redaction),
    reasoning: reasoning.length === 0 ? null : reasoning.map(({ value }) => toText(value)).join('\n'),
    rejected_calls:
      end.failure_class === 'model_content'
        ? findRejectedCalls(end, redact(toChatAnswer(null, null, response_json), redaction))
        : [],
  };
}

function toText(value: Json): string {
  return typeof value === 'string' ? value : canonicalText(value);
}

type Beginning = Omit<AttemptBegan, 'kind' | 'at'>;

const BEGINNING = prepare(
  'beginning_of_attempt',
  `WITH attempt AS (SELECT * FROM attempts WHERE attempt_id = :attempt_id::uuid),
   place (world_slug, turn) AS (SELECT world_slug, attempted_turn - 1 FROM attempt),
   ${AT_PLACE}
   SELECT world_slug, attempt_id, attempted_turn, adopts, coalesce(${ENVIRONMENTS}, '[]') AS environments,
     coalesce(${ENTITIES}, '[]') AS entities
   FROM attempt`,
);
