import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QueryConfig } from 'pg';
import { query } from '../../engine/store/queries.js';
import type { Runner } from '../../engine/store/statement.js';

/** A database that answers nothing and keeps what it is sent. */
function openDeaf(): { readonly runner: Runner; readonly sent: QueryConfig[] } {
  const sent: QueryConfig[] = [];
  const runner = {
    query: async (config: QueryConfig) => {
      sent.push(config);
      return { rows: [] };
    },
  };
  return { runner: runner as unknown as Runner, sent };
}

const listAttempts = query(
  ({ from, lit }, { world_slug, before, limit }: { world_slug: string; before?: number; limit: number }) => {
    const latest = from('attempts').select('epoch').where('world_slug', '=', world_slug).limit(limit);
    const failed = latest.where('status', '=', lit('failed'));
    return before === undefined ? failed : failed.where('epoch', '<', before);
  },
);

test('a query is one prepared statement for all its values, and another one without a value', async () => {
  const { runner, sent } = openDeaf();
  await listAttempts(runner, { world_slug: 'park', limit: 3 });
  await listAttempts(runner, { limit: 4, world_slug: 'village' });
  await listAttempts(runner, { world_slug: 'park', before: 7, limit: 3 });
  assert.deepEqual(
    sent.map(({ values }) => values),
    [
      ['park', 3],
      ['village', 4],
      ['park', 7, 3],
    ],
  );
  const [first, second, third] = sent;
  assert.deepEqual([second?.name, second?.text], [first?.name, first?.text]);
  assert.notEqual(third?.name, first?.name);
  assert.match(first?.name ?? '', /^chukwa_/);
  assert.match(first?.text ?? '', /"status" = 'failed'/);
});

test('a constant that is no literal of the text is refused: a plan would not know it', async () => {
  const { runner } = openDeaf();
  const listFailed = query(({ from }) => from('attempts').select('epoch').where('status', '=', 'failed'));
  await assert.rejects(listFailed(runner, {}), /lit\("failed"\)/);
});

test('a query is not run by the builder, which has no connection', async () => {
  const { runner } = openDeaf();
  let executed: Promise<unknown> | undefined;
  const list = query(({ from }) => {
    const attempts = from('attempts').select('epoch');
    executed = attempts.execute();
    executed.catch(() => {});
    return attempts;
  });
  await list(runner, {});
  await assert.rejects(executed ?? assert.fail(), /what `query` returns/);
});
