-- Words of Arabic and Hebrew are indexed without vowel signs, as people type them. Both indexes of words are filled anew from
-- the records.
ALTER TABLE search_entries DISABLE TRIGGER append_only;
ALTER TABLE indexed_memories DISABLE TRIGGER append_only;
TRUNCATE search_entries, search_progress, indexed_memories, memory_words;
ALTER TABLE indexed_memories ENABLE TRIGGER append_only;
ALTER TABLE search_entries ENABLE TRIGGER append_only;
