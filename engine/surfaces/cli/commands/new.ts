import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { layOutWorld, WORLD_SHAPES, type WorldShape } from '../../../operations/new-world.js';
import { toPath } from '../arguments.js';
import { newWorldLines } from '../render/new-world.js';
import { answer, type Perform } from '../session.js';

interface NewWorldOptions {
  readonly shape: WorldShape;
  readonly into: string;
}

export function addNew(program: Command, perform: Perform): void {
  program
    .command('new')
    .description('Lay out files to begin with.')
    .command('world')
    .argument('<name>', 'its name, and that of its folder: lower-case letters and digits, joined by - or _')
    .addOption(
      new Option('--shape <shape>', 'one agent, a place with services, or several agents')
        .choices(WORLD_SHAPES)
        .default('agent'),
    )
    .option('--into <dir>', 'the folder in which the world gets its own', toPath, '.')
    .description('Write the files of a small, complete world: scenario, prompts, answers and a test.')
    .action((name: string, { shape, into }: NewWorldOptions) =>
      perform(async (session) => {
        const { working_folder } = session.terminal;
        const { package_root } = session.composition;
        const laid = await layOutWorld({ name, shape, into: resolve(working_folder, into), package_root });
        return answer(session, laid, {
          lines: (world) => newWorldLines(world, working_folder),
        });
      }),
    );
}
