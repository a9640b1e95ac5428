/** Where an agent stands, as its state head says. */
export type AgentStatus = 'idle' | 'dispatched' | 'running' | 'suspended';

/** What happens to an agent. */
export type AgentStep = 'dispatch' | 'enter' | 'work' | 'suspend' | 'resume' | 'deliver';

/**
 * Where each step leads, by where an agent stands. `idle`: it has no turn. `dispatched`: it was given one, and what it
 * is to know is being gathered. `running`: its nodes are at work, or have answered and the attempt goes on to others.
 * `suspended`: all that it waits for comes later. Whatever has begun can end.
 */
export const AGENT_STEPS: Readonly<Record<AgentStatus, Readonly<Partial<Record<AgentStep, AgentStatus>>>>> = {
  idle: { dispatch: 'dispatched' },
  dispatched: { enter: 'running', deliver: 'idle' },
  running: { work: 'running', suspend: 'suspended', deliver: 'idle' },
  suspended: { suspend: 'suspended', resume: 'running', deliver: 'idle' },
};

/** Where a step leads from here; undefined where it may not be taken. */
export function findNextAgentStatus(status: AgentStatus, step: AgentStep): AgentStatus | undefined {
  return AGENT_STEPS[status][step];
}

/** What an agent that runs is busy with. */
export type AgentActivity = 'thinking' | 'executing_tool' | 'awaiting_tool_result';

/** How an agent turn ended. */
export type AgentTurnOutcome = 'success' | 'failed' | 'stopped' | 'timed_out';
