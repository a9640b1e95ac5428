import type { AgentRecord } from '../../core/agents/record.js';
import { type HotStatement, prepare } from '../statement.js';

// A statement that tells of agents is written only where their state heads stand as its driver believes. They are locked
// before anything is written and changed last, so that whoever lost a race writes nothing at all. The world is locked before
// them, as by whoever takes it over and raises their epochs: the two cannot wait for each other.

const HEADS_AS_EXPECTED = `
  heads_as_expected AS (
    SELECT heads.agent_id
    FROM lease, agent_state_heads AS heads,
      unnest(:head_agents::text[], :expected_epochs::bigint[], :expected_turns::uuid[])
        AS expected (agent_id, turn_epoch, agent_turn_id)
    WHERE heads.world_slug = :world_slug AND heads.agent_id = expected.agent_id
      AND heads.turn_epoch = expected.turn_epoch
      AND heads.active_agent_turn_id IS NOT DISTINCT FROM expected.agent_turn_id
    FOR NO KEY UPDATE OF heads)`;

const ARE_AS_EXPECTED = 'AND (SELECT count(*) FROM heads_as_expected) = cardinality(:head_agents::text[])';

const ROWS: Readonly<Record<keyof AgentRecord, string>> = {
  heads: `
  agent_heads AS (
    UPDATE agent_state_heads AS heads
    SET status = next.status::agent_status, turn_epoch = next.turn_epoch, active_agent_turn_id = next.agent_turn_id,
      activity = next.activity::agent_activity, current_tool = next.current_tool,
      waiting_tool_count = next.waiting_tool_count, resume_deadline = next.resume_deadline
    FROM fence, unnest(:head_agents::text[], :head_statuses::text[], :head_epochs::bigint[], :head_turns::uuid[],
        :head_activities::text[], :head_tools::text[], :head_waiting::int[], :head_deadlines::timestamptz[])
      AS next (agent_id, status, turn_epoch, agent_turn_id, activity, current_tool, waiting_tool_count,
        resume_deadline)
    WHERE heads.world_slug = fence.world_slug AND heads.agent_id = next.agent_id)`,

  turns: `
  agent_turns_begun AS (
    INSERT INTO agent_turns (world_slug, agent_turn_id, agent_id, attempt_id, turn_epoch, inbox_id, context_box_id,
      output_box_id, began_at, ended_at, outcome, deliverable_card_id)
    SELECT world_slug, agent_turn_id, agent_id, :attempt_id::uuid, turn_epoch, inbox_id, context_box_id, output_box_id,
      began_at, ended_at, outcome::agent_turn_outcome, deliverable_card_id
    FROM fence, unnest(:begun_turns::uuid[], :begun_agents::text[], :begun_epochs::bigint[], :begun_messages::uuid[],
        :begun_contexts::uuid[], :begun_outputs::uuid[], :begun_times::timestamptz[], :begun_ends::timestamptz[],
        :begun_outcomes::text[], :begun_deliverables::uuid[])
      AS row (agent_turn_id, agent_id, turn_epoch, inbox_id, context_box_id, output_box_id, began_at, ended_at,
        outcome, deliverable_card_id)),
  agent_messages AS (
    INSERT INTO agent_inbox (world_slug, inbox_id, agent_id, message_type, status, attempt_id, agent_turn_id,
      turn_epoch, next_retry_at, consumed_at)
    SELECT world_slug, inbox_id, agent_id, 'turn', (CASE WHEN outcome IS NULL THEN 'pending' ELSE 'consumed' END)::inbox_status,
      :attempt_id::uuid, agent_turn_id, turn_epoch, 'infinity', CASE WHEN outcome IS NOT NULL THEN now() END
    FROM fence, unnest(:begun_turns::uuid[], :begun_agents::text[], :begun_epochs::bigint[], :begun_messages::uuid[],
        :begun_outcomes::text[])
      AS row (agent_turn_id, agent_id, turn_epoch, inbox_id, outcome))`,

  boxes: `
  agent_boxes AS (
    INSERT INTO boxes (world_slug, box_id, agent_turn_id, kind, card_limit)
    SELECT world_slug, box_id, agent_turn_id, kind::box_kind, card_limit
    FROM fence, unnest(:box_ids::uuid[], :box_turns::uuid[], :box_kinds::text[], :box_limits::int[])
      AS row (box_id, agent_turn_id, kind, card_limit))`,

  cards: `
  agent_cards AS (
    INSERT INTO cards (world_slug, box_id, position, card_id, agent_turn_id, card_limit, kind, component_hash,
      source_invocation_id, llm_call_id, patch_seq, content)
    SELECT world_slug, box_id, position, card_id, agent_turn_id, card_limit, kind::card_kind, component_hash,
      source_invocation_id, llm_call_id, patch_seq, content::json
    FROM fence, unnest(:card_boxes::uuid[], :card_positions::int[], :card_ids::uuid[], :card_turns::uuid[],
        :card_limits::int[], :card_kinds::text[], :card_components::text[], :card_calls::uuid[],
        :card_llm_calls::uuid[], :card_patches::int[], :card_contents::text[])
      AS row (box_id, position, card_id, agent_turn_id, card_limit, kind, component_hash, source_invocation_id,
        llm_call_id, patch_seq, content))`,

  edges: `
  agent_edges AS (
    INSERT INTO execution_edges (world_slug, agent_turn_id, primitive, edge_phase, correlation_id, trace_id,
      parent_step_id, occurred_at)
    SELECT world_slug, agent_turn_id, primitive::execution_primitive, edge_phase::edge_phase, correlation_id,
      :attempt_id::uuid, parent_step_id, occurred_at
    FROM fence, unnest(:edge_turns::uuid[], :edge_primitives::text[], :edge_phases::text[],
        :edge_correlations::uuid[], :edge_parents::uuid[], :edge_times::timestamptz[])
      AS row (agent_turn_id, primitive, edge_phase, correlation_id, parent_step_id, occurred_at))`,

  events: `
  agent_event_rows AS (
    INSERT INTO agent_events (world_slug, agent_turn_id, transition, kind, agent_id, occurred_at, payload)
    SELECT world_slug, agent_turn_id, transition, kind, agent_id, occurred_at, payload::json
    FROM fence, unnest(:event_turns::uuid[], :event_transitions::text[], :event_kinds::text[], :event_agents::text[],
        :event_times::timestamptz[], :event_payloads::text[])
      AS row (agent_turn_id, transition, kind, agent_id, occurred_at, payload))`,

  waits: `
  agent_waits AS (
    INSERT INTO turn_waiting_tools (world_slug, agent_turn_id, tool_call_id, registered_at, received_at)
    SELECT world_slug, agent_turn_id, tool_call_id, coalesce(registered_at, received_at), received_at
    FROM fence, unnest(:wait_turns::uuid[], :wait_calls::uuid[], :wait_beginnings::timestamptz[],
        :wait_ends::timestamptz[])
      AS row (agent_turn_id, tool_call_id, registered_at, received_at)
    ON CONFLICT (world_slug, agent_turn_id, tool_call_id) DO UPDATE SET received_at = excluded.received_at)`,

  ends: `
  agent_turns_ended AS (
    UPDATE agent_turns
    SET ended_at = row.ended_at, outcome = row.outcome::agent_turn_outcome,
      deliverable_card_id = row.deliverable_card_id
    FROM fence, unnest(:end_turns::uuid[], :end_times::timestamptz[], :end_outcomes::text[],
        :end_deliverables::uuid[])
      AS row (agent_turn_id, ended_at, outcome, deliverable_card_id)
    WHERE agent_turns.agent_turn_id = ANY (:end_turns::uuid[]) AND agent_turns.agent_turn_id = row.agent_turn_id
      AND agent_turns.world_slug = fence.world_slug AND agent_turns.outcome IS NULL)`,
};

