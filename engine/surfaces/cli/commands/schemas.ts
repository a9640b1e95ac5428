import { relative, resolve } from 'node:path';
import { writeSchemas, type WrittenSchemas } from '../../../operations/authoring/write-schemas.js';
import { pathOption, pathsArgument, toPlace } from '../arguments.js';
import { line, type Lines } from '../render/line.js';
import { count } from '../../../catalogue/words.js';
import { answer } from '../session.js';
import type { CommandEntry } from './entry.js';

export const schemas: CommandEntry = {
  name: 'schemas',
  says: 'Write the schemas of all documents for an editor, with the interface of each plugin that is found.',
  takes: [
    pathsArgument('the project folder, for the ids that editors suggest').argOptional().default([], 'none'),
    pathOption('--write <dir>', 'the output folder').makeOptionMandatory(),
  ],
  async run(session, paths: readonly string[], { write }: { readonly write: string }) {
    const { working_folder } = session.terminal;
    const authoring = await session.composition.openAuthoring();
    const project = { paths, place: toPlace(session) };
    const written = await writeSchemas(authoring, resolve(working_folder, write), project);
    return answer(session, written, { lines: (value) => writtenLines(value, working_folder) });
  },
};

function writtenLines({ folder, files, plugins }: WrittenSchemas, workingFolder: string): Lines {
  const where = relative(workingFolder, folder) || '.';
  return [
    line(`Wrote ${count(files.length, 'schema')} into ${where}; sources are checked by ${plugins.join(', ')}.`),
    line(`In a document, write "$schema": the path to its schema there, such as response-source.schema.json.`),
  ];
}
