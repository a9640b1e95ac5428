import type { NotNull } from 'kysely';
import { redact } from '../../core/content/redact.js';
import { isUuid } from '../../core/content/uuid.js';
import type {
  CallFilter,
  CallsPart,
  CountedCalls,
  ListedAttempt,
  ListPart,
  UsedDocument,
  WorldReading,
} from '../../ports/browse.js';
import { type Building, type InAttempt, query } from '../queries.js';
import { prepare, run, type Runner } from '../statement.js';
import { READABLE } from '../lineage.js';
import { listInvocations, type Redacted } from './invocation-rows.js';
import { callState } from './work-state.js';

// Lists that pages show. Ids are ordered by time, so the newest row has the greatest.

const selectListed = ({ from, sql }: Building) =>
  from('source_invocations as calls')
    .select(['calls.source_invocation_id', 'calls.world_slug', 'calls.attempt_id', 'calls.attempted_turn'])
    .select(['calls.invocation_kind', 'calls.command_key', 'calls.ambient_source_id', 'calls.tool_name'])
    .select(['calls.workflow_subject_entity_id', 'calls.workflow_node_id', 'calls.status', 'calls.failure_class'])
    .select(['calls.llm_call_id', 'calls.duration_ms', 'calls.started_at', ...callState(sql, 'calls')]);

/** Calls, newest first. */
export const listCallsBefore = query((building, { after, limit, ...filter }: ListPart & CallFilter) => {
  const newest = selectListed(building).where(isWanted(building, filter));
  const listed = newest.orderBy('calls.source_invocation_id', 'desc').limit(limit);
  return after === undefined ? listed : listed.where('calls.source_invocation_id', '<', after);
});

