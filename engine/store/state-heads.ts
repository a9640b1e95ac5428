import { agentTurnId, turnMessageId } from '../core/agents/agent-turn.js';
import { canonicalText } from '../core/content/canonical.js';
import type { AgentHeads, AgentMove } from '../ports/attempts.js';
import { prepare, run, type Runner, type Values } from './statement.js';

// Of an agent, its state head and the message for its turn are stored; all else is read from the record. A head moves
// by compare-and-set: the statement that ends or suspends an attempt compares all heads that it moves before it writes,
// so that a driver that lost a race writes nothing. Heads need no lock of their own: only the holder of the world's
// lease writes them, and a take-over locks the world and raises its epoch before it raises theirs.

/** A CTE before the fence: the agents that a statement moves, with their heads as their driver knows them. */
export const MOVES = `
  moves AS (
    SELECT agent_id, status, turn_epoch AS believed_epoch, turn_epoch + (NOT is_active)::int AS turn_epoch, is_active,
      agent_turn_id, inbox_id
    FROM json_to_recordset(:agents::json)
      AS move (agent_id text, status agent_status, turn_epoch bigint, is_active boolean, agent_turn_id uuid, inbox_id uuid))`;

/** The fence's condition beside the lease. */
export const HEADS_ARE_AS_BELIEVED = `NOT EXISTS (
    SELECT FROM moves
    WHERE NOT EXISTS (
      SELECT FROM agent_state_heads AS heads
      WHERE heads.world_slug = :world_slug AND heads.agent_id = moves.agent_id
        AND heads.turn_epoch = moves.believed_epoch
        AND heads.active_agent_turn_id IS NOT DISTINCT FROM CASE WHEN moves.is_active THEN moves.agent_turn_id END))`;

/** CTEs that select from the fence. */
export const MOVED_HEADS = `
  moved_heads AS (
    UPDATE agent_state_heads AS heads
    SET status = moves.status, turn_epoch = moves.turn_epoch,
      active_agent_turn_id = CASE WHEN moves.status <> 'idle' THEN moves.agent_turn_id END
    FROM fence, moves
    WHERE heads.world_slug = fence.world_slug AND heads.agent_id = moves.agent_id),
  turn_messages AS (
    INSERT INTO agent_inbox (world_slug, inbox_id, agent_id, message_type, status, attempt_id, agent_turn_id,
      turn_epoch, next_retry_at, consumed_at)
    SELECT world_slug, inbox_id, agent_id, 'turn',
      (CASE moves.status WHEN 'idle' THEN 'consumed' ELSE 'pending' END)::inbox_status, :attempt_id::uuid, agent_turn_id,
      turn_epoch, 'infinity', CASE moves.status WHEN 'idle' THEN now() END
    FROM fence, moves
    WHERE NOT is_active)`;

/** The values of those. Ids are made here: a function of the database is parsed anew by each statement that calls it. */
export function toMoves(attempt_id: string, agents: readonly AgentMove[]): Values {
  const moves = agents.map(({ agent_id, status, head }) => {
    const agent_turn_id = agentTurnId(attempt_id, agent_id);
    return { agent_id, status, ...head, agent_turn_id, inbox_id: turnMessageId(agent_turn_id) };
  });
  return { agents: canonicalText(moves) };
}

/** The calls of an agent in an attempt, made or adopted: with the first of them it has a turn. `heads` is a state head. */
export const CALLS_OF_HEAD = `
     SELECT FROM source_invocations AS calls
     WHERE calls.world_slug = heads.world_slug AND calls.attempt_id = :attempt_id::uuid
       AND workflow_subject_entity_id = heads.agent_id
     UNION ALL
     SELECT FROM adopted_calls AS adopted JOIN source_invocations AS calls USING (world_slug, source_invocation_id)
     WHERE adopted.world_slug = heads.world_slug AND adopted.attempt_id = :attempt_id::uuid
       AND workflow_subject_entity_id = heads.agent_id`;

