import type { Command } from 'commander';
import { showAgentTurn } from '../../../operations/agents.js';
import { agentTurnLines } from '../render/agents.js';
import { type Perform, show } from '../session.js';

export function addAgentTurn(program: Command, perform: Perform): void {
  program
    .command('agent-turn')
    .argument('<id>', 'the id of the agent turn')
    .description('Show one turn of an agent: what it was given, what it did, and what came of it.')
    .action((agent_turn_id: string) =>
      perform((session) =>
        show(session, (archive) => showAgentTurn(archive, { agent_turn_id, reader: 'operator' }), {
          lines: agentTurnLines,
        }),
      ),
    );
}
