import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalText } from '../../engine/core/content/canonical.js';
import { sha256 } from '../../engine/core/content/sha256.js';
import { loadMigrations, migrate } from '../../engine/store/migrations.js';
import { decodePieces } from '../../engine/store/pieces.js';
import { forEachDatabase, MIGRATIONS, type OutsideView } from '../support/databases.js';

const FIRST_WITHOUT = '0026_lighter_turns';

const HASH = '0'.repeat(64);
const DOCUMENT = sha256('{}');
const idOf = (digit: string): string => `00000000-0000-7000-8000-00000000000${digit}`;
const [COMMITTED, FAILED, ADOPTING, SAID, SETTLED, SUPERSEDED] = ['1', '2', '3', '4', '5', '6'].map(idOf);
const LLM_CALL = idOf('7');

const attempt = (id: string | undefined, epoch: number, ending: string, adopts: string): string => `
  INSERT INTO attempts (world_slug, attempt_id, attempted_turn, epoch, scenario_hash, renderer_version, plugin_versions,
    holder_host, holder_pid, started_at, ended_at, status, failure_class, adopts)
  VALUES ('old', '${id}', 1, ${epoch}, '${DOCUMENT}', '1', '{}', 'here', 1, '2026-01-01T12:00:00Z', ${ending}, ${adopts})`;

const call = (id: string | undefined, of: string | undefined, seq: number, said: string): string => `
  INSERT INTO source_invocations (world_slug, source_invocation_id, attempt_id, attempted_turn, invocation_seq,
    command_key, request_hash, source_hash, workflow_hash, workflow_node_id, workflow_subject_entity_id, invocation_kind,
    effect_class, redaction, request_json, started_at, status, ended_at, llm_call_id, started_event_id, ended_event_id)
  VALUES ('old', '${id}', '${of}', 1, ${seq}, 'key-${seq}', '${HASH}', '${HASH}', '${HASH}', 'act', 'zoe', 'node_call',
    'state_change', '"all"', '{}', '2026-01-01T12:00:01Z', 'succeeded', '2026-01-01T12:00:02Z', ${said},
    ${seq * 100 + 1}, ${seq * 100 + 2})`;

const event = (of: string | undefined, number: number, kind: string, about: string, details: string): string => `
  INSERT INTO attempt_events (world_slug, attempt_id, event_id, event_kind, occurred_at, source_invocation_id,
    workflow_node_id, workflow_subject_entity_id, patch_seq, details)
  OVERRIDING SYSTEM VALUE
  VALUES ('old', '${of}', ${number}, '${kind}', '2026-01-01T12:00:0${/began/.test(kind) ? 0 : 3}Z', ${about}, '${details}')`;

const about = (id: string | undefined, patch_seq = 'NULL'): string => `'${id}', 'act', 'zoe', ${patch_seq}`;
const NOTHING = 'NULL, NULL, NULL, NULL';

const EARLIER = [
  'SET session_replication_role = replica',
  `INSERT INTO scenarios (hash, content) VALUES ('${DOCUMENT}', '{}')`,
  `INSERT INTO worlds (world_slug, root_world_slug, scenario_hash, turn) VALUES ('old', 'old', '${DOCUMENT}', 1)`,
  `INSERT INTO offered_schemas VALUES ('${DOCUMENT}', 'answer', '{}')`,
  attempt(FAILED, 1, `'2026-01-01T12:00:03Z', 'failed', 'provider'`, 'NULL'),
  attempt(ADOPTING, 2, `'2026-01-01T12:00:03Z', 'failed', 'provider'`, `'${FAILED}'`),
  attempt(COMMITTED, 3, `'2026-01-01T12:00:03Z', 'committed', NULL`, 'NULL'),
  call(SAID, COMMITTED, 1, `'${LLM_CALL}'`),
  call(SUPERSEDED, COMMITTED, 2, 'NULL'),
  call(SETTLED, FAILED, 1, 'NULL'),
  `INSERT INTO llm_calls (world_slug, llm_call_id, attempt_id, source_invocation_id, schema_delivery, output_schema_hash,
     conversation, message_count, prefix_hash, started_at)
   VALUES ('old', '${LLM_CALL}', '${COMMITTED}', '${SAID}', 'prompt', '${DOCUMENT}', 'zoe/act', 1, '${HASH}', '2026-01-01Z')`,
  `INSERT INTO llm_chunks (world_slug, llm_call_id, batch_seq, text, lengths, offsets_ms) VALUES
     ('old', '${LLM_CALL}', 1, '\\x616263', '{1,2}', '{3,300}'),
     ('old', '${LLM_CALL}', 2, convert_to(repeat('d', 200), 'UTF8'), '{200}', '{70000}')`,
  `INSERT INTO adopted_calls VALUES ('old', '${ADOPTING}', '${SETTLED}')`,
  `INSERT INTO call_settlements VALUES ('old', '${SETTLED}', '${FAILED}', false, NULL, '2026-01-01Z')`,
  `INSERT INTO audit_entries (world_slug, audit_entry_id, audit_kind, attempt_id, occurred_at, source_invocation_id,
     attempt_number, raw_response, rejection)
   VALUES ('old', 150, 'generation_rejected', '${COMMITTED}', '2026-01-01Z', '${SAID}', 1, 'no', 'It is not JSON.')`,
  `INSERT INTO turns VALUES ('old', 1, '${COMMITTED}', '2026-01-01T12:10:00Z', '2026-01-01T12:00:03Z')`,
  `INSERT INTO world_patches (world_slug, turn, patch_seq, attempt_id, source_invocation_id, workflow_node_id,
     workflow_subject_entity_id, patch, touched_entities)
   VALUES ('old', 1, 1, '${COMMITTED}', '${SAID}', 'act', 'zoe', '{"narration":"Zoe waves.","effects":[]}', '{zoe}')`,
  `INSERT INTO patch_effects (world_slug, turn, patch_seq, effect_index, op, entity_id, state_before, state_after) VALUES
     ('old', 1, 1, 1, 'append_entity_memory', 'zoe', NULL, 'I "waved".'),
     ('old', 1, 1, 0, 'set_entity_state', 'zoe', 'asleep', 'awake')`,
  `INSERT INTO llm_artifacts (world_slug, llm_call_id, artifact_seq, kind, value) VALUES
     ('old', '${LLM_CALL}', 2, 'odd', '"nul \\u0000"'),
     ('old', '${LLM_CALL}', 1, 'provider', '{"id":"a"}')`,
  event(FAILED, 1, 'attempt_began', NOTHING, '{}'),
  event(FAILED, 900, 'attempt_failed', about(SETTLED), '{"status":"failed"}'),
  event(FAILED, 901, 'call_settled', about(SETTLED), '{"performed":false}'),
  event(ADOPTING, 1, 'attempt_began', NOTHING, `{"adopts" : "${FAILED}", "calls" : 1}`),
  event(ADOPTING, 900, 'attempt_failed', NOTHING, '{"status":"failed"}'),
  event(COMMITTED, 1, 'attempt_began', NOTHING, '{}'),
  event(COMMITTED, 300, 'call_superseded', about(SUPERSEDED), '{}'),
  event(COMMITTED, 901, 'patch_applied', about(SAID, '1'), '{"touched_entities" : ["zoe"]}'),
  event(COMMITTED, 902, 'turn_committed', NOTHING, '{"turn" : 1, "patches" : 1}'),
  'SET session_replication_role = DEFAULT',
].join(';');