/**
 * Writes the heads of the agents that have a turn in an attempt which is continued. Where that is taken over, it raises their
 * epochs, so that a comparison with what the driver before believes is lost. Reads a CTE `continued (world_slug, raised)`.
 */
export const CONTINUED_HEADS = `
   continued_heads AS (
     UPDATE agent_state_heads AS heads
     SET turn_epoch = heads.turn_epoch + raised + (active_agent_turn_id IS NULL)::int, status = 'running',
       active_agent_turn_id = named_uuid((:attempt_id::uuid)::text, heads.agent_id)
     FROM continued
     WHERE heads.world_slug = continued.world_slug AND (active_agent_turn_id IS NOT NULL OR EXISTS (${CALLS_OF_HEAD}))
     RETURNING heads.world_slug, agent_id, active_agent_turn_id, turn_epoch - raised AS turn_epoch),
   continued_messages AS (
     INSERT INTO agent_inbox (world_slug, inbox_id, agent_id, message_type, status, attempt_id, agent_turn_id,
       turn_epoch, next_retry_at)
     SELECT world_slug, named_uuid(active_agent_turn_id::text, 'inbox'), agent_id, 'turn', 'pending', :attempt_id::uuid,
       active_agent_turn_id, turn_epoch, 'infinity'
     FROM continued_heads
     ON CONFLICT (world_slug, inbox_id) DO NOTHING)`;

const READ_HEADS = prepare(
  'read_agent_heads',
  `SELECT agent_id, turn_epoch,
     active_agent_turn_id IS NOT DISTINCT FROM named_uuid((:attempt_id::uuid)::text, agent_id) AS is_active
   FROM agent_state_heads WHERE world_slug = :world_slug`,
);

/** The heads of a world's agents, as the driver of an attempt finds them. */
export async function readHeads(
  runner: Runner,
  attempt: { readonly world_slug: string; readonly attempt_id: string },
): Promise<AgentHeads> {
  const rows = await run<{ agent_id: string; turn_epoch: number; is_active: boolean }>(runner, READ_HEADS, attempt);
  return new Map(rows.map(({ agent_id, ...head }) => [agent_id, head]));
}

/**
 * The turn of an agent in an attempt and its epoch, as columns of a message about it.
 * @param about a relation with `world_slug`, `attempt_id` and `agent_id`
 */
export function turnOf(about: string): string {
  const agent_turn_id = `named_uuid(${about}.attempt_id::text, ${about}.agent_id)`;
  return `${agent_turn_id}, (
         SELECT turn_epoch + (active_agent_turn_id IS DISTINCT FROM ${agent_turn_id})::int FROM agent_state_heads AS heads
         WHERE heads.world_slug = ${about}.world_slug AND heads.agent_id = ${about}.agent_id)`;
}

/** The epoch of each agent's head in a world, as a scalar query. */
export function turnEpochsOf(world: string): string {
  return `(SELECT json_object_agg(agent_id, turn_epoch) FROM agent_state_heads
     WHERE agent_state_heads.world_slug = ${world}.world_slug)`;
}

/** The heads of a world in which nobody has a turn. */
export function toIdleHeads(turn_epochs: Readonly<Record<string, number>> | null): AgentHeads {
  const epochs = Object.entries(turn_epochs ?? {});
  return new Map(epochs.map(([agent_id, turn_epoch]) => [agent_id, { turn_epoch, is_active: false }]));
}

/**
 * The state heads of a new world's agents, idle, as a CTE: every agent has one, so that its first turn finds a row to
 * compare with.
 * @param scenario a CTE `(world_slug, content)`
 */
export function headsOf(scenario: string): string {
  return `
   heads AS (
     INSERT INTO agent_state_heads (world_slug, agent_id)
     SELECT world_slug, entity->>'id'
     FROM ${scenario}, json_array_elements(content->'entities') AS row (entity)
     WHERE entity->>'kind' = 'agent')`;
}
