import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '../../engine/core/content/sha256.js';
import { recordReader } from '../../engine/store/records/record-reader.js';
import { loadMigrations, migrate } from '../../engine/store/migrations.js';
import { forEachDatabase, type OutsideView } from '../support/databases.js';

const MIGRATIONS = new URL('../../migrations', import.meta.url).pathname;
const FIRST_WITHOUT = '0020';
/** From here on, patches and turns are rows that this attempt does not have. */
const FIRST_DERIVED = '0026';

const HASH = '0'.repeat(64);
const SCHEMA = sha256('{}');
const MESSAGES = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
const idOf = (digit: string): string => `00000000-0000-7000-8000-00000000000${digit}`;
const [COMMITTED, FAILED, FIRST, SECOND, TOOL] = [idOf('1'), idOf('2'), idOf('3'), idOf('4'), idOf('5')];
const [FIRST_SAID, SECOND_SAID] = [idOf('6'), idOf('7')];

const call = (id: string, attempt: string, seq: number, said: string | undefined): string => `
  INSERT INTO source_invocations (world_slug, source_invocation_id, attempt_id, attempted_turn, invocation_seq,
    command_key, request_hash, source_hash, workflow_hash, workflow_node_id, workflow_subject_entity_id, invocation_kind,
    effect_class, redaction, request_json, started_at, status, ended_at, llm_call_id, logical_generation_attempt,
    tool_loop_round, model_output_kind)
  VALUES ('old', '${id}', '${attempt}', 1, ${seq}, 'key-${seq}', '${HASH}', '${HASH}', '${HASH}', 'act', 'zoe',
    '${said === undefined ? 'model_elected_tool' : 'llm_generation'}', 'state_change', '"all"', '{}', '2026-01-01Z',
    'succeeded', '2026-01-01Z', ${said === undefined ? 'NULL, NULL, NULL, NULL' : `'${said}', 1, ${seq}, 'final_patch'`})`;

const generation = (id: string, asked: string, message_count: number): string => `
  INSERT INTO llm_calls (world_slug, llm_call_id, attempt_id, attempted_turn, source_invocation_id, workflow_hash,
    workflow_node_id, workflow_subject_entity_id, logical_generation_attempt, tool_loop_round, model_output_kind, status,
    schema_delivery, output_schema_hash, conversation, message_count, prefix_hash, normalised_text, finish_reason,
    started_at, ended_at, duration_ms)
  VALUES ('old', '${id}', '${COMMITTED}', 1, '${asked}', '${HASH}', 'act', 'zoe', 1, ${message_count}, 'final_patch',
    'succeeded', 'prompt', '${SCHEMA}', 'zoe/act', ${message_count}, '${HASH}', '{"kind":1}', 'stop', '2026-01-01Z',
    '2026-01-01Z', 5)`;

const attempt = (id: string, epoch: number, ending: string): string => `
  INSERT INTO attempts (world_slug, attempt_id, attempted_turn, epoch, scenario_hash, renderer_version, plugin_versions,
    holder_host, holder_pid, started_at, ended_at, status, failure_class)
  VALUES ('old', '${id}', 1, ${epoch}, '${HASH}', '1', '{}', 'here', 1, '2026-01-01Z', '2026-01-01Z', ${ending})`;

/** The events in both tables. */
const EVENTS = [
  [COMMITTED, 'patch_applied', 'patch_applied', FIRST, 1, '{"touched_entities":["zoe"]}'],
  [COMMITTED, 'turn_committed', 'turn_complete', undefined, undefined, '{"turn":1,"patches":1}'],
  [FAILED, 'attempt_failed', 'attempt_failed', TOOL, undefined, '{"status":"failed"}'],
  [FAILED, 'call_settled', 'call_settled', TOOL, undefined, '{"performed":true}'],
] as const;

const saidOf = (id: string): string => (id === FIRST ? `'${FIRST_SAID}'` : 'NULL');

const valuesOf = ([
  attempt_id,
  event_kind,
  audit_kind,
  id,
  patch_seq,
  details,
]: (typeof EVENTS)[number]): readonly string[] => {
  const about = id === undefined ? 'NULL, NULL, NULL' : `'${id}', 'act', 'zoe'`;
  const copied = id === undefined ? 'NULL, NULL, NULL' : `${saidOf(id)}, '${HASH}', '${HASH}'`;
  return [
    `INSERT INTO attempt_events (world_slug, attempt_id, event_kind, occurred_at, source_invocation_id, workflow_node_id,
       workflow_subject_entity_id, patch_seq, details)
     VALUES ('old', '${attempt_id}', '${event_kind}', '2026-01-01Z', ${about}, ${patch_seq ?? 'NULL'}, '${details}')`,
    `INSERT INTO world_audit_events (world_slug, audit_kind, attempt_id, attempted_turn, occurred_at, source_invocation_id,
       workflow_node_id, workflow_subject_entity_id, llm_call_id, cognition_workflow_hash, response_source_hash, patch_seq,
       details)
     VALUES ('old', '${audit_kind}', '${attempt_id}', 1, '2026-01-01Z', ${about}, ${copied}, ${patch_seq ?? 'NULL'},
       '${details}')`,
  ];
};

