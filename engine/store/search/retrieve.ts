import { present } from '../../contract/present.js';
import type { Origins } from '../../core/prompt/origins.js';
import type { FoundMemory, MemoryQuery } from '../../core/world/retrieval.js';
import { inTransaction, type OpenDatabase } from '../database.js';
import { READABLE } from '../lineage.js';
import { prepare, run, type Runner } from '../statement.js';
import { isPurged, originsOf, sourcesOf, written } from '../world-snapshot.js';
import { readWords } from './words.js';

/** Of a long query the last words count: what happened last stands at its end. */
const QUERY_WORDS_MAX = 100;
/** How many occurrences of words one search reads: of the rarest words all, of the others as many as there is room for. */
const POSTINGS_MAX = 6_000;
/** How many memories a statement indexes. */
const BATCH = 500;
/** From this length on a list of the memories with a word is continued by a new one. */
const POSTINGS_IN_LIST = 128;
/** A posting has 10 bits for how often the memory has the word, and 14 for its number of words. */
const TIMES_MAX = 2 ** 10 - 1;
const LENGTH_MAX = 2 ** 14 - 1;

/** The memories of an agent in one world, and how far a search reads them. */
interface Shelf {
  readonly world_slug: string;
  readonly until_turn: number;
}

/**
 * Finds memories of an agent by the words of a query, ranked by BM25: of equal scores the later one first. It sees what had
 * been committed at its turn, and finds the same again whatever follows.
 * @returns what is found, and its neighbours, oldest first
 */
export async function retrieve(
  database: Pick<OpenDatabase, 'query' | 'pool'>,
  world_slug: string,
  { text, language, top, neighbours, skip_latest, skip_pinned, entity_id, turn }: MemoryQuery,
): Promise<readonly FoundMemory[]> {
  const place = { world_slug, entity_id, turn, language };
  for (const shelf of await run<Shelf>(database, BEHIND, place)) await indexShelf(database, shelf, place);
  const words = [
    ...new Set(
      readWords(text)
        .map(({ word }) => word)
        .toReversed(),
    ),
  ].slice(0, QUERY_WORDS_MAX);
  const stems = await readStemsOf(database, language, words);
  const named = [...new Set(words.flatMap((word) => stems(word) ?? []))];
  if (named.length === 0) return [];
  const wanted = { ...place, words: named, top, neighbours, skip_latest, skip_pinned };
  const found = await run<FoundRow>(database, RANK, wanted);
  return found.map(({ score, origins, sources, ...memory }) => {
    return { ...memory, ...written(origins), ...present({ sources: sources ?? undefined }), score };
  });
}

interface FoundRow extends Omit<FoundMemory, 'origins' | 'sources'> {
  readonly origins: Origins | null;
  readonly sources: readonly string[] | null;
}

// Memories are indexed in their order, so that one is behind exactly where it is later than the last that is indexed. Each of
// both is one step in an index: what asked it of every memory grew with a life.
const BEHIND = prepare(
  'memories_behind',
  `WITH ${READABLE}
   SELECT world_slug, until_turn FROM readable
     CROSS JOIN LATERAL (
       SELECT turn, memory_seq FROM entity_memories
       WHERE entity_memories.world_slug = readable.world_slug AND entity_memories.entity_id = :entity_id
         AND entity_memories.turn <= until_turn
       ORDER BY turn DESC, memory_seq DESC LIMIT 1) AS latest
     LEFT JOIN LATERAL (
       SELECT turn, memory_seq FROM indexed_memories
       WHERE indexed_memories.world_slug = readable.world_slug AND entity_id = :entity_id AND language = :language::text
       ORDER BY turn DESC, memory_seq DESC LIMIT 1) AS indexed ON true
   WHERE indexed.turn IS NULL OR (latest.turn, latest.memory_seq) > (indexed.turn, indexed.memory_seq)`,
);

const LOCK = prepare(
  'lock_indexed_memories',
  `SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(' ', :world_slug::text, :entity_id::text, :language::text), 0))`,
);

