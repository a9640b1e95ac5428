/** Picks a world's own turns out of the inbox. */
export const WORLD_TURN = `agent_inbox.message_type = 'turn' AND agent_inbox.agent_id IS NULL`;

/** Picks what is not over, and not behind another turn. */
export const IS_OPEN = `agent_inbox.status IN ('pending', 'deferred')`;

/** Picks claimable messages. Claimed ones are due at infinity, and so are turns of agents, which no worker claims. */
export const IS_DUE = `${IS_OPEN} AND agent_inbox.next_retry_at <= now()`;

/** The promoted turn of a world: there is at most one. */
export const AT_THE_FRONT = `${WORLD_TURN} AND ${IS_OPEN}`;

/** The first of a world's turns that wait behind it; `world_slug` is an expression of the query around it. */
export function firstQueued(world_slug: string): string {
  return `
    SELECT waiting.inbox_id FROM agent_inbox waiting
    WHERE waiting.world_slug = ${world_slug} AND waiting.status = 'queued' AND waiting.agent_id IS NULL
    ORDER BY waiting.inbox_id LIMIT 1`;
}

/** Promotes a queued turn. */
export const PROMOTE = `SET status = 'pending', next_retry_at = now()`;

/** The message of a turn, `:inbox_id` of `:world_slug`, as long as it asks for one. */
export const ASKS = `agent_inbox.world_slug = :world_slug AND agent_inbox.inbox_id = :inbox_id::uuid
       AND agent_inbox.attempt_id IS NULL AND ${IS_OPEN}`;

/** Leaves a message to the attempt that is begun for it. */
export const BEGUN_FOR = `SET attempt_id = :attempt_id::uuid, next_retry_at = 'infinity'`;
