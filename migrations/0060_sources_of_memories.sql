-- An effect that an author has a node write names the memories that the node was shown, by their ids: in its JSON, where it
-- is sealed with the rest of the patch.
CREATE OR REPLACE VIEW patch_effects AS
    SELECT world_slug, turn, patch_seq, effect_index, op, entity_id, environment_label, state_before, state_after, sources
    FROM world_patches, json_to_recordset(effects) AS row (effect_index int, op effect_operation, entity_id text,
        environment_label text, state_before text, state_after text, sources json);
