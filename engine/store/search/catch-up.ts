import { toStoredText } from '../../core/content/stored-text.js';
import { prepare, run, type Runner } from '../statement.js';
import { collectTexts, type EndedAttempt, type FoundText } from './collect-texts.js';
import { toIdWord } from './question.js';
import { readStems, type Stems } from './stems.js';
import { readWords } from './words.js';

/** How much of one text can be found. */
const TEXT_LENGTH_MAX = 32_000;
/** A database counts places up to 16,383, and keeps so many of one word. */
const WORDS_MAX = 16_000;
const PLACES_MAX = 255;

// The epochs of a world's attempts grow, and one of them at most is open: the index is filled up to an epoch.
const BEHIND = prepare(
  'search_attempts_behind',
  `SELECT latest.* FROM worlds LEFT JOIN search_progress progress USING (world_slug)
     CROSS JOIN LATERAL (
       SELECT world_slug, attempt_id, attempted_turn, epoch, failure_class, failed_source_invocation_id, ended_at
       FROM attempts
       WHERE attempts.world_slug = worlds.world_slug AND attempts.epoch > coalesce(progress.epoch, 0)
       ORDER BY epoch LIMIT :limit) AS latest
   WHERE worlds.lease_epoch > coalesce(progress.epoch, 0) AND ended_at IS NOT NULL
   LIMIT :limit`,
);

/** Takes in the texts of attempts that have ended. @returns how many attempts */
export async function catchUp(runner: Runner, attempts_max: number): Promise<number> {
  const attempts = await run<EndedAttempt>(runner, BEHIND, { limit: attempts_max });
  for (const attempt of attempts) await indexAttempt(runner, attempt, await collectTexts(runner, attempt));
  return attempts.length;
}

// The transaction that raises a world's progress writes the texts; a concurrent one writes nothing.
const INDEX_ATTEMPT = prepare(
  'index_attempt',
  `WITH progressed AS (
     INSERT INTO search_progress (world_slug, epoch)
     SELECT world_slug, :epoch::bigint FROM worlds WHERE world_slug = :world_slug
     ON CONFLICT (world_slug) DO UPDATE SET epoch = excluded.epoch WHERE search_progress.epoch < excluded.epoch
     RETURNING world_slug)
   INSERT INTO search_entries (world_slug, attempt_id, entry_seq, turn, kind, workflow_subject_entity_id, source_label,
     failure_class, patch_seq, source_invocation_id, llm_call_id, text, words)
   SELECT world_slug, :attempt_id::uuid, entry_seq, :turn::bigint, kind, workflow_subject_entity_id, source_label,
     failure_class, patch_seq, source_invocation_id, llm_call_id, text, words
   FROM progressed CROSS JOIN ROWS FROM (json_to_recordset(:texts::json) AS (kind search_kind,
       workflow_subject_entity_id text, source_label text, failure_class text, patch_seq int, source_invocation_id uuid,
       llm_call_id uuid, text text, words tsvector)) WITH ORDINALITY
     AS row (kind, workflow_subject_entity_id, source_label, failure_class, patch_seq, source_invocation_id, llm_call_id,
       text, words, entry_seq)`,
);

async function indexAttempt(runner: Runner, attempt: EndedAttempt, texts: readonly FoundText[]): Promise<void> {
  const rows = texts.map(({ text, names, ...place }) => {
    const kept = toKept(text);
    const { source_invocation_id, llm_call_id } = place;
    const ids = [attempt.attempt_id, source_invocation_id, llm_call_id, ...names].filter((id) => id !== null);
    return { ...place, text: kept, words: placeWords(kept, ids) };
  });
  const stems = await readStems(
    runner,
    rows.flatMap(({ words }) => words.map(([word]) => word)),
  );
  await run(runner, INDEX_ATTEMPT, {
    world_slug: attempt.world_slug,
    attempt_id: attempt.attempt_id,
    epoch: attempt.epoch,
    turn: attempt.attempted_turn,
    texts: JSON.stringify(rows.map((row) => ({ ...row, words: toVector(row.words, stems) }))),
  });
}

/** A text as it is shown. Half of a character, which no JSON of a database holds, becomes its replacement. */
function toKept(text: string): string {
  return Buffer.from(toStoredText(text.slice(0, TEXT_LENGTH_MAX))).toString('utf8');
}

/** The words of a text, and behind all of them those of the ids and names that belong to it. */
function placeWords(text: string, ids: readonly string[]): readonly PlacedWord[] {
  const said = readWords(text).slice(0, WORDS_MAX);
  const named = ids.flatMap((id) => toIdWord(id) ?? readWords(id).map(({ word }) => word));
  return [
    ...said.map(({ word }, index): PlacedWord => [word, index + 1]),
    ...named.map((word, index): PlacedWord => [word, WORDS_MAX + 2 + index]),
  ];
}

type PlacedWord = readonly [word: string, place: number];

/** A `tsvector` as text: each word, and its stem at the same place. Words have letters, digits and emoji only. */
function toVector(words: readonly PlacedWord[], stems: Stems): string {
  const places = new Map<string, number[]>();
  for (const [word, place] of words)
    for (const form of new Set([word, stems.get(word) ?? word])) {
      const known = places.get(form) ?? [];
      if (known.length < PLACES_MAX) known.push(place);
      places.set(form, known);
    }
  return [...places].map(([word, at]) => `'${word}':${at.join()}`).join(' ');
}
