import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadMigrations, migrate } from '../../engine/store/migrations.js';
import { forEachDatabase, MIGRATIONS, type OutsideView } from '../support/databases.js';

const FIRST_WITHOUT = '0007_one_fact_once';
/** From here on, beginnings, patches and turns are rows that these attempts do not have. */
const FIRST_DERIVED = '0026';

/** Calls of an attempt, as they were left; and what its timeline held, in its order. */
const CALLS = [
  ['answered', `'succeeded', false, NULL, '2026-01-01T12:00:20Z'`],
  ['failed', `'failed', false, 'timeout', '2026-01-01T12:00:30Z'`],
  ['refused', `'failed', true, 'policy_denied', '2026-01-01T12:00:02.5Z'`],
  ['running', `'running', false, NULL, NULL`],
  ['lost', `'interrupted', false, 'interrupted', '2026-01-01T12:01:00Z'`],
  ['reported', `'succeeded', false, NULL, '2026-01-01T12:02:00Z'`],
] as const;

const EVENTS = [
  ['attempt_began', undefined, '12:00:00'],
  ['call_started', 'answered', '12:00:01'],
  ['call_started', 'failed', '12:00:01'],
  ['call_refused', 'refused', '12:00:01'],
  ['call_answered', 'answered', '12:00:20'],
  ['call_started', 'lost', '12:00:01'],
  ['call_started', 'reported', '12:00:01'],
  ['call_pended', 'reported', '12:00:25'],
  ['call_failed', 'failed', '12:00:30'],
  ['attempt_handed_over', undefined, '12:00:40'],
  ['call_interrupted', 'lost', '12:01:00'],
  ['attempt_continued', undefined, '12:01:00'],
  ['call_answered', 'reported', '12:02:00'],
  ['call_started', 'running', '12:00:01'],
  ['patch_applied', 'answered', '12:03:00'],
  ['turn_committed', undefined, '12:03:00'],
] as const;

const ATTEMPTS = ['00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-00000000000b'];
const idOf = (attempt: string, key: string): string =>
  `${attempt.slice(0, -2)}${CALLS.findIndex(([one]) => one === key)}${attempt.slice(-1)}`;

/** Writes two attempts in their former shape; the rows that they refer to do not matter here. */
async function writeAsBefore(outside: OutsideView): Promise<void> {
  const hash = '0'.repeat(64);
  const statements = ['SET session_replication_role = replica'];
  for (const attempt of ATTEMPTS)
    for (const [index, [key, ending]] of CALLS.entries())
      statements.push(`
        INSERT INTO source_invocations (world_slug, source_invocation_id, attempt_id, attempted_turn, invocation_seq,
          command_key, request_hash, source_hash, workflow_hash, workflow_node_id, workflow_subject_entity_id,
          invocation_kind, effect_class, redaction, request_json, started_at, status, refused, failure_class, ended_at)
        VALUES ('old', '${idOf(attempt, key)}', '${attempt}', 1, ${index + 1}, '${key}', '${hash}', '${hash}', '${hash}',
          'act', 'zoe', 'node_call', 'read_only', '"all"', '{}', '2026-01-01T12:00:01Z', ${ending})`);
  for (const [place, [kind, key, at]] of EVENTS.entries())
    for (const attempt of ATTEMPTS) {
      const call = key === undefined ? 'NULL, NULL, NULL, NULL' : `'${idOf(attempt, key)}', '${hash}', 'act', 'zoe'`;
      const [patch_seq, details] = kind === 'patch_applied' ? [place, '{"touched":[]}'] : ['NULL', '{}'];
      statements.push(`
        INSERT INTO attempt_timeline_events (world_slug, attempt_id, event_kind, occurred_at, source_invocation_id,
          cognition_workflow_hash, workflow_node_id, workflow_subject_entity_id, patch_seq, details)
        VALUES ('old', '${attempt}', '${kind}', '2026-01-01T${at}Z', ${call}, ${patch_seq}, '${details}')`);
    }
  await outside.query([...statements, 'SET session_replication_role = DEFAULT'].join(';'));
}

const TIMELINE = `
  SELECT world_slug::text, attempt_id, event_id, event_kind, occurred_at, source_invocation_id,
    cognition_workflow_hash::text, workflow_node_id::text, workflow_subject_entity_id::text, patch_seq, details
  FROM attempt_timeline_events ORDER BY event_id`;

forEachDatabase('a timeline that was written when each call was told of by rows of its own', (open) => {
  test('a timeline that was written when each call was told of by rows of its own is read as it was, and goes on from there', async () => {
    const { database, outside } = await open();
    const migrations = (await loadMigrations(MIGRATIONS)).filter(({ name }) => name < FIRST_DERIVED);
    await outside.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const earlier = migrations.filter(({ name }) => name < FIRST_WITHOUT);
    assert.ok((await migrate(database, earlier)).ok);
    await writeAsBefore(outside);
    const before = await outside.query(TIMELINE);
    assert.equal(before.length, ATTEMPTS.length * EVENTS.length);

    assert.ok((await migrate(database, migrations)).ok);
    assert.deepEqual(await outside.query(TIMELINE), before);

    const kinds = await outside.query<{ kind: string }>(
      `SELECT DISTINCT event_kind::text AS kind FROM attempt_events ORDER BY 1`,
    );
    const stored = EVENTS.map(([kind]) => kind).filter((kind) => !/call_(started|answered|failed|refused)/.test(kind));
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      [...new Set(stored)].toSorted(),
    );
    await assert.rejects(outside.query('DELETE FROM attempt_events'), { code: '23000' });
    await outside.query(
      `INSERT INTO attempt_events (world_slug, attempt_id, event_kind, occurred_at)
       VALUES ('old', '${ATTEMPTS[0]}', 'attempt_handed_over', now())`,
    );
    const after = await outside.query<{ event_kind: string }>(TIMELINE);
    assert.deepEqual([after.length, after.at(-1)?.event_kind], [before.length + 1, 'attempt_handed_over']);
  });
});
