import type { Command } from 'commander';
import { showLlmCall } from '../../../operations/records.js';
import type { LlmCallRecord } from '../../../ports/records.js';
import { llmCallLines, schemaLines } from '../render/llm-call.js';
import { answer, type Perform, withArchive } from '../session.js';

export function addLlmCall(program: Command, perform: Perform): void {
  program
    .command('llm-call')
    .argument('<id>', 'the id of the LLM call')
    .description('Show one generation: what the model was shown and said, and how that was judged.')
    .option('--schema', 'print the schema that the model was offered, too; --json always has it')
    .action((id: string, { schema }: { readonly schema?: boolean }) =>
      perform(async (session) => {
        const shown = await withArchive(session, (archive) => showLlmCall(archive, id));
        const lines = (call: LlmCallRecord) => [...llmCallLines(call), ...(schema === true ? schemaLines(call) : [])];
        return answer(session, shown, { lines });
      }),
    );
}
