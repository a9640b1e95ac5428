-- Memories that are found by their words. A search reads how often each word occurs, and in which memories, as of one turn:
-- a fork reads its ancestors' rows up to where it left them. The rows follow from entity_memories: a search adds those that
-- are missing, and nothing else does.

CREATE TABLE indexed_memories (
    world_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
    entity_id entity_id_text NOT NULL,
    -- By whose stems its words are compared.
    language text NOT NULL,
    -- Among the memories of the agent in this world, in their order.
    place positive_int NOT NULL,
    turn bigint NOT NULL,
    memory_seq positive_int NOT NULL,
    -- The number of words in this memory and all before it.
    words_until natural_bigint NOT NULL,
    PRIMARY KEY (world_slug, entity_id, language, place)
);
CREATE UNIQUE INDEX indexed_memories_turn_idx ON indexed_memories (world_slug, entity_id, language, turn, memory_seq);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON indexed_memories
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The memories that have a word, in lists of a bounded length.
CREATE TABLE memory_words (
    world_slug human_id_text NOT NULL REFERENCES worlds DEFERRABLE,
    entity_id entity_id_text NOT NULL,
    language text NOT NULL,
    word text COLLATE "C" NOT NULL,
    -- The place of the first memory in the list.
    first_place positive_int NOT NULL,
    -- The number of memories with the word before that.
    memories_before natural_int NOT NULL,
    -- For each memory: its place, how often it has the word (10 bits), and its number of words (14 bits).
    postings bigint[] NOT NULL,
    PRIMARY KEY (world_slug, entity_id, language, word, first_place)
) WITH (fillfactor = 70);

-- The memories that were retrieved for a generation: the query, and what was found, with its scores.
ALTER TABLE llm_calls ADD COLUMN retrieved json;

ALTER TYPE segment_origin ADD VALUE 'subject.own_turns';
ALTER TYPE segment_origin ADD VALUE 'memory.pinned';
ALTER TYPE segment_origin ADD VALUE 'memory.retrieved';
