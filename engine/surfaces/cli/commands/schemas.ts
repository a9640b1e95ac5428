import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { writeSchemas, type WrittenSchemas } from '../../../operations/write-schemas.js';
import { pathsArgument, toPath } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { toPlace } from '../place.js';
import { type Line, line } from '../render/line.js';
import { count } from '../render/words.js';
import { answer, type Perform, type Session } from '../session.js';

export function addSchemas(program: Command, perform: Perform): void {
  program
    .command('schemas')
    .addArgument(pathsArgument('the project, whose ids editors offer').argOptional().default([], 'none'))
    .requiredOption('--write <dir>', 'the folder to write them into', toPath)
    .description('Write the schemas of all documents for an editor, with the interface of each plugin that is found.')
    .action((paths: readonly string[], { write }: { readonly write: string }) =>
      perform((session) => writeAll(session, write, paths)),
    );
}

async function writeAll(session: Session, folder: string, paths: readonly string[]): Promise<ExitCode> {
  const { working_folder } = session.terminal;
  const authoring = await session.composition.openAuthoring();
  const project = { paths, place: toPlace(session, {}) };
  const written = await writeSchemas(authoring, resolve(working_folder, folder), project);
  return answer(session, written, { lines: (value) => writtenLines(value, working_folder) });
}

function writtenLines({ folder, files, plugins }: WrittenSchemas, workingFolder: string): readonly Line[] {
  const where = relative(workingFolder, folder) || '.';
  return [
    line(`Wrote ${count(files.length, 'schema')} into ${where}; sources are checked by ${plugins.join(', ')}.`),
    line(`In a document, write "$schema": the path to its schema there, such as response-source.schema.json.`),
  ];
}
