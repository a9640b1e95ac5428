/**
 * The worlds whose rows a world reads at `:turn`, and how far: its own, and its ancestors' up to where it left them.
 * Its own rows are all later than those, so of two that hold the later one counts.
 */
export const READABLE = `
  readable (world_slug, until_turn) AS (
    SELECT :world_slug::text COLLATE "C", :turn::bigint
    UNION ALL
    SELECT ancestor_slug, least(until_turn, :turn::bigint) FROM world_lineage WHERE world_slug = :world_slug)`;
