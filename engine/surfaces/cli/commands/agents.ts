import type { Command } from 'commander';
import { listAgents } from '../../../operations/agents.js';
import { slugArgument } from '../arguments.js';
import { agentListLines } from '../render/agents.js';
import { type Perform, show } from '../session.js';

export function addAgents(program: Command, perform: Perform): void {
  program
    .command('agents')
    .addArgument(slugArgument())
    .description('List the agents of a world: what each does now, and how its latest turn ended.')
    .action((slug: string) =>
      perform((session) =>
        show(session, (archive) => listAgents(archive, slug), {
          json: (agents) => ({ agents }),
          lines: agentListLines,
        }),
      ),
    );
}
