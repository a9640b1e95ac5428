import type { Command } from 'commander';
import { listAgents } from '../../../operations/agents.js';
import { agentListLines } from '../render/agents.js';
import { answer, type Perform, withArchive } from '../session.js';

/** `chukwa agents` */
export function addAgents(program: Command, perform: Perform): void {
  program
    .command('agents')
    .helpGroup('What happened:')
    .argument('<slug>', 'the name of the world')
    .description('List the agents of a world: what each does now, and how its latest turn ended.')
    .action((slug: string) =>
      perform(async (session) => {
        const listed = await withArchive(session, (archive) => listAgents(archive, slug));
        return answer(session, listed, { json: (agents) => ({ agents }), lines: agentListLines });
      }),
    );
}
