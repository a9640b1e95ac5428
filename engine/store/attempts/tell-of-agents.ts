import type { AgentRecord } from '../../core/agents/record.js';
import type { AttemptLease, Written } from '../../ports/attempts.js';
import { driverStatement } from '../agents/agent-clauses.js';
import { toAgentValues } from '../agents/agent-values.js';
import type { Runner } from '../statement.js';
import { fenceWith, runFenced } from './fence.js';

const TELL = driverStatement(
  'tell_of_agents',
  (agents) => `WITH ${[fenceWith(agents), ...agents.rows].join(',')}
   SELECT count(*) AS held FROM fence`,
);

/** Tells of agents while their attempt goes on: one statement. */
export function tellOfAgents(runner: Runner, lease: AttemptLease, agents: AgentRecord): Promise<Written> {
  return runFenced(runner, TELL(agents), lease, toAgentValues(agents));
}