/** The condition that a call, as `calls`, is one of those that a list shows. */
const isWanted = ({ sql }: Building, filter: CallFilter) => {
  const { world_slug, status, subject, failure_class, source_label } = filter;
  const conditions = [
    world_slug !== undefined && sql<boolean>`calls.world_slug = ${world_slug}`,
    status !== undefined && sql<boolean>`calls.status::text = ${status}`,
    subject !== undefined && sql<boolean>`calls.workflow_subject_entity_id = ${subject}`,
    failure_class !== undefined && sql<boolean>`calls.failure_class = ${failure_class}`,
    source_label !== undefined &&
      sql<boolean>`calls.source_hash IN (SELECT hash FROM response_sources WHERE content->>'label' = ${source_label})`,
  ].filter((condition) => condition !== false);
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` AND `)}`;
};

/** How many of the latest calls, and no more are looked at, have each status. */
export const countStatuses = query((building, { seen, kind, ...filter }: CallFilter & CountedCalls) => {
  const { from, sql } = building;
  const latest = from('source_invocations as calls')
    .select('calls.status')
    .where(isWanted(building, filter))
    .where(kind !== undefined ? sql<boolean>`calls.llm_call_id IS NOT NULL` : sql<boolean>`true`)
    .orderBy('calls.source_invocation_id', 'desc')
    .limit(seen);
  return from(latest.as('latest'))
    .select(['status', sql<number>`count(*)::int`.as('count')])
    .groupBy('status')
    .orderBy('status');
});

/** The calls of an attempt, as `listInvocations` gives them; the key is their number. @returns undefined for an unknown attempt */
export async function listCalls(runner: Runner, attempt_id: string, { after, ...part }: CallsPart) {
  const place = await findPlace(runner, attempt_id);
  return place && listInvocations(runner, place, { after: Number(after ?? 0), ...part });
}

/** Generations, newest first. */
export const listGenerations = query((building, { after, limit, ...filter }: ListPart & CallFilter) => {
  const { from, sql } = building;
  const isFiltered = Object.values(filter).some((wanted) => wanted !== undefined);
  // Each generation has a call, but a planner thinks that most lose theirs by a join on two columns: where no condition is
  // on calls, the part is taken before they are joined.
  const generations = from('llm_calls')
    .selectAll()
    .$if(after !== undefined, (all) => all.where('llm_call_id', '<', after ?? ''))
    .$if(!isFiltered, (all) => all.orderBy('llm_call_id', 'desc').limit(limit));
  const newest = from(generations.as('made'))
    .innerJoin('source_invocations as calls', 'calls.source_invocation_id', 'made.source_invocation_id')
    .whereRef('calls.world_slug', '=', 'made.world_slug')
    .where(isWanted(building, filter))
    .select(['made.world_slug', 'made.llm_call_id', 'made.source_invocation_id', 'made.attempt_id', 'made.model'])
    .select(['made.status', 'made.input_tokens', 'made.output_tokens', 'made.started_at'])
    .select(['calls.attempted_turn', 'calls.workflow_subject_entity_id', 'calls.workflow_node_id'])
    .select('calls.model_output_kind')
    .orderBy('made.llm_call_id', 'desc')
    .limit(limit);
  return from(newest.as('newest'))
    .selectAll('newest')
    .select(callState(sql, 'newest'))
    .orderBy('newest.llm_call_id', 'desc')
    .$narrowType<{ workflow_subject_entity_id: NotNull; workflow_node_id: NotNull }>();
});

/** Open messages, oldest first. */
export const listInbox = query(({ from, sql, lit }, { after, limit }: ListPart) => {
  const inbox = from('agent_inbox').selectAll();
  // Two halves, for each is found by an index of its own, however many messages are over.
  const open = inbox
    .where('status', 'in', [lit('pending'), lit('deferred')])
    .where((eb) => eb.or([eb('message_type', '<>', lit('turn')), eb('agent_id', 'is', null)]))
    .unionAll(inbox.where('status', '=', lit('queued')).where('agent_id', 'is', null));
  const listed = from(open.as('open'))
    .select(['inbox_id', 'world_slug', 'message_type', 'status', 'attempt_id', 'retry_count'])
    .select(sql<string | null>`nullif(next_retry_at, 'infinity')`.as('next_retry_at'))
    .select(['defer_reason', 'created_at'])
    .orderBy('inbox_id')
    .limit(limit);
  return after === undefined ? listed : listed.where('inbox_id', '>', after);
});

/** How a call, as `calls`, is known to use a document of each kind. */
const IS_USED: Readonly<Record<UsedDocument['kind'], string>> = {
  response_source: 'calls.source_hash = :hash',
  cognition_workflow: 'calls.workflow_hash = :hash',
  // A generation is offered a schema that is composed of those that its node names.
  json_schema: `(calls.input_schema_hash = :hash OR calls.output_schema_hash = :hash
     OR calls.llm_call_id IS NOT NULL AND EXISTS (
       SELECT FROM component_references AS named JOIN cognition_workflows AS workflows ON workflows.hash = from_hash
         CROSS JOIN LATERAL json_array_elements(workflows.content->'nodes') AS node
       WHERE to_kind = 'json_schema' AND to_hash = :hash AND from_kind = 'cognition_workflow'
         AND from_hash = calls.workflow_hash AND node->>'id' = calls.workflow_node_id
         AND strpos(node::text, :hash::text) > 0))`,
};

// Calls have no index by source, workflow or schema, which every call would have to write. The scenarios that lead to the
// document are known, and with them the worlds that play them: the latest attempts of all are among those of the worlds
// that were played last.
const attemptsBy = (is_used: string): string => `
   WITH RECURSIVE users (kind, hash) AS (
     SELECT :kind::component_kind, :hash::text COLLATE "C"
     UNION
     SELECT from_kind, from_hash::text COLLATE "C" FROM users JOIN component_references ON to_kind = kind AND to_hash = hash),
   playing AS (
     SELECT DISTINCT world_slug FROM users JOIN world_scenarios ON kind = 'scenario' AND scenario_hash = hash),
   played AS (
     SELECT newest.* FROM playing CROSS JOIN LATERAL (
       SELECT world_slug, attempt_id FROM attempts
       WHERE attempts.world_slug = playing.world_slug ORDER BY epoch DESC LIMIT 1) AS newest
     ORDER BY attempt_id DESC LIMIT 100),
   latest AS (
     SELECT newest.* FROM played CROSS JOIN LATERAL (
       SELECT world_slug, attempt_id, attempted_turn, status, started_at, ended_at FROM attempts
       WHERE attempts.world_slug = played.world_slug ORDER BY epoch DESC LIMIT 5) AS newest
     ORDER BY attempt_id DESC LIMIT 100)
   SELECT attempt_id, world_slug, attempted_turn, status, started_at, ended_at FROM latest
   WHERE EXISTS (
     SELECT FROM source_invocations calls WHERE calls.world_slug = latest.world_slug
       AND calls.attempt_id = latest.attempt_id AND ${is_used})
   ORDER BY attempt_id DESC LIMIT 20`;

type UsedIn = Pick<UsedDocument, 'hash'> & Readonly<Record<'world_slugs' | 'attempt_ids', readonly string[]>>;

const callsBy = (is_used: string) =>
  query((building, { hash, world_slugs, attempt_ids }: UsedIn) => {
    const { sql, lit } = building;
    const chosen = sql<InAttempt>`unnest(${world_slugs}::text[], ${attempt_ids}::uuid[])`;
    const parts = is_used.split(':hash').map((text) => sql.raw(text));
    return selectListed(building)
      .innerJoin(chosen.as<'chosen'>(sql`chosen (world_slug, attempt_id)`), 'chosen.attempt_id', 'calls.attempt_id')
      .whereRef('chosen.world_slug', '=', 'calls.world_slug')
      .where(sql<boolean>`${sql.join(parts, sql`${hash}`)}`)
      .orderBy('calls.source_invocation_id', 'desc')
      .limit(lit(20));
  });

const usesBy = (kind: UsedDocument['kind']) => ({
  attempts: prepare(`browse_attempts_of_${kind}`, attemptsBy(IS_USED[kind])),
  calls: callsBy(IS_USED[kind]),
});

const USES = {
  response_source: usesBy('response_source'),
  cognition_workflow: usesBy('cognition_workflow'),
  json_schema: usesBy('json_schema'),
};

/** The latest calls that used a document, and their attempts: among the latest attempts only. */
export async function findUse(runner: Runner, { kind, hash }: UsedDocument) {
  const attempts = await run<ListedAttempt>(runner, USES[kind].attempts, { kind, hash });
  const calls = await USES[kind].calls(runner, {
    hash,
    world_slugs: attempts.map(({ world_slug }) => world_slug),
    attempt_ids: attempts.map(({ attempt_id }) => attempt_id),
  });
  return { attempts, calls };
}

const readPlace = query(({ from }, { attempt_id }: Pick<InAttempt, 'attempt_id'>) =>
  from('attempts').select(['world_slug', 'attempt_id']).where('attempt_id', '=', attempt_id),
);

/** Where an attempt is; undefined for an unknown one, and for what is no id. */
export async function findPlace(runner: Runner, attempt_id: string): Promise<InAttempt | undefined> {
  return isUuid(attempt_id) ? (await readPlace(runner, { attempt_id }))[0] : undefined;
}

// Each half is found by an index of its own, however many calls the world has.
const FIRST = prepare(
  'first_generations',
  `WITH known AS (
     (SELECT calls.* FROM source_invocations AS calls
      WHERE world_slug = :world_slug AND attempt_id = :attempt_id::uuid
      ORDER BY invocation_seq LIMIT :calls)
     UNION ALL
     (SELECT calls.* FROM adopted_calls
        JOIN source_invocations AS calls ON calls.world_slug = adopted_calls.world_slug
          AND calls.source_invocation_id = adopted_calls.source_invocation_id
      WHERE adopted_calls.world_slug = :world_slug AND adopted_calls.attempt_id = :attempt_id::uuid
      ORDER BY invocation_seq LIMIT :calls)),
   firsts AS (
     SELECT DISTINCT ON (workflow_subject_entity_id, workflow_node_id) llm_call_id, invocation_seq FROM known
     WHERE workflow_hash = :workflow_hash AND llm_call_id IS NOT NULL
     ORDER BY workflow_subject_entity_id, workflow_node_id, invocation_seq)
   SELECT llm_call_id FROM firsts ORDER BY invocation_seq LIMIT :limit`,
);

/**
 * The first generations of each subject at each node of a workflow, in the order of their issue.
 * @param sought among the first `calls` calls
 * @returns their ids; undefined for an unknown attempt
 */
export async function listFirstGenerations(
  runner: Runner,
  attempt_id: string,
  sought: { readonly workflow_hash: string; readonly calls: number; readonly limit: number },
): Promise<readonly string[] | undefined> {
  const place = await findPlace(runner, attempt_id);
  if (place === undefined) return undefined;
  const rows = await run<{ llm_call_id: string }>(runner, FIRST, { ...place, ...sought });
  return rows.map(({ llm_call_id }) => llm_call_id);
}

const COLUMNS = 'invocation_seq, ambient_source_id, calls.source_invocation_id, redaction, response_json';

// The latest turn comes first, so that turns beyond the limit are not read. A reading that was adopted was made by an
// earlier attempt.
const READINGS = prepare(
  'browse_readings',
  `WITH ${READABLE}
   SELECT told.turn, reading.*
   FROM (
     SELECT turns.world_slug, turns.turn, turns.attempt_id
     FROM readable JOIN turns ON turns.world_slug = readable.world_slug
       AND turns.turn > :after AND turns.turn <= readable.until_turn
     ORDER BY turns.turn DESC LIMIT :turn - :after) AS told
   CROSS JOIN LATERAL (
     SELECT ${COLUMNS} FROM source_invocations calls
     WHERE calls.world_slug = told.world_slug AND calls.attempt_id = told.attempt_id
       AND invocation_kind = 'ambient_context' AND status = 'succeeded'
     UNION ALL
     SELECT ${COLUMNS} FROM adopted_calls adopted
       JOIN source_invocations calls ON calls.world_slug = adopted.world_slug
         AND calls.source_invocation_id = adopted.source_invocation_id
     WHERE adopted.world_slug = told.world_slug AND adopted.attempt_id = told.attempt_id
       AND invocation_kind = 'ambient_context' AND status = 'succeeded') AS reading
   ORDER BY told.turn DESC, invocation_seq DESC LIMIT :limit`,
);

/** The answers of ambient sources in committed turns: the latest, in the order of turns. */
export async function listReadings(
  runner: Runner,
  world_slug: string,
  { after, until, limit }: Readonly<Record<'after' | 'until' | 'limit', number>>,
): Promise<readonly WorldReading[]> {
  const rows = await run<WorldReading & Redacted>(runner, READINGS, { world_slug, after, turn: until, limit });
  return rows.toReversed().map(({ turn, ambient_source_id, source_invocation_id, response_json, redaction }) => ({
    turn,
    ambient_source_id,
    source_invocation_id,
    response_json: redact(response_json, redaction),
  }));
}
