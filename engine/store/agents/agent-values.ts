import { canonicalText } from '../../core/content/canonical.js';
import type { AgentRecord } from '../../core/agents/record.js';
import { type Values, toTimestamp } from '../statement.js';

/** The values of what a statement tells of agents; none where it tells nothing. */
export function toAgentValues(record: AgentRecord | undefined): Values {
  if (record === undefined) return {};
  return {
    ...toHeads(record),
    ...toTurns(record),
    ...toBoxes(record),
    ...toCards(record),
    ...toEdges(record),
    ...toEvents(record),
    ...toWaits(record),
  };
}

function toHeads({ heads }: AgentRecord): Values {
  return {
    head_agents: heads.map(({ agent_id }) => agent_id),
    expected_epochs: heads.map(({ expected }) => expected.turn_epoch),
    expected_turns: heads.map(({ expected }) => expected.agent_turn_id),
    head_statuses: heads.map(({ status }) => status),
    head_epochs: heads.map(({ turn_epoch }) => turn_epoch),
    head_turns: heads.map(({ agent_turn_id }) => agent_turn_id),
    head_activities: heads.map(({ activity }) => activity),
    head_tools: heads.map(({ current_tool }) => current_tool),
    head_waiting: heads.map(({ waiting_tool_count }) => waiting_tool_count),
    head_deadlines: heads.map(({ resume_deadline }) => toMoment(resume_deadline)),
  };
}

function toTurns({ turns: begun, ends: ended }: AgentRecord): Values {
  return {
    begun_turns: begun.map(({ agent_turn_id }) => agent_turn_id),
    begun_agents: begun.map(({ agent_id }) => agent_id),
    begun_epochs: begun.map(({ turn_epoch }) => turn_epoch),
    begun_messages: begun.map(({ inbox_id }) => inbox_id),
    begun_contexts: begun.map(({ context_box_id }) => context_box_id),
    begun_outputs: begun.map(({ output_box_id }) => output_box_id),
    begun_times: begun.map(({ at }) => toTimestamp(at)),
    begun_ends: begun.map(({ end }) => toMoment(end?.at)),
    begun_outcomes: begun.map(({ end }) => end?.outcome ?? null),
    begun_deliverables: begun.map(({ end }) => end?.deliverable_card_id ?? null),
    end_turns: ended.map(({ agent_turn_id }) => agent_turn_id),
    end_times: ended.map(({ at }) => toTimestamp(at)),
    end_outcomes: ended.map(({ outcome }) => outcome),
    end_deliverables: ended.map(({ deliverable_card_id }) => deliverable_card_id),
  };
}

function toBoxes({ boxes }: AgentRecord): Values {
  return {
    box_ids: boxes.map(({ box_id }) => box_id),
    box_turns: boxes.map(({ agent_turn_id }) => agent_turn_id),
    box_kinds: boxes.map(({ kind }) => kind),
    box_limits: boxes.map(({ card_limit }) => card_limit),
  };
}

function toCards({ cards }: AgentRecord): Values {
  return {
    card_boxes: cards.map(({ box_id }) => box_id),
    card_positions: cards.map(({ position }) => position),
    card_ids: cards.map(({ card_id }) => card_id),
    card_turns: cards.map(({ agent_turn_id }) => agent_turn_id),
    card_limits: cards.map(({ card_limit }) => card_limit),
    card_kinds: cards.map(({ kind }) => kind),
    card_components: cards.map(({ component_hash }) => component_hash ?? null),
    card_calls: cards.map(({ source_invocation_id }) => source_invocation_id ?? null),
    card_llm_calls: cards.map(({ llm_call_id }) => llm_call_id ?? null),
    card_patches: cards.map(({ patch_seq }) => patch_seq ?? null),
    card_contents: cards.map(({ content }) => (content === undefined ? null : canonicalText(content))),
  };
}

function toEdges({ edges }: AgentRecord): Values {
  return {
    edge_turns: edges.map(({ agent_turn_id }) => agent_turn_id),
    edge_primitives: edges.map(({ primitive }) => primitive),
    edge_phases: edges.map(({ edge_phase }) => edge_phase),
    edge_correlations: edges.map(({ correlation_id }) => correlation_id),
    edge_parents: edges.map(({ parent_step_id }) => parent_step_id ?? null),
    edge_times: edges.map(({ at }) => toTimestamp(at)),
  };
}

function toEvents({ events }: AgentRecord): Values {
  return {
    event_turns: events.map(({ agent_turn_id }) => agent_turn_id),
    event_transitions: events.map(({ transition }) => transition),
    event_kinds: events.map(({ kind }) => kind),
    event_agents: events.map(({ agent_id }) => agent_id),
    event_times: events.map(({ at }) => toTimestamp(at)),
    event_payloads: events.map(({ payload }) => canonicalText(payload)),
  };
}

/** A call that is waited for and heard in one statement is written heard: an update would not see it. */
function toWaits({ waits }: AgentRecord): Values {
  const calls = new Map<string, Wait>();
  for (const { agent_turn_id, tool_call_id, is_awaited, at } of waits) {
    const key = `${agent_turn_id} ${tool_call_id}`;
    calls.set(key, {
      agent_turn_id,
      tool_call_id,
      ...calls.get(key),
      ...(is_awaited ? { began_at: at } : { ended_at: at }),
    });
  }
  const rows = [...calls.values()];
  return {
    wait_turns: rows.map(({ agent_turn_id }) => agent_turn_id),
    wait_calls: rows.map(({ tool_call_id }) => tool_call_id),
    wait_beginnings: rows.map(({ began_at }) => toMoment(began_at)),
    wait_ends: rows.map(({ ended_at }) => toMoment(ended_at)),
  };
}

interface Wait {
  readonly agent_turn_id: string;
  readonly tool_call_id: string;
  readonly began_at?: number;
  readonly ended_at?: number;
}

function toMoment(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : toTimestamp(at);
}
