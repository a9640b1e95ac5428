import { createHash } from 'node:crypto';
import { withClient } from '../databases.js';
import { say } from '../measures.js';
import { openWorlds, ROOT } from '../worlds.js';

/** How much is made: 1,000,000 calls, in worlds of 100 turns with 20 calls each. */
const SIZE = { worlds: 500, turns: 100, calls_per_turn: 20, long_attempt_calls: 10_000 };

/** The names in the requests of pages. */
export interface Filled {
  readonly world_slugs: readonly string[];
  /** It has 10,000 calls. */
  readonly long_attempt_id: string;
  readonly scenario_hash: string;
  readonly source_hash: string;
  readonly workflow_hash: string;
}

const WORDS =
  'bob ant candy rain bench phone cold front opens lamp keeper ships fog walks looks listens turns waits bread market'.split(
    ' ',
  );
/** Texts are cut out of it: to put each together word by word would take most of the time. */
const STORY = Array.from(
  { length: 2_000 },
  (_none, place) => WORDS[Math.floor(Math.abs(Math.sin(place)) * 9_973) % 20],
);

/** Ids that are ordered by time, as those of the engine are: of a row of a table, by its number. */
const FUNCTIONS = `
  CREATE OR REPLACE FUNCTION bench_id(place bigint, of_table int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex(1700000000000 + place), 12, '0') || '7' || lpad(to_hex(of_table), 3, '0') || '8000'
      || lpad(to_hex(place), 12, '0'))::uuid $$;
  CREATE OR REPLACE FUNCTION bench_text(place bigint, words int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT substr('${STORY.join(' ')}', 1 + (place * 31 % 4999)::int, words * 5) || ' number' || place $$;
  CREATE OR REPLACE FUNCTION bench_message() RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT name_of_message('user', '{author}', ARRAY[convert_to(bench_text(1, 500), 'UTF8')], ARRAY[NULL]::sha256_hex[]) $$;`;

const TURNS = `generate_series(1, :worlds) AS w CROSS JOIN generate_series(1, :turns) AS t`;
const ATTEMPT = `bench_id((w - 1) * (:turns::bigint + 1) + t, 1)`;
/** The number of a call; in the long attempt there are others, from a place of their own. */
const CALL = `(((w - 1) * :turns::bigint + t) * :calls + c)`;
const CALLS = `${TURNS} CROSS JOIN generate_series(1, :calls) AS c`;
const LONG = `generate_series(1, 1) AS w CROSS JOIN generate_series(:turns + 1, :turns + 1) AS t CROSS JOIN generate_series(1, :long) AS c`;
const LONG_CALL = `(100000000000 + c)`;

const STARTED = `timestamptz '2026-01-01' + (w * 100 + t) * interval '1 minute'`;

function selectCalls(call: string, from: string): string {
  return `INSERT INTO source_invocations (world_slug, source_invocation_id, attempt_id, attempted_turn, invocation_seq, command_key,
      request_hash, workflow_hash, workflow_node_id, workflow_subject_entity_id, source_hash, invocation_kind, effect_class,
      ambient_source_id, redaction, llm_call_id, logical_generation_attempt, tool_loop_round, model_output_kind, status, started_at,
      ended_at, duration_ms, request_json, response_json, validation_status, answered, started_event_id, ended_event_id)
    SELECT 'bench-' || w, bench_id(${call}, 2), ${ATTEMPT}, t, c, 'bob/act/round-' || c || '/try-1', repeat('0', 64), ':workflow',
      'act', 'bob', ':source', (CASE WHEN c % 2 = 0 THEN 'llm_generation' ELSE 'ambient_context' END)::source_invocation_kind,
      'read_only', CASE WHEN c % 2 = 1 THEN 'weather' END, '"all"', CASE WHEN c % 2 = 0 THEN bench_id(${call}, 3) END,
      CASE WHEN c % 2 = 0 THEN 1 END, CASE WHEN c % 2 = 0 THEN c END,
      (CASE WHEN c % 2 = 0 THEN 'final_patch' END)::model_output_kind, 'succeeded', ${STARTED} + c * interval '10 ms',
      ${STARTED} + c * interval '10 ms' + interval '5 ms', 5, '{}', CASE WHEN c % 2 = 1 THEN json_build_object('said', bench_text(${call}, 20)) END, 'valid', true,
      ${call} * 2, ${call} * 2 + 1
    FROM ${from}`;
}

