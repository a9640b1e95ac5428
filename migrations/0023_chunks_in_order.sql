-- Pieces of a generation that are written while it goes on are numbered in the sequence of their attempt, so that the record says what was
-- known when, also where several generations go on at once. Pieces that are written with the end of their generation have no number: they stand
-- just before it, as do those of earlier versions.
ALTER TABLE llm_chunks ADD COLUMN event_id bigint;
