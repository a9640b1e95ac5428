import type { AgentTurnSummary } from '../../../core/agents/agent-turn.js';
import type { ListedAgent } from '../../../operations/agents.js';
import { bad, EMPTY, faint, good, line, type Lines, type Span, strong, verbatim } from './line.js';
import { type Columns, tableLines } from './table.js';
import { count, toMoment } from '../../../catalogue/words.js';

export function agentListLines(agents: readonly ListedAgent[]): Lines {
  if (agents.length === 0) return [line('This world has no agents.')];
  return [
    tableLines(agents, AGENT_COLUMNS),
    agents.flatMap(({ agent_id, resume_deadline }) =>
      resume_deadline === null ? [] : [line(`${agent_id} waits until ${toMoment(resume_deadline)} at most.`)],
    ),
  ];
}

const AGENT_COLUMNS: Columns<ListedAgent> = {
  agent: ({ agent_id }) => agent_id,
  status: ({ status }) => status,
  epoch: ({ turn_epoch }) => turn_epoch,
  activity: ({ activity }) => activity,
  tool: ({ current_tool }) => current_tool,
  waiting: ({ waiting_tool_count }) => waiting_tool_count || null,
  'latest turn': ({ latest_turn }) => latest_turn?.state ?? null,
  'agent turn': ({ active_agent_turn_id, latest_turn }) => active_agent_turn_id ?? latest_turn?.agent_turn_id ?? null,
};

export function agentTurnListLines(turns: readonly AgentTurnSummary[]): Lines {
  if (turns.length === 0) return [];
  return [
    EMPTY,
    line(strong(count(turns.length, 'agent turn'))),
    turns.map((turn) =>
      verbatim('  ', strong(turn.agent_id), '  ', toState(turn), faint(`  agent-turn ${turn.agent_turn_id}`)),
    ),
  ];
}

/** A turn that was not kept is nobody's fault, so it has no colour. */
function toState({ outcome, state }: AgentTurnSummary): Span {
  if (outcome === null || outcome !== state) return { text: state };
  return outcome === 'success' ? good(state) : bad(state);
}
