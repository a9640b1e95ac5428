import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v7 } from 'uuid';
import { forEachDatabase, type OutsideView } from '../support/databases.js';
import { begin, failing, makeWorld, playTurn, startCall, toyStart } from './record-fixtures.js';

/** The forbidden changes of a world at turn 2 whose attempts have ended, by the fact that they would falsify. */
const FORGERIES: Readonly<Record<string, string>> = {
  'the status of a committed attempt': `UPDATE attempts SET status = 'failed', failure_class = 'timeout' WHERE status = 'committed'`,
  'the failure of a failed attempt': `UPDATE attempts SET failure_message = 'It was nothing.' WHERE status = 'failed'`,
  'an answer': `UPDATE source_invocations SET response_json = '{"status": "paid"}' WHERE status = 'succeeded'`,
  'a request': `UPDATE source_invocations SET request_json = '{}' WHERE status = 'succeeded'`,
  'an ended call, into one that runs': `UPDATE source_invocations SET status = 'running', ended_at = NULL`,
  'an interrupted call': `UPDATE source_invocations SET status = 'succeeded', failure_class = NULL WHERE status = 'interrupted'`,
  'what a model said': `UPDATE llm_calls SET normalised_text = 'no'`,
  'the turn of a world, back': `UPDATE worlds SET turn = turn - 1`,
  'the turn of a world, to where it is': `UPDATE worlds SET turn = turn`,
  'the turn of a world, two on': `UPDATE worlds SET turn = turn + 2`,
  'the epoch of a world': `UPDATE worlds SET lease_epoch = lease_epoch - 1`,
  'the root of a world': `UPDATE worlds SET root_world_slug = 'another'`,
  'a state': `UPDATE entity_states SET state = 'rich'`,
  'a memory': `UPDATE entity_memories SET content = 'I won.'`,
};

const KEPT = [
  'attempts',
  'source_invocations',
  'llm_calls',
  'worlds',
  'agent_inbox',
  'agent_state_heads',
  'pending_calls',
];

/** A world with two committed turns, and an attempt that failed in the middle of a call. */
async function live(store: Parameters<typeof makeWorld>[0], world_slug: string): Promise<void> {
  await makeWorld(store, world_slug);
  await playTurn(store, world_slug, { before: 'rested', after: 'tired' });
  await playTurn(store, world_slug, { before: 'tired', after: 'asleep' });
  const { lease } = await begin(store, world_slug);
  const start = toyStart('a', 1);
  await startCall(store, lease, start);
  const { hash } = start.command.call.source;
  await store.attempts.askApproval(lease, {
    approval_id: v7(),
    binding_hash: hash,
    command_key: 'a',
    tool_name: 'weather',
    source_hash: hash,
    effect: 'external_side_effect',
    request: {},
    policy_hash: hash,
    rule: '/require_approval/0',
    because: 'it is asked',
    deadline_ms: 60_000,
  });
  await store.attempts.fail(lease, failing());
}

/** What a decision adds to an approval. All the rest is what a person is asked. */
const OF_DECISION = ['status', 'decided_at', 'decided_by', 'grant_id', 'reason'];

async function countOf(outside: OutsideView, forgery: string): Promise<number> {
  const [, table = '', where = ''] = /^UPDATE (\w+) SET .*?(WHERE .*)?$/.exec(forgery) ?? [];
  const [row] = await outside.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table} ${where}`);
  return row?.count ?? 0;
}

forEachDatabase('what has ended', (open) => {
  let lived: Promise<void> | undefined;

  for (const [what, forgery] of Object.entries(FORGERIES)) {
    test(`is final: ${what} is not changed`, async () => {
      const { store, outside } = await open();
      await (lived ??= live(store, 'ended'));
      assert.ok((await countOf(outside, forgery)) > 0, 'there is something to falsify');
      await assert.rejects(outside.query(forgery), { code: '23000' });
    });
  }

  test('is final before it ends: what a person is asked', async () => {
    const { store, outside } = await open();
    await (lived ??= live(store, 'ended'));
    const columns = await outside.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_name = 'approvals' AND table_schema = current_schema() AND column_name <> ALL ($1)`,
      [OF_DECISION],
    );
    assert.ok(columns.length > 10);
    for (const { name } of columns)
      await assert.rejects(outside.query(`UPDATE approvals SET ${name} = ${name}`), { code: '23000' }, name);
    assert.deepEqual(await outside.query(`UPDATE approvals SET reason = 'late' RETURNING reason`), [
      { reason: 'late' },
    ]);
  });

  for (const table of KEPT) {
    test(`stays: no row of ${table} is removed`, async () => {
      const { outside } = await open();
      await assert.rejects(outside.query(`DELETE FROM ${table}`), { code: '23000' });
      await assert.rejects(outside.query(`TRUNCATE ${table} CASCADE`), { code: '23000' });
    });
  }
});
