import { Argument, Option } from 'commander';
import { resolve } from 'node:path';
import { policy as declared } from '../../../catalogue/resources/policy.js';
import { explainPolicy } from '../../../operations/people/explain-policy.js';
import { isJsonItself, readAnswerFile } from '../../../operations/settling/read-answer-file.js';
import { SLUG } from '../arguments.js';
import { viewLines } from '../render/view.js';
import { asOperator } from '../resource-command.js';
import { printRefused, show } from '../session.js';
import type { CommandEntry } from './entry.js';

export const POLICY_COMMANDS: readonly CommandEntry[] = [
  { name: 'policy', says: 'What a tool policy decides.' },
  {
    name: 'policy explain',
    says: declared.says,
    takes: [
      SLUG,
      new Argument('<subject>', 'the id of the subject'),
      new Argument('<tool>', 'the name of its tool, or the id of another call of its workflow'),
      new Option('--arguments <file>', 'the arguments, as JSON or as the file that holds them'),
    ],
    async run(session, slug: string, entity_id: string, tool: string, given: { readonly arguments?: string }) {
      const { arguments: written } = given;
      let args = written;
      if (written !== undefined && !isJsonItself(written)) {
        const file = await readAnswerFile(resolve(session.terminal.working_folder, written), written);
        if (!file.ok) return printRefused(session, file);
        args = JSON.stringify(file.value.value);
      }
      return show(
        session,
        (archive) => explainPolicy(archive, { world_slug: slug, entity_id, tool, arguments: args }),
        { lines: (found) => viewLines(declared.view(found, asOperator())) },
      );
    },
  },
];