const NEXT = prepare(
  'memories_to_index',
  `SELECT memories.*, last_place, last_words FROM (
     SELECT coalesce(max(place), 0) AS last_place, coalesce(max(words_until), 0) AS last_words,
       coalesce(max(turn), -1) AS last_turn, coalesce(max(memory_seq), 0) AS last_seq
     FROM (
       SELECT place, words_until, turn, memory_seq FROM indexed_memories
       WHERE world_slug = :world_slug AND entity_id = :entity_id AND language = :language::text
       ORDER BY place DESC LIMIT 1) AS latest) AS last
   CROSS JOIN LATERAL (
     SELECT turn, memory_seq, content FROM entity_memories
     WHERE world_slug = :world_slug AND entity_id = :entity_id AND turn <= :until_turn::bigint
       AND (turn, memory_seq) > (last_turn, last_seq)
     ORDER BY turn, memory_seq LIMIT ${BATCH}) AS memories
   ORDER BY turn, memory_seq`,
);

interface NextMemory {
  readonly turn: number;
  readonly memory_seq: number;
  readonly content: string;
  readonly last_place: number;
  readonly last_words: number;
}

const INDEX = prepare(
  'index_memories',
  `WITH new AS (
     SELECT * FROM json_to_recordset(:words::json) AS row (word text, first_place int, postings bigint[])),
   latest AS (
     SELECT new.word, last.first_place, last.memories_before, cardinality(last.postings) AS many
     FROM new LEFT JOIN LATERAL (
       SELECT first_place, memories_before, postings FROM memory_words
       WHERE world_slug = :world_slug AND entity_id = :entity_id AND language = :language::text AND word = new.word
       ORDER BY first_place DESC LIMIT 1) AS last ON true),
   continued AS (
     UPDATE memory_words SET postings = memory_words.postings || new.postings
     FROM new JOIN latest USING (word)
     WHERE world_slug = :world_slug AND entity_id = :entity_id AND language = :language::text
       AND memory_words.word = new.word AND memory_words.first_place = latest.first_place AND many < ${POSTINGS_IN_LIST}),
   begun AS (
     INSERT INTO memory_words (world_slug, entity_id, language, word, first_place, memories_before, postings)
     SELECT :world_slug, :entity_id, :language::text, word, new.first_place, coalesce(memories_before + many, 0), postings
     FROM new JOIN latest USING (word) WHERE many IS NULL OR many >= ${POSTINGS_IN_LIST})
   INSERT INTO indexed_memories (world_slug, entity_id, language, place, turn, memory_seq, words_until)
   SELECT :world_slug, :entity_id, :language::text, place, turn, memory_seq, words_until
   FROM json_to_recordset(:memories::json) AS row (place int, turn bigint, memory_seq int, words_until bigint)`,
);

interface Indexed {
  readonly [column: string]: string | number;
  readonly entity_id: string;
  readonly language: string;
}

/** Adds what is missing. Two searches at one time add it once: the second waits, and finds it there. */
async function indexShelf(
  { pool }: Pick<OpenDatabase, 'pool'>,
  { world_slug, until_turn }: Shelf,
  { entity_id, language }: Indexed,
): Promise<void> {
  const shelf = { world_slug, entity_id, language };
  for (let isBehind = true; isBehind; )
    isBehind = await inTransaction(pool, async (client) => {
      await run(client, LOCK, shelf);
      const memories = await run<NextMemory>(client, NEXT, { ...shelf, until_turn });
      if (memories.length > 0) await run(client, INDEX, { ...shelf, ...(await toRows(client, language, memories)) });
      return memories.length === BATCH;
    });
}