function selectGenerations(call: string, from: string): readonly string[] {
  return [
    `INSERT INTO llm_calls (world_slug, llm_call_id, attempt_id, source_invocation_id, model, schema_delivery, output_schema_hash,
      conversation, message_count, prefix_hash, started_at, new_messages, status, ended_at, finish_reason, input_tokens, output_tokens)
    SELECT 'bench-' || w, bench_id(${call}, 3), ${ATTEMPT}, bench_id(${call}, 2), 'gpt', 'prompt', ':schema', 'c' || c, 1,
      repeat('0', 64), ${STARTED}, ARRAY[bench_message()], 'succeeded', ${STARTED}, 'stop', 900, 40
    FROM ${from} WHERE c % 2 = 0`,
    `INSERT INTO llm_chunks (world_slug, llm_call_id, batch_seq, text, pieces)
    SELECT 'bench-' || w, bench_id(${call}, 3), 1, convert_to(bench_text(${call}, 30), 'UTF8'), '\\x6400'
    FROM ${from} WHERE c % 2 = 0`,
  ];
}

const STATEMENTS: readonly string[] = [
  `INSERT INTO offered_schemas (hash, name, content) VALUES (':schema', 'patch', '{}')`,
  `INSERT INTO llm_messages (message_hash, role, content_hash, origins, texts, segment_hashes)
    VALUES (bench_message(), 'user', repeat('0', 64), '{author}', ARRAY[convert_to(bench_text(1, 500), 'UTF8')], ARRAY[NULL]::text[])`,
  `INSERT INTO worlds (world_slug, root_world_slug, scenario_hash, turn, lease_epoch)
    SELECT 'bench-' || w, 'bench-' || w, ':scenario', :turns, :turns FROM generate_series(1, :worlds) AS w`,
  `INSERT INTO world_scenarios (world_slug, scenario_seq, from_turn, scenario_hash, chosen_at)
    SELECT 'bench-' || w, 1, 1, ':scenario', now() FROM generate_series(1, :worlds) AS w`,
  `INSERT INTO turns (world_slug, turn, simulation_time, committed_at)
    SELECT 'bench-' || w, 0, '2026-01-01', now() FROM generate_series(1, :worlds) AS w`,
  `INSERT INTO turns (world_slug, turn, attempt_id, simulation_time, committed_at)
    SELECT 'bench-' || w, t, ${ATTEMPT}, ${STARTED}, ${STARTED} FROM ${TURNS}`,
  `INSERT INTO attempts (world_slug, attempt_id, attempted_turn, epoch, status, scenario_hash, renderer_version, plugin_versions,
      holder_host, holder_pid, failure_class, started_at, ended_at)
    SELECT 'bench-' || w, ${ATTEMPT}, t, t, (CASE WHEN t > :turns THEN 'failed' ELSE 'committed' END)::attempt_status, ':scenario',
      '1', '{}', 'here', 1, CASE WHEN t > :turns THEN 'timeout' END, ${STARTED}, ${STARTED} + interval '1 second'
    FROM generate_series(1, :worlds) AS w CROSS JOIN generate_series(1, :turns + 1) AS t WHERE t <= :turns OR w = 1`,
  `INSERT INTO environment_contents (world_slug, environment_label, turn, content)
    SELECT 'bench-' || w, 'park', 0, 'A park.' FROM generate_series(1, :worlds) AS w`,
  `INSERT INTO entity_states (world_slug, entity_id, turn, state)
    SELECT 'bench-' || w, 'bob', 0, bench_text(w * 100, 10) FROM generate_series(1, :worlds) AS w`,
  `INSERT INTO world_patches (world_slug, turn, patch_seq, attempt_id, source_invocation_id, workflow_node_id,
      workflow_subject_entity_id, narration, touched_entities, effects)
    SELECT 'bench-' || w, t, 1, ${ATTEMPT}, bench_id(((w - 1) * :turns::bigint + t) * :calls + 2, 2), 'act', 'bob',
      bench_text(w * 100 + t, 30), '{bob}', json_build_array(json_build_object('effect_index', 0, 'op', 'set_entity_state',
        'entity_id', 'bob', 'state_before', bench_text(w * 100 + t - 1, 10), 'state_after', bench_text(w * 100 + t, 10)))
    FROM ${TURNS}`,
  `INSERT INTO entity_states (world_slug, entity_id, turn, state, patch_seq, effect_index)
    SELECT 'bench-' || w, 'bob', t, bench_text(w * 100 + t, 10), 1, 0 FROM ${TURNS}`,
  selectCalls(CALL, CALLS),
  selectCalls(LONG_CALL, LONG),
  ...selectGenerations(CALL, CALLS),
  ...selectGenerations(LONG_CALL, LONG),
  `INSERT INTO search_entries (world_slug, attempt_id, entry_seq, turn, kind, workflow_subject_entity_id, source_label,
      source_invocation_id, text, words)
    SELECT 'bench-' || w, ${ATTEMPT}, c, t, 'result', 'bob', 'weather', bench_id(${CALL}, 2), text,
      to_tsvector('simple', text) FROM ${CALLS} CROSS JOIN LATERAL bench_text(${CALL}, 20) AS text`,
  `INSERT INTO search_progress (world_slug, epoch)
    SELECT 'bench-' || w, :turns + 1 FROM generate_series(1, :worlds) AS w`,
];

