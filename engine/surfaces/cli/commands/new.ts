import { Argument, Option } from 'commander';
import { resolve } from 'node:path';
import { writeNewWorld, WORLD_SHAPES, type WorldShape } from '../../../operations/authoring/new-world.js';
import { pathOption } from '../arguments.js';
import { newWorldLines } from '../render/new-world.js';
import { answer } from '../session.js';
import type { CommandEntry } from './entry.js';

interface NewWorldOptions {
  readonly shape: WorldShape;
  readonly into: string;
}

export const newFiles: readonly CommandEntry[] = [
  { name: 'new', says: 'Write files to begin with.' },
  {
    name: 'new world',
    says: 'Write the files of a small, complete world: scenario, prompts, answers and a test.',
    takes: [
      new Argument(
        '<name>',
        'the name of the world and of its folder: lower-case letters and digits, joined by - or _',
      ),
      new Option('--shape <shape>', 'one agent, a place with services, or several agents')
        .choices(WORLD_SHAPES)
        .default('agent'),
      pathOption('--into <dir>', 'the parent of the new folder').default('.'),
    ],
    async run(session, name: string, { shape, into }: NewWorldOptions) {
      const { working_folder } = session.terminal;
      const { package_root } = session.composition;
      const written = await writeNewWorld({ name, shape, into: resolve(working_folder, into), package_root });
      return answer(session, written, { lines: (world) => newWorldLines(world, working_folder) });
    },
  },
];
