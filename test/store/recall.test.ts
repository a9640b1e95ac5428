import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemoryQuery } from '../../engine/core/world/retrieval.js';
import { forEachDatabase } from '../support/databases.js';
import { corpus, type Finder, lastOnes, recallOf, termsAndRecency, toQuery } from './recall.js';
import { makeWorld } from './record-fixtures.js';

const CONVERSATIONS = corpus();

forEachDatabase('recall of long conversations', (open) => {
  test('ten memories hold the answer to at least 65 of 100 questions, and with their neighbours to 80', async (context) => {
    const { store, outside } = await open();
    for (const [index, { memories }] of CONVERSATIONS.entries()) {
      await makeWorld(store, `conversation-${index}`);
      await outside.query(
        `INSERT INTO entity_memories (world_slug, entity_id, turn, memory_seq, content, origin)
         SELECT $1, 'agent', place, 1, content, 'patch'
         FROM json_array_elements_text($2::json) WITH ORDINALITY AS row (content, place)`,
        [`conversation-${index}`, JSON.stringify(memories)],
      );
    }
    const ranked =
      (change: Partial<MemoryQuery>): Finder =>
      async (_, text, index) =>
        (await store.attempts.retrieve({ world_slug: `conversation-${index}` }, toQuery(text, change))).map(
          ({ turn }) => turn - 1,
        );
    await outside.query(
      `CREATE TABLE searched AS SELECT world_slug, turn, to_tsvector('english', content) AS words FROM entity_memories`,
    );
    const tsRank: Finder = async (_, text, index) => {
      const rows = await outside.query<{ turn: number }>(
        `SELECT turn::int FROM searched, (
           SELECT replace(plainto_tsquery('english', $2)::text, '&', '|')::tsquery AS query) AS asked
         WHERE world_slug = $1 AND words @@ query
         ORDER BY ts_rank(words, query) DESC, turn DESC LIMIT 10`,
        [`conversation-${index}`, text],
      );
      return rows.map(({ turn }) => turn - 1);
    };
    const finders = {
      'the last ten': lastOnes,
      'terms and recency': termsAndRecency,
      ts_rank: tsRank,
      'BM25, words as they are': ranked({ language: 'simple' }),
      BM25: ranked({}),
      'BM25 with neighbours': ranked({ neighbours: 1 }),
    };
    const recall: Record<string, number> = {};
    for (const [name, find] of Object.entries(finders)) {
      recall[name] = await recallOf(find, CONVERSATIONS);
      context.diagnostic(`${name.padEnd(24)}${recall[name].toFixed(3)}`);
    }
    const found = (name: keyof typeof finders): number => recall[name] ?? 0;
    assert.ok(found('BM25') >= 0.65);
    assert.ok(found('BM25 with neighbours') >= 0.8);
    assert.ok(found('BM25') > Math.max(found('ts_rank'), found('terms and recency'), found('the last ten')));
  });

  test('a session plans a search for its first questions, and asks all others by that plan', async () => {
    const { database } = await open();
    const { rows } = await database.query<{ planned: number; reused: number }>(
      `SELECT custom_plans::int AS planned, generic_plans::int AS reused FROM pg_prepared_statements
       WHERE name LIKE 'chukwa_rank_memories%'`,
    );
    const [{ planned, reused } = { planned: Infinity, reused: 0 }] = rows;
    assert.ok(planned <= 5 && reused > 300, `planned ${planned} times, and reused ${reused} times`);
  });
});