const EFFECTS = [
  { effect_index: 0, op: 'set_entity_state', entity_id: 'zoe', state_before: 'asleep', state_after: 'awake' },
  { effect_index: 1, op: 'append_entity_memory', entity_id: 'zoe', state_after: 'I "waved".' },
];

const ARTIFACTS = [
  { kind: 'provider', value: { id: 'a' } },
  { kind: 'odd', value: 'nul \u0000' },
];

const TIMELINE = `
  SELECT world_slug::text, attempt_id, event_kind, occurred_at, source_invocation_id, cognition_workflow_hash::text,
    workflow_node_id::text, workflow_subject_entity_id::text, patch_seq::int, details
  FROM attempt_timeline_events ORDER BY attempt_id, event_id`;

const AUDIT = `
  SELECT world_slug::text, audit_kind, attempt_id, attempted_turn::int, occurred_at, source_invocation_id, llm_call_id,
    cognition_workflow_hash::text, response_source_hash::text, workflow_node_id::text, workflow_subject_entity_id::text,
    patch_seq::int, attempt_number::int, raw_response, rejection, details
  FROM world_audit_events ORDER BY attempt_id, audit_event_id`;

async function readBoth(outside: OutsideView) {
  return { timeline: await outside.query(TIMELINE), audit: await outside.query(AUDIT) };
}

forEachDatabase('a database in which a turn had rows of its timeline', (open) => {
  test('a database in which a turn had rows of its timeline has the same timeline, audit, patches and streams after its migration', async () => {
    const { database, outside } = await open();
    const migrations = await loadMigrations(MIGRATIONS);
    await outside.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    assert.ok(
      (
        await migrate(
          database,
          migrations.filter(({ name }) => name < FIRST_WITHOUT),
        )
      ).ok,
    );
    await outside.query(EARLIER);
    const before = await readBoth(outside);
    assert.deepEqual([before.timeline.length, before.audit.length], [15, 6]);

    assert.ok((await migrate(database, migrations)).ok);
    assert.deepEqual(await readBoth(outside), before);
    const patches = await outside.query('SELECT narration, to_json(touched_entities) AS touched FROM world_patches');
    assert.deepEqual(patches, [{ narration: 'Zoe waves.', touched: ['zoe'] }]);
    const [stored] = await outside.query(
      'SELECT effects::text, artifacts::text FROM world_patches CROSS JOIN llm_calls',
    );
    assert.deepEqual(stored, { effects: canonicalText(EFFECTS), artifacts: canonicalText(ARTIFACTS) });
    const effects = await outside.query(
      'SELECT patch_seq::int, effect_index, op, entity_id, state_before FROM patch_effects',
    );
    assert.deepEqual(
      effects,
      EFFECTS.map(({ effect_index, op, entity_id, state_before = null }) => {
        return { patch_seq: 1, effect_index, op, entity_id, state_before };
      }),
    );
    const rows = await outside.query<{ text: Buffer; pieces: Buffer }>(
      'SELECT text, pieces FROM llm_chunks ORDER BY batch_seq',
    );
    assert.deepEqual(
      rows.map(({ text, pieces }) => [text.length, decodePieces(pieces)]),
      [
        [3, { lengths: [1, 2], offsets_ms: [3, 300] }],
        [200, { lengths: [200], offsets_ms: [70_000] }],
      ],
    );
    for (const table of ['attempt_events', 'world_patches', 'llm_chunks'])
      await assert.rejects(outside.query(`DELETE FROM ${table}`), { code: '23000' });
  });
});
