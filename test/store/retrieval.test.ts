import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FoundMemory, MemoryQuery } from '../../engine/core/world/retrieval.js';
import { forEachDatabase, type OutsideView } from '../support/databases.js';
import { makeWorld } from './record-fixtures.js';

const QUERY: MemoryQuery = {
  entity_id: 'zoe',
  turn: 1_000,
  text: '',
  language: 'simple',
  top: 3,
  neighbours: 0,
  skip_latest: 0,
  skip_pinned: false,
};

interface Remembered {
  readonly turn: number;
  readonly content: string;
}

/** Gives Zoe memories: those of a turn in their order. */
async function remember(outside: OutsideView, world_slug: string, memories: readonly Remembered[]): Promise<void> {
  await outside.query(
    `INSERT INTO entity_memories (world_slug, entity_id, turn, memory_seq, content, origin)
     SELECT $1, 'zoe', turn, row_number() OVER (PARTITION BY turn ORDER BY place), content, 'patch'
     FROM json_to_recordset($2::json) AS row (place int, turn bigint, content text)`,
    [world_slug, JSON.stringify(memories.map((memory, place) => ({ place, ...memory })))],
  );
}

function contents(found: readonly FoundMemory[]): readonly string[] {
  return found.map(({ content }) => content);
}

/** BM25 as a textbook has it, over memories in their order: the contents of the best, of equal ones the later. */
function rank(memories: readonly Remembered[], query: readonly string[], top: number): readonly string[] {
  const texts = memories.map(({ content }) => content.split(' '));
  const average = texts.reduce((sum, words) => sum + words.length, 0) / texts.length;
  const scores = texts.map((words) =>
    [...new Set(query)].reduce((sum, word) => {
      const having = texts.filter((others) => others.includes(word)).length;
      const times = words.filter((other) => other === word).length;
      const weight = Math.log(1 + (texts.length - having + 0.5) / (having + 0.5));
      return sum + (weight * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * words.length) / average));
    }, 0),
  );
  const best = scores.flatMap((score, place) => (score > 0 ? [{ score: Math.round(score * 1e5), place }] : []));
  const chosen = best.toSorted((one, other) => other.score - one.score || other.place - one.place).slice(0, top);
  return chosen.toSorted((one, other) => one.place - other.place).map(({ place }) => texts[place]?.join(' ') ?? '');
}

const WORDS = ['lamp', 'boat', 'rope', 'gull', 'tide', 'bread', 'stone', 'the'];
const content = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 9 }).map((words) => words.join(' '));

