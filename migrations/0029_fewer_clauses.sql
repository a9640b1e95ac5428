-- A turn is written by fewer clauses: PostgreSQL sets up each of them whenever its statement runs.

-- What a plugin and the verdict leave beside a generation stands on its row, as canonical JSON.

ALTER TABLE llm_calls ADD COLUMN artifacts json NOT NULL DEFAULT '[]';
ALTER TABLE llm_calls DISABLE TRIGGER ended_is_final;
UPDATE llm_calls SET artifacts = listed.artifacts
FROM (
    SELECT world_slug, llm_call_id, ('[' || string_agg(
        '{"kind":' || to_json(kind)::text || ',"value":' || value::text || '}', ',' ORDER BY artifact_seq) || ']')::json AS artifacts
    FROM llm_artifacts
    GROUP BY world_slug, llm_call_id) AS listed
WHERE listed.world_slug = llm_calls.world_slug AND listed.llm_call_id = llm_calls.llm_call_id;
ALTER TABLE llm_calls ENABLE TRIGGER ended_is_final;
DROP TABLE llm_artifacts;

-- Nothing read it.

ALTER TABLE source_invocations DROP COLUMN metadata;

-- The effects of a patch stand on its row, as canonical JSON.

ALTER TABLE entity_states DROP CONSTRAINT entity_states_world_slug_turn_patch_seq_effect_index_fkey;
ALTER TABLE entity_memories DROP CONSTRAINT entity_memories_world_slug_turn_patch_seq_effect_index_fkey;
ALTER TABLE environment_contents DROP CONSTRAINT environment_contents_world_slug_turn_patch_seq_effect_inde_fkey;

ALTER TABLE world_patches DISABLE TRIGGER append_only;
ALTER TABLE world_patches ADD COLUMN effects json NOT NULL DEFAULT '[]';
UPDATE world_patches SET effects = listed.effects
FROM (
    SELECT world_slug, turn, patch_seq, ('[' || string_agg(json_strip_nulls(json_build_object(
        'effect_index', effect_index, 'entity_id', entity_id, 'environment_label', environment_label, 'op', op,
        'state_after', state_after, 'state_before', state_before))::text, ',' ORDER BY effect_index) || ']')::json AS effects
    FROM patch_effects
    GROUP BY world_slug, turn, patch_seq) AS listed
WHERE listed.world_slug = world_patches.world_slug AND listed.turn = world_patches.turn
    AND listed.patch_seq = world_patches.patch_seq;
ALTER TABLE world_patches ALTER COLUMN effects DROP DEFAULT;
ALTER TABLE world_patches ENABLE TRIGGER append_only;
DROP TABLE patch_effects;

CREATE VIEW patch_effects AS
    SELECT world_slug, turn, patch_seq, effect_index, op, entity_id, environment_label, state_before, state_after
    FROM world_patches, json_to_recordset(effects) AS row (effect_index int, op effect_operation, entity_id text,
        environment_label text, state_before text, state_after text);
