import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachDatabase } from '../support/databases.js';
import {
  answered,
  begin,
  committing,
  DOCUMENTS,
  finishCall,
  generationStart,
  makeWorld,
  message,
  patchOf,
  pended,
  pendingStart,
  playTurn,
  sayPatch,
  startCall,
  toyStart,
} from './record-fixtures.js';

const APPEND_ONLY = [
  'audit_entries',
  'attempt_events',
  'turns',
  'world_patches',
  'entity_states',
  'entity_memories',
  'environment_contents',
  'llm_chunks',
  'llm_segments',
  'llm_messages',
  'scenarios',
  'components',
];

/** Rows that contradict themselves, of a world whose attempt makes a call. */
const UNSOUND: Readonly<Record<string, string>> = {
  'a failed call without an end': `UPDATE source_invocations SET status = 'failed', failure_class = 'timeout' WHERE world_slug = $1`,
  'a failed call without a failure': `UPDATE source_invocations SET status = 'failed', ended_at = now() WHERE world_slug = $1`,
  'a committed attempt without an end': `UPDATE attempts SET status = 'committed' WHERE world_slug = $1`,
  'a failure of a running attempt': `UPDATE attempts SET failure_class = 'timeout' WHERE world_slug = $1`,
  'half a lease': `UPDATE worlds SET lease_host = NULL WHERE world_slug = $1`,
  'a running agent without a turn': `UPDATE agent_state_heads SET status = 'running' WHERE world_slug = $1`,
  'a consumed message without a moment': `INSERT INTO agent_inbox (world_slug, inbox_id, message_type, status, next_retry_at)
    VALUES ($1, gen_random_uuid(), 'turn', 'consumed', now())`,
  'a stop of no attempt': `INSERT INTO agent_inbox (world_slug, inbox_id, message_type, status, next_retry_at)
    VALUES ($1, gen_random_uuid(), 'stop', 'pending', now())`,
};

