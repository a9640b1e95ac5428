import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadMigrations, migrate } from '../../engine/store/migrations.js';
import { forEachDatabase, MIGRATIONS, type OutsideView } from '../support/databases.js';

const FIRST_WITHOUT = '0009_adoption';
const ATTEMPTS = [1, 2, 3].map((number) => `00000000-0000-7000-8000-00000000000${number}`);
const [FIRST = '', SECOND = '', THIRD = ''] = ATTEMPTS;
const HASH = '0'.repeat(64);

/** Calls of the attempts: how each ended, and the decision where nobody saw that. */
const CALLS = [
  { id: 'a', attempt: FIRST, key: 'read', effect: 'read_only', ending: `'succeeded', true`, settled: undefined },
  { id: 'b', attempt: FIRST, key: 'sale', effect: 'state_change', ending: `'interrupted', false`, settled: true },
  { id: 'c', attempt: SECOND, key: 'gift', effect: 'state_change', ending: `'interrupted', false`, settled: false },
  { id: 'd', attempt: SECOND, key: 'look', effect: 'read_only', ending: `'failed', false`, settled: undefined },
] as const;

const idOf = (id: string): string => `00000000-0000-7000-8000-0000000000${id.repeat(2)}`;

/** Writes a world whose third attempt adopts settled calls of a second and a first one; other rows do not matter. */
async function writeAsBefore(outside: OutsideView): Promise<void> {
  const at = `'2026-01-01T12:00:00Z'`;
  const statements = [
    'SET session_replication_role = replica',
    `INSERT INTO worlds (world_slug, root_world_slug, scenario_hash, turn, lease_epoch, created_at)
     VALUES ('old', 'old', '${HASH}', 0, 3, ${at})`,
    ...ATTEMPTS.map(
      (attempt, index) => `
        INSERT INTO attempts (world_slug, attempt_id, attempted_turn, epoch, scenario_hash, renderer_version,
          plugin_versions, holder_host, holder_pid, started_at, status, failure_class, failure_message, ended_at,
          continues_attempt_id)
        VALUES ('old', '${attempt}', 1, ${index + 1}, '${HASH}', '1', '{}', 'here', 1, ${at}, 'failed', 'interrupted',
          'its driver died', ${at}, ${index === 0 ? 'NULL' : `'${ATTEMPTS[index - 1]}'`})`,
    ),
    ...CALLS.map(
      ({ id, attempt, key, effect, ending }, index) => `
        INSERT INTO source_invocations (world_slug, source_invocation_id, attempt_id, attempted_turn, invocation_seq,
          command_key, request_hash, source_hash, workflow_hash, workflow_node_id, workflow_subject_entity_id,
          invocation_kind, effect_class, redaction, request_json, started_at, status, answered, refused, failure_class,
          ended_at)
        VALUES ('old', '${idOf(id)}', '${attempt}', 1, ${index + 1}, '${key}', '${HASH}', '${HASH}', '${HASH}', 'act',
          'zoe', 'node_call', '${effect}', '"all"', '{}', ${at}, ${ending}, false,
          ${ending.includes('true') ? 'NULL' : `'interrupted'`}, ${at})`,
    ),
    ...CALLS.filter(({ settled }) => settled !== undefined).map(
      ({ id, attempt, settled }) => `
        INSERT INTO call_settlements (world_slug, source_invocation_id, attempt_id, performed, response_json, settled_at)
        VALUES ('old', '${idOf(id)}', '${attempt}', ${settled}, ${settled === true ? `'{}'` : 'NULL'}, ${at})`,
    ),
    'SET session_replication_role = DEFAULT',
  ];
  await outside.query(statements.join(';'));
}

forEachDatabase('attempts that went on with settled ones before they adopted', (open) => {
  test('adopt what answered them then: what was answered, and what was settled as performed', async () => {
    const { database, outside } = await open();
    const migrations = await loadMigrations(MIGRATIONS);
    await outside.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const adoption = migrations.filter(({ name }) => name <= FIRST_WITHOUT);
    const earlier = migrations.filter(({ name }) => name < FIRST_WITHOUT);
    assert.ok((await migrate(database, earlier)).ok);
    await writeAsBefore(outside);
    // Rows that it refers to do not matter, so that later migrations make no demands on it.
    assert.ok((await migrate(database, adoption)).ok);
    const adopted = await outside.query<{ attempt_id: string; source_invocation_id: string }>(
      'SELECT attempt_id, source_invocation_id FROM adopted_calls ORDER BY attempt_id, source_invocation_id',
    );
    assert.deepEqual(
      adopted.map(({ attempt_id, source_invocation_id }) => [attempt_id, source_invocation_id]),
      [SECOND, THIRD].flatMap((attempt) => ['a', 'b'].map((id) => [attempt, idOf(id)])),
    );
    const adopts = await outside.query<{ adopts: string | null }>('SELECT adopts FROM attempts ORDER BY epoch');
    assert.deepEqual(
      adopts.map((row) => row.adopts),
      [null, FIRST, SECOND],
    );
  });
});
