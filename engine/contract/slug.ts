/** The names of worlds, connections and labels: lower-case letters and digits, joined by single hyphens or underscores. */
export const SLUG = '[a-z0-9]+([_-][a-z0-9]+)*';