forEachDatabase('retrieval', (open) => {
  let worlds = 0;
  const makeNext = async () => {
    const opened = await open();
    const world_slug = `remembering-${++worlds}`;
    await makeWorld(opened.store, world_slug);
    return { ...opened, world_slug };
  };

  test('memories are ranked by BM25, as of any turn, and a fork finds those of its ancestors until it left them', async () => {
    const { store, outside } = await open();
    const run = async (before: readonly string[], after: readonly string[], query: readonly string[]) => {
      const world_slug = `ranking-${++worlds}`;
      await makeWorld(store, world_slug);
      const given = ['born', 'fed'].map((text) => ({ turn: 0, content: text }));
      const shared = before.map((text, index) => ({ turn: 1 + Math.floor(index / 2), content: text }));
      await remember(outside, world_slug, shared);
      const left = 1 + Math.floor(before.length / 4);
      const fork = `${world_slug}-fork`;
      await outside.query(
        `WITH fork AS (
           INSERT INTO worlds (world_slug, root_world_slug, scenario_hash)
           SELECT $1, world_slug, scenario_hash FROM worlds WHERE world_slug = $2)
         INSERT INTO world_lineage VALUES ($1, $2, $3)`,
        [fork, world_slug, left],
      );
      const own = after.map((text, index) => ({ turn: left + 1 + index, content: text }));
      await remember(outside, fork, own);
      const search = { ...QUERY, text: query.join(' ') };
      const ofFork = [...given, ...shared.filter(({ turn }) => turn <= left), ...own];
      const ofTurn = [...given, ...shared.filter(({ turn }) => turn <= 2)];
      // The order of the searches decides what is indexed when, and nothing else.
      const found = await store.attempts.retrieve({ world_slug: fork }, search);
      assert.deepEqual(contents(found), rank(ofFork, query, 3));
      const whole = await store.attempts.retrieve({ world_slug }, search);
      assert.deepEqual(contents(whole), rank([...given, ...shared], query, 3));
      const early = await store.attempts.retrieve({ world_slug }, { ...search, turn: 2 });
      assert.deepEqual(contents(early), rank(ofTurn, query, 3));
      assert.deepEqual(await store.attempts.retrieve({ world_slug: fork }, search), found);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { minLength: 1, maxLength: 14 }),
        fc.array(content, { maxLength: 5 }),
        fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }),
        run,
      ),
      { numRuns: 15, seed: 20_261_127 },
    );
  });

  test('what a prompt shows anyway is left out, and neighbours come along', async () => {
    const { store, outside, world_slug } = await makeNext();
    const texts = ['a lamp fell', 'it was dark', 'we waited', 'a lamp again', 'bread came', 'a lamp here'];
    await remember(
      outside,
      world_slug,
      texts.map((text, index) => ({ turn: index + 1, content: text })),
    );
    const search = { ...QUERY, text: 'lamp', top: 2 };
    const find = (change: Partial<MemoryQuery>) => store.attempts.retrieve({ world_slug }, { ...search, ...change });
    assert.deepEqual(contents(await find({})), ['a lamp again', 'a lamp here']);
    const beside = await find({ skip_latest: 1, neighbours: 1, skip_pinned: true });
    assert.deepEqual(contents(beside), texts.slice(0, 5));
    assert.deepEqual(
      beside.map(({ memory_id, score }) => [memory_id, score !== null]),
      [
        ['1.1', true],
        ['2.1', false],
        ['3.1', false],
        ['4.1', true],
        ['5.1', false],
      ],
    );
    assert.deepEqual(contents(await find({ top: 1, text: 'fed' })), ['fed']);
    assert.deepEqual(await find({ top: 1, text: 'fed', skip_pinned: true }), []);
    assert.deepEqual(await find({ text: '?!' }), []);
  });

  test('words are compared by the stems of the language, and in scripts without spaces', async () => {
    const { store, outside, world_slug } = await makeNext();
    const texts = ['The Boats were loaded', 'Die Häuser brannten', '昨日図書館で本を借りた', 'nothing of it'];
    await remember(
      outside,
      world_slug,
      texts.map((text, index) => ({ turn: index + 1, content: text })),
    );
    const find = async (text: string, language: MemoryQuery['language'] = 'simple') =>
      contents(await store.attempts.retrieve({ world_slug }, { ...QUERY, text, language }));
    assert.deepEqual(await find('boat'), []);
    assert.deepEqual(await find('the boat', 'english'), ['The Boats were loaded']);
    assert.deepEqual(await find('HAUS brennen', 'german'), ['Die Häuser brannten']);
    assert.deepEqual(await find('図書館'), ['昨日図書館で本を借りた']);
  });

  test('two searches at one time index each memory once', async () => {
    const { store, outside, world_slug, anotherStore } = await makeNext();
    const other = await anotherStore();
    const memories = Array.from({ length: 300 }, (_, index) => ({ turn: index + 1, content: `the gull ${index}` }));
    await remember(outside, world_slug, memories);
    const search = { ...QUERY, text: 'gull', top: 2 };
    const found = await Promise.all(
      [store, other, store, other].map(({ attempts }) => attempts.retrieve({ world_slug }, search)),
    );
    for (const each of found) assert.deepEqual(contents(each), ['the gull 298', 'the gull 299']);
    const [counted] = await outside.query<{ postings: number }>(
      `SELECT sum(cardinality(postings))::int AS postings FROM memory_words WHERE world_slug = $1 AND word = 'gull'`,
      [world_slug],
    );
    assert.equal(counted?.postings, 300);
  });
});