const PARTS = Object.keys(ROWS) as readonly (keyof AgentRecord)[];

/** What a driver's statement contains where it tells of agents. */
export interface AgentClauses {
  /** CTEs that come before the fence, and after `lease`, which locks the world where the lease holds. */
  readonly before: readonly string[];
  /** What the fence asks beside the lease. */
  readonly condition: string;
  /** CTEs that select from the fence. */
  readonly rows: readonly string[];
}

/** Where it tells of none. */
const NO_AGENTS: AgentClauses = { before: [], condition: '', rows: [] };

/** A statement of a driver, as it is written for what it tells of agents. */
export type DriverStatement = (record: AgentRecord | undefined) => HotStatement;

/**
 * A statement of a driver in as many forms as it is needed in: rows that there are none of cost as much as a look at
 * their table, so a form has only those that it writes.
 */
export function driverStatement(label: string, text: (agents: AgentClauses) => string): DriverStatement {
  const plain = prepare(label, text(NO_AGENTS));
  const forms = new Map<string, HotStatement>();
  return (record) => {
    if (record === undefined) return plain;
    const parts = PARTS.filter((part) => record[part].length > 0);
    const form = parts.join(' ');
    const known = forms.get(form);
    if (known !== undefined) return known;
    const rows = parts.map((part) => ROWS[part]);
    const statement = prepare(label, text({ before: [HEADS_AS_EXPECTED], condition: ARE_AS_EXPECTED, rows }));
    forms.set(form, statement);
    return statement;
  };
}
