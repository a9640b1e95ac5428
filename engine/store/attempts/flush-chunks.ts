import type { AttemptLease, Written } from '../../ports/attempts.js';
import type { ChunkBatch } from '../../ports/sources.js';
import { encodePieces } from '../pieces.js';
import { type Values, prepare, type Runner } from '../statement.js';
import { CALLS_FENCE, runFenced } from './fence.js';

const FLUSH = prepare(
  'flush_chunks',
  `WITH ${CALLS_FENCE}, chunks AS (
     INSERT INTO llm_chunks (world_slug, llm_call_id, batch_seq, text, pieces, event_id)
     SELECT world_slug, llm_call_id, :batch_seq::int, :batch_text::bytea, :batch_pieces::bytea, event_id
     FROM fence JOIN llm_calls USING (world_slug)
     WHERE llm_call_id = :llm_call_id::uuid
     RETURNING 1)
   SELECT EXISTS (SELECT FROM chunks) AS is_whole FROM fence`,
);

/** Writes what has streamed in since the last flush, numbered as events are: one statement. */
export function flushChunks(
  runner: Runner,
  lease: AttemptLease,
  llm_call_id: string,
  batch: ChunkBatch,
): Promise<Written> {
  return runFenced(runner, FLUSH, lease, { llm_call_id, batch_seq: batch.batch_seq, ...toBatch(batch) });
}

/** Streamed pieces as columns; nulls where there are none. */
export function toBatch(batch: ChunkBatch | undefined): Values {
  return {
    batch_text: batch?.text ?? null,
    batch_pieces: batch === undefined ? null : encodePieces(batch),
  };
}