/** Fills a database with a million calls, past all that a turn does. */
export async function fill(url: string): Promise<Filled> {
  const played = { folder: ROOT, scenario: 'workflows/ambient-weather/scenario.json', world_slugs: [] };
  const { engine, scenario_hash } = await openWorlds({ CHUKWA_DATABASE_URL: url }, {}, played);
  const closure = await engine.store.components.closure('scenario', scenario_hash);
  await engine.close();
  const hashOf = (kind: string): string => closure.find((component) => component.kind === kind)?.hash ?? '';
  const [source_hash, workflow_hash] = [hashOf('response_source'), hashOf('cognition_workflow')];
  const { worlds, turns, calls_per_turn: calls, long_attempt_calls: long } = SIZE;
  const schema = createHash('sha256').update('{}').digest('hex');
  const hashes = { scenario: scenario_hash, source: source_hash, workflow: workflow_hash, schema };
  const values: Readonly<Record<string, string | number>> = { worlds, turns, calls, long, ...hashes };
  const write = (statement: string): string =>
    statement.replace(/(?<!:):([a-z]+)\b/g, (found, name: string) => String(values[name] ?? found));
  return withClient(url, async (client) => {
    // Neither foreign keys nor triggers look at each row: the rows satisfy them.
    await client.query(`SET session_replication_role = replica; SET synchronous_commit = off; ${FUNCTIONS}`);
    for (const [done, statement] of STATEMENTS.entries()) {
      say(`filling a database with a million calls: statement ${done + 1} of ${STATEMENTS.length}`);
      await client.query(write(statement));
    }
    await client.query('VACUUM ANALYZE');
    const { rows } = await client.query<{ id: string }>(write(`SELECT bench_id(:turns + 1, 1) AS id`));
    const world_slugs = Array.from({ length: worlds }, (_none, index) => `bench-${index + 1}`);
    return { world_slugs, scenario_hash, source_hash, workflow_hash, long_attempt_id: rows[0]?.id ?? '' };
  });
}