forEachDatabase('rules that the database keeps', (open) => {
  for (const table of APPEND_ONLY) {
    test(`${table} takes no update, no deletion and no truncation`, async () => {
      const { outside } = await open();
      const [column] = await outside.query<{ name: string }>(
        `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum = 1`,
        [table],
      );
      const forbidden = [
        `UPDATE ${table} SET ${column?.name} = ${column?.name}`,
        `DELETE FROM ${table}`,
        `TRUNCATE ${table} CASCADE`,
      ];
      for (const statement of forbidden) await assert.rejects(outside.query(statement), { code: '23000' }, statement);
    });
  }

  for (const [what, unsound] of Object.entries(UNSOUND)) {
    test(`${what} is refused`, async () => {
      const { store, outside } = await open();
      const world_slug = `unsound-${Object.keys(UNSOUND).indexOf(what)}`;
      await makeWorld(store, world_slug);
      const { lease } = await begin(store, world_slug);
      await startCall(store, lease, toyStart('a', 1));
      await assert.rejects(outside.query(unsound.replaceAll('$1', `'${world_slug}'`)), { code: '23514' });
    });
  }

  test('a command is performed again only after an interruption', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'again');
    const { lease } = await begin(store, 'again');
    const first = toyStart('a', 1);
    await startCall(store, lease, first);
    await assert.rejects(startCall(store, lease, { ...toyStart('a', 2), performance: 2 }), {
      constraint: 'source_invocations_command_idx',
    });
    await outside.query(
      `UPDATE source_invocations SET status = 'interrupted', failure_class = 'interrupted', ended_at = now()
       WHERE source_invocation_id = $1`,
      [first.source_invocation_id],
    );
    await assert.rejects(startCall(store, lease, toyStart('a', 2)), {
      constraint: 'source_invocations_performance_idx',
    });
    const second = { ...toyStart('a', 2), performance: 2 };
    await startCall(store, lease, second);
    assert.equal((await store.records.invocation(second.source_invocation_id, 'redacted'))?.performance, 2);
    await assert.rejects(startCall(store, lease, { ...toyStart('a', 3), performance: 3 }), {
      constraint: 'source_invocations_command_idx',
    });
  });

  test('a call is issued under one number, and finished once', async () => {
    const { store } = await open();
    await makeWorld(store, 'once');
    const { lease } = await begin(store, 'once');
    const start = toyStart('a', 1);
    await startCall(store, lease, start);
    await assert.rejects(startCall(store, lease, toyStart('b', 1)), {
      constraint: 'source_invocations_attempt_seq_idx',
    });
    await finishCall(store, lease, answered(start, { first: true }));
    await assert.rejects(finishCall(store, lease, answered(start, { first: false })), /does not run any more/);
  });

  test('copied columns equal the row of the call, or of the turn, that they come from', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'copied');
    const { lease } = await begin(store, 'copied');
    const later = pendingStart('later', 7);
    await startCall(store, lease, later);
    await store.attempts.pendCall(lease, later.source_invocation_id, pended(later));
    await store.attempts.commit(lease, await sayPatch(store, lease, { before: 'rested', after: 'tired' }));
    const copies = await outside.query<{ what: string; is_true: boolean }>(`
      SELECT 'a generation' AS what, (said.attempt_id, said.llm_call_id) = (calls.attempt_id, calls.llm_call_id) AS is_true
      FROM llm_calls AS said JOIN source_invocations AS calls USING (world_slug, source_invocation_id)
      WHERE world_slug = 'copied'
      UNION ALL
      SELECT 'a patch',
        (patch.workflow_node_id, patch.workflow_subject_entity_id, patch.attempt_id)
        = (calls.workflow_node_id, calls.workflow_subject_entity_id, turns.attempt_id)
      FROM world_patches AS patch JOIN turns USING (world_slug, turn)
        JOIN source_invocations AS calls USING (world_slug, source_invocation_id)
      WHERE world_slug = 'copied'
      UNION ALL
      SELECT 'a call that is answered later', waits.attempt_id = calls.attempt_id
      FROM pending_calls AS waits JOIN source_invocations AS calls USING (world_slug, source_invocation_id)
      WHERE world_slug = 'copied'`);
    assert.deepEqual(
      copies.map(({ what, is_true }) => [what, is_true]),
      [
        ['a generation', true],
        ['a patch', true],
        ['a call that is answered later', true],
      ],
    );
  });

  test('no patch is committed of a call that is not on record', async () => {
    const { store } = await open();
    await makeWorld(store, 'unsaid');
    const { lease } = await begin(store, 'unsaid');
    const unsaid = committing(generationStart(1, [message('system', 'author', 'You are Zoe.')]), [
      patchOf({ before: 'rested', after: 'tired' }),
    ]);
    await assert.rejects(store.attempts.commit(lease, unsaid), { code: '23503' });
    assert.equal((await store.worlds.find('unsaid'))?.turn, 0);
  });

  test('a world has each turn once, and one running attempt', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'single');
    const { lease } = await playTurn(store, 'single', { before: 'rested', after: 'tired' });
    const again = `INSERT INTO turns (world_slug, turn, simulation_time, committed_at) VALUES ('single', 1, now(), now())`;
    await assert.rejects(outside.query(again), { constraint: 'turns_pkey' });
    await begin(store, 'single');
    await assert.rejects(
      outside.query(
        `INSERT INTO attempts (world_slug, attempt_id, attempted_turn, epoch, scenario_hash, renderer_version,
           plugin_versions, holder_host, holder_pid, started_at)
         SELECT world_slug, gen_random_uuid(), 2, 99, scenario_hash, '1', '{}', 'x', 1, now()
         FROM attempts WHERE attempt_id = $1`,
        [lease.attempt_id],
      ),
      { constraint: 'attempts_open_idx' },
    );
  });

  test('a slug is given once, and its world is the first one', async () => {
    const { store } = await open();
    await makeWorld(store, 'taken');
    const again = { world_slug: 'taken', scenario_hash: DOCUMENTS.scenario.hash, start_time: '2027-01-01T00:00:00Z' };
    assert.equal(await store.worlds.create({ ...again, created_at: 0 }), false);
    const world = await store.worlds.find('taken');
    assert.deepEqual(world, {
      world_slug: 'taken',
      scenario_hash: DOCUMENTS.scenario.hash,
      scenario_label: 'park',
      turn: 0,
      simulation_time: '2026-01-01T08:00:00.000Z',
      created_at: '2026-01-01T12:00:00.000Z',
    });
    assert.ok((await store.worlds.list()).some(({ world_slug }) => world_slug === 'taken'));
    assert.equal(await store.worlds.find('nowhere'), undefined);
  });

  const GRAMMARS = [
    [
      'human_id_text',
      ['park', 'a-b_c', '0', 'a'.repeat(64)],
      ['', 'A', '-a', 'a-', 'a--b', 'a.b', 'a'.repeat(65), 'a\n'],
    ],
    ['entity_id_text', ['bob', 'plate.crumb', '_-', 'a.b.c'], ['', '.', 'a.', '.a', 'a..b', 'Bob', 'a b', 'a\n']],
    ['sha256_hex', ['0'.repeat(64)], ['', '0'.repeat(63), 'G'.repeat(64), 'A'.repeat(64)]],
  ] as const;

  for (const [domain, good, bad] of GRAMMARS) {
    test(`${domain} takes what its grammar allows and nothing else`, async () => {
      const { outside } = await open();
      for (const text of good) await outside.query(`SELECT $1::${domain}`, [text]);
      for (const text of bad)
        await assert.rejects(outside.query(`SELECT $1::${domain}`, [text]), { code: '23514' }, text);
    });
  }

  test('a fork reads its ancestors as they were when it left them', async () => {
    const { store, outside } = await open();
    await makeWorld(store, 'trunk');
    await playTurn(store, 'trunk', { before: 'rested', after: 'tired' });
    await outside.query(`
      WITH fork AS (
        INSERT INTO worlds (world_slug, root_world_slug, scenario_hash, turn)
        SELECT 'branch', 'trunk', scenario_hash, 1 FROM worlds WHERE world_slug = 'trunk'),
      line AS (INSERT INTO world_lineage VALUES ('branch', 'trunk', 1))
      INSERT INTO turns SELECT 'branch', turn, NULL, simulation_time, committed_at FROM turns
      WHERE world_slug = 'trunk' AND turn = 1`);
    await playTurn(store, 'trunk', { before: 'tired', after: 'asleep' });
    await playTurn(store, 'branch', { before: 'tired', after: 'awake' });
    const zoe = async (slug: string, turn: number) => {
      const world = await store.worlds.snapshot(slug, turn);
      const found = world?.entities.find(({ id }) => id === 'zoe');
      return [found?.state, found?.memory.map(({ content }) => content).join(' ')];
    };
    assert.deepEqual(await zoe('branch', 0), ['rested', 'born fed']);
    assert.deepEqual(await zoe('branch', 1), ['tired', 'born fed I was rested.']);
    assert.deepEqual(await zoe('branch', 2), ['awake', 'born fed I was rested. I was tired.']);
    assert.deepEqual(await zoe('trunk', 2), ['asleep', 'born fed I was rested. I was tired.']);
    assert.equal((await store.worlds.snapshot('branch', 0))?.simulation_time, '2026-01-01T08:00:00.000Z');
  });
});
