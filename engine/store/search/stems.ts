import { prepare, run, type Runner } from '../statement.js';

/** The stems of English words; null of a word that is too common to be searched, such as "the". */
export type Stems = ReadonlyMap<string, string | null>;

const STEMS = prepare(
  'search_stems',
  `SELECT word, (pg_catalog.ts_lexize('pg_catalog.english_stem', word))[1] AS stem FROM unnest(:words::text[]) AS word`,
);

/** Reads the stems of those words that are written in plain letters. */
export async function readStems(runner: Runner, words: readonly string[]): Promise<Stems> {
  const plain = [...new Set(words)].filter((word) => /^[a-z]+$/.test(word));
  const rows = await run<{ readonly word: string; readonly stem: string | null }>(runner, STEMS, { words: plain });
  return new Map(rows.map(({ word, stem }) => [word, stem]));
}
