import type { Command } from 'commander';
import { exportWorlds, importWorlds } from '../../../operations/transfer-worlds.js';
import { toPath } from '../arguments.js';
import { accent, line, verbatim } from '../render/line.js';
import { type Perform, show } from '../session.js';

/** `chukwa world export` and `import` */
export function addTransfer(world: Command, perform: Perform): void {
  addExport(world, perform);
  addImport(world, perform);
}

function addExport(world: Command, perform: Perform): void {
  world
    .command('export')
    .helpGroup('Worlds:')
    .argument('<slug...>', 'the names of the worlds; those whose turns they share come along')
    .requiredOption('--out <file>', 'write them there, such as park.jsonl; a file that is there stays', toPath)
    .description('Write worlds into a file, with all their records, to be imported into another database.')
    .action((slugs: readonly string[], { out }: { readonly out: string }) =>
      perform(async (session) => {
        const { working_folder } = session.terminal;
        const request = { world_slugs: slugs, file: out, working_folder };
        return show(session, (archive) => exportWorlds(archive, request), {
          json: ({ worlds, rows }) => ({ file: out, worlds, rows }),
          lines: ({ worlds, rows }) => [line(`Exported ${worlds.join(', ')} into ${out}: ${rows} rows.`)],
        });
      }),
    );
}

function addImport(world: Command, perform: Perform): void {
  world
    .command('import')
    .helpGroup('Worlds:')
    .argument('<file>', 'what chukwa world export has written', toPath)
    .description('Import worlds from a file, with all their records; all of them or none.')
    .action((file: string) =>
      perform(async (session) => {
        const { working_folder } = session.terminal;
        return show(session, (archive) => importWorlds(archive, { file, working_folder }), {
          json: ({ worlds, rows }) => ({ worlds, rows }),
          lines: ({ worlds, rows }) => [
            line(`Imported ${worlds.join(', ')}: ${rows} rows.`),
            ...worlds.map((slug) => verbatim('Look at it: ', accent(`npx chukwa world show ${slug}`))),
          ],
        });
      }),
    );
}