async function toRows(runner: Runner, language: string, memories: readonly NextMemory[]) {
  const texts = memories.map(({ content }) => readWords(content).map(({ word }) => word));
  const stems = await readStemsOf(runner, language, texts.flat());
  const postings = new Map<string, { readonly first_place: number; readonly postings: number[] }>();
  const rows: { place: number; turn: number; memory_seq: number; words_until: number }[] = [];
  let words_until = memories[0]?.last_words ?? 0;
  for (const [index, { turn, memory_seq, last_place }] of memories.entries()) {
    const place = last_place + index + 1;
    const words = (texts[index] ?? []).flatMap((word) => stems(word) ?? []);
    const times = new Map<string, number>();
    for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
    const length = Math.min(words.length, LENGTH_MAX);
    for (const [word, count] of times) {
      const posting = (place * (TIMES_MAX + 1) + Math.min(count, TIMES_MAX)) * (LENGTH_MAX + 1) + length;
      const list = postings.get(word);
      if (list === undefined) postings.set(word, { first_place: place, postings: [posting] });
      else list.postings.push(posting);
    }
    words_until += length;
    rows.push({ place, turn, memory_seq, words_until });
  }
  return {
    words: JSON.stringify([...postings].map(([word, list]) => ({ word, ...list }))),
    memories: JSON.stringify(rows),
  };
}

const STEMS = prepare(
  'memory_stems',
  `SELECT word, (ts_lexize(('pg_catalog.' || :language::text || '_stem')::regdictionary, word))[1] AS stem
   FROM unnest(:words::text[]) AS word`,
);

/** The stem of each word in a language; undefined of one that is too common to say anything, such as "the". */
async function readStemsOf(runner: Runner, language: string, words: readonly string[]) {
  if (language === 'simple') return (word: string): string | undefined => word;
  const distinct = [...new Set(words)];
  const rows = await run<{ readonly word: string; readonly stem: string | null }>(runner, STEMS, {
    language,
    words: distinct,
  });
  const stems = new Map(rows.map(({ word, stem }) => [word, stem ?? undefined]));
  return (word: string): string | undefined => stems.get(word);
}

