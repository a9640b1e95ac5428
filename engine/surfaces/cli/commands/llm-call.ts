import type { Command } from 'commander';
import { showLlmCall } from '../../../operations/records.js';
import { llmCallLines } from '../render/llm-call.js';
import { answer, type Perform, withEngine } from '../session.js';

/** `chukwa llm-call` */
export function addLlmCall(program: Command, perform: Perform): void {
  program
    .command('llm-call')
    .helpGroup('What happened:')
    .argument('<id>', 'the id of the LLM call')
    .description('Show one generation: what the model was shown and said, and what was made of it.')
    .action((id: string) =>
      perform(async (session) => {
        const shown = await withEngine(session, (engine) => showLlmCall(engine, id));
        return answer(session, shown, { json: (call) => call, lines: llmCallLines });
      }),
    );
}