async function writeAsBefore(outside: OutsideView): Promise<void> {
  const statements = [
    'SET session_replication_role = replica',
    `INSERT INTO offered_schemas VALUES ('${SCHEMA}', 'answer', '{}')`,
    attempt(COMMITTED, 1, `'committed', NULL`),
    attempt(FAILED, 2, `'failed', 'provider'`),
    call(FIRST, COMMITTED, 1, FIRST_SAID),
    call(SECOND, COMMITTED, 2, SECOND_SAID),
    call(TOOL, FAILED, 3, undefined),
    generation(FIRST_SAID, FIRST, 1),
    generation(SECOND_SAID, SECOND, 3),
    ...MESSAGES.map((hash, index) => {
      return `INSERT INTO llm_conversation_messages VALUES ('old', '${COMMITTED}', 'zoe/act', ${index + 1}, '${hash}')`;
    }),
    `INSERT INTO llm_token_observations VALUES ('old', '${SECOND_SAID}', 1, 30, 4, 20, NULL, '2026-01-01Z')`,
    `INSERT INTO world_audit_events (world_slug, audit_kind, attempt_id, attempted_turn, occurred_at, source_invocation_id,
       workflow_node_id, workflow_subject_entity_id, llm_call_id, cognition_workflow_hash, response_source_hash,
       attempt_number, raw_response, rejection)
     VALUES ('old', 'generation_rejected', '${COMMITTED}', 1, '2026-01-01Z', '${FIRST}', 'act', 'zoe', '${FIRST_SAID}',
       '${HASH}', '${HASH}', 1, 'no', 'It is not JSON.')`,
    ...EVENTS.flatMap(valuesOf),
    `INSERT INTO world_audit_events (world_slug, audit_kind, attempt_id, attempted_turn, occurred_at, details)
     VALUES ('old', 'attempt_set_aside', '${FAILED}', 1, '2026-01-01Z', '{"pid":1}')`,
    'SET session_replication_role = DEFAULT',
  ];
  await outside.query(statements.join(';'));
}

const AUDIT = `
  SELECT world_slug::text, audit_kind, attempt_id, attempted_turn::int, occurred_at, source_invocation_id, llm_call_id,
    cognition_workflow_hash::text, response_source_hash::text, workflow_node_id::text, workflow_subject_entity_id::text,
    patch_seq::int, attempt_number::int, raw_response, rejection, details
  FROM world_audit_events ORDER BY attempt_id, audit_event_id`;

const CONVERSATION = `
  SELECT world_slug::text, attempt_id, conversation, position::int, message_hash::text
  FROM llm_conversation_messages ORDER BY position`;

const GENERATIONS = `
  SELECT llm_call_id, status, finish_reason, ended_at, convert_from(normalised_text, 'UTF8') AS text
  FROM llm_calls ORDER BY llm_call_id`;

forEachDatabase('a database in which a turn was told several times', (open) => {
  test('a database in which a turn was told several times has the same audit, conversations, generations and summaries after its migration', async () => {
    const { database, outside } = await open();
    const migrations = await loadMigrations(MIGRATIONS);
    await outside.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const earlier = migrations.filter(({ name }) => name < FIRST_WITHOUT);
    assert.ok((await migrate(database, earlier)).ok);
    await writeAsBefore(outside);
    const readings = [AUDIT, CONVERSATION, GENERATIONS];
    const before = [];
    for (const reading of readings) before.push(await outside.query(reading));
    assert.deepEqual(
      before.map((rows) => rows.length),
      [6, 3, 2],
    );

    const derived = migrations.filter(({ name }) => name < FIRST_DERIVED);
    assert.ok((await migrate(database, derived)).ok);
    for (const [index, reading] of readings.entries()) assert.deepEqual(await outside.query(reading), before[index]);
    assert.ok((await migrate(database, migrations)).ok);
    const attempt = await recordReader(database).attempt(COMMITTED);
    assert.equal(attempt?.source_invocation_count, 2);
    assert.deepEqual(attempt?.source_trace_summary, {
      calls: { llm_generation: { succeeded: 2 } },
      input_tokens: 30,
      output_tokens: 4,
    });
    for (const table of ['audit_entries', 'attempt_events'])
      await assert.rejects(outside.query(`DELETE FROM ${table}`), { code: '23000' });
    await assert.rejects(outside.query(`UPDATE llm_calls SET finish_reason = 'length'`), { code: '23000' });
  });
});