// BM25 with k1 = 1.2 and b = 0.75. Parts of scores are whole numbers, so that no order of addition changes a sum. How many
// memories have a word is known from the last list of each world that begins before the turn ends; the rarest words are
// read first. The latest memories, which a prompt shows anyway, are those that no purge has taken back. Subqueries with
// OFFSET 0 or LIMIT 1 stay as they are: each is one step in an index, whatever the planner thinks of the tables' sizes. So a
// place is the first from itself on: by equality alone, another index seems as good, and reads all memories of the agent.
// What a value would tell the planner is hidden in a subquery: then a plan for any values costs no more than one for these,
// and the statement is planned a few times, and not for each search, which takes longer than to find.
const OF_AGENT = 'entity_id = :entity_id AND language = :language::text';
const PLACE = '(posting >> 24)::int';
const TIMES = `(posting >> 14 & ${TIMES_MAX})::float8`;
const LENGTH = `(posting & ${LENGTH_MAX})::float8`;
const RANK = prepare(
  'rank_memories',
  `WITH ${READABLE},
   shelves AS MATERIALIZED (
     SELECT readable.world_slug, last.place AS until_place, last.words_until,
       (sum(last.place) OVER (ORDER BY last.turn) - last.place)::int AS before
     FROM readable CROSS JOIN LATERAL (
       SELECT place, words_until, turn FROM indexed_memories
       WHERE indexed_memories.world_slug = readable.world_slug AND ${OF_AGENT} AND turn <= until_turn
       ORDER BY turn DESC, memory_seq DESC LIMIT 1) AS last),
   purges AS MATERIALIZED (
     SELECT at_turn, origin FROM memory_purges WHERE world_slug = :world_slug AND at_turn <= :turn),
   purged AS MATERIALIZED (
     SELECT before + place AS ordinal
     FROM shelves JOIN indexed_memories USING (world_slug) JOIN entity_memories AS memory USING (world_slug, entity_id, turn, memory_seq)
     WHERE EXISTS (SELECT FROM purges) AND ${OF_AGENT} AND place <= until_place AND ${isPurged('memory', 'purges')}),
   total AS MATERIALIZED (
     SELECT sum(until_place)::float8 AS memories, greatest(sum(words_until)::float8 / sum(until_place), 1) AS length,
       CASE WHEN EXISTS (SELECT FROM purged) THEN coalesce((
           SELECT ordinal FROM generate_series(1, sum(until_place)::int) AS ordinal
           WHERE ordinal NOT IN (SELECT ordinal FROM purged) ORDER BY ordinal DESC OFFSET :skip_latest::int LIMIT 1), 0)
         ELSE (sum(until_place) - :skip_latest::int)::int END AS last,
       CASE WHEN :skip_pinned::boolean THEN (
         SELECT count(*)::int FROM shelves CROSS JOIN LATERAL (
           SELECT FROM indexed_memories
           WHERE indexed_memories.world_slug = shelves.world_slug AND ${OF_AGENT} AND turn = 0 OFFSET 0) AS pinned)
         ELSE 0 END AS first
     FROM shelves),
   held AS MATERIALIZED (
     SELECT word, sum(memories_before + (
       SELECT count(*) FROM unnest(postings) AS posting WHERE ${PLACE} <= until_place))::int AS memories
     FROM unnest((SELECT :words::text[])) AS word CROSS JOIN shelves CROSS JOIN LATERAL (
       SELECT memories_before, postings FROM memory_words
       WHERE memory_words.world_slug = shelves.world_slug AND ${OF_AGENT} AND memory_words.word = word.word
         AND first_place <= until_place
       ORDER BY first_place DESC LIMIT 1) AS last
     GROUP BY word),
   weighed AS MATERIALIZED (
     SELECT word, 2200000 * ln(1 + (total.memories - held.memories + 0.5::float8) / (held.memories + 0.5::float8)) AS weight,
       0.9 / length AS per_word
     FROM total, (SELECT *, sum(memories) OVER (ORDER BY memories, word) AS read FROM held) AS held
     WHERE read <= ${POSTINGS_MAX} OR read = held.memories),
   ranked AS MATERIALIZED (
     SELECT before + ${PLACE} AS ordinal,
       sum(round(weight * ${TIMES} / (${TIMES} + 0.3::float8 + per_word * ${LENGTH}))::bigint)::bigint AS score
     FROM weighed CROSS JOIN shelves CROSS JOIN LATERAL (
         SELECT postings FROM memory_words
         WHERE memory_words.world_slug = shelves.world_slug AND ${OF_AGENT} AND memory_words.word = weighed.word
           AND first_place <= until_place OFFSET 0) AS lists
       CROSS JOIN LATERAL unnest(postings) AS posting CROSS JOIN total
     WHERE ${PLACE} <= until_place AND before + ${PLACE} > first AND before + ${PLACE} <= last
       AND before + ${PLACE} NOT IN (SELECT ordinal FROM purged)
     GROUP BY 1 ORDER BY score DESC, ordinal DESC LIMIT (SELECT :top::int)),
   shown AS MATERIALIZED (
     SELECT ordinal, max(score) AS score FROM (
       SELECT ordinal, score FROM ranked
       UNION ALL
       SELECT ordinal + step, NULL
       FROM ranked, generate_series((SELECT -:neighbours::int), (SELECT :neighbours::int)) AS step
       WHERE step <> 0) AS each
     GROUP BY ordinal)
   SELECT found.turn || '.' || found.memory_seq AS memory_id, found.turn, content, score, ${originsOf('memory')} AS origins,
     ${sourcesOf('memory')} AS sources
   FROM total, shown JOIN shelves ON ordinal > before AND ordinal <= before + until_place
     CROSS JOIN LATERAL (
       SELECT turn, memory_seq FROM indexed_memories
       WHERE indexed_memories.world_slug = shelves.world_slug AND ${OF_AGENT} AND place >= ordinal - before
       ORDER BY place LIMIT 1) AS found
     CROSS JOIN LATERAL (
       SELECT world_slug, turn, patch_seq, effect_index, content FROM entity_memories
       WHERE entity_memories.world_slug = shelves.world_slug AND entity_id = :entity_id
         AND entity_memories.turn = found.turn AND entity_memories.memory_seq = found.memory_seq OFFSET 0) AS memory
   WHERE ordinal > first AND ordinal <= last AND ordinal NOT IN (SELECT ordinal FROM purged)
   ORDER BY ordinal`,
);
