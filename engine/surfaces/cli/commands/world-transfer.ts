import type { Command } from 'commander';
import type { PagesToExport } from '../../../operations/composition.js';
import { exportWorlds, importWorlds } from '../../../operations/transfer-worlds.js';
import { writePages } from '../../../operations/write-pages.js';
import { toPath } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { command, line, verbatim } from '../render/line.js';
import { type Perform, printProblem, type Session, show } from '../session.js';

export function addTransfer(world: Command, perform: Perform): void {
  addExport(world, perform);
  addImport(world, perform);
}

interface ExportOptions {
  readonly out?: string;
  readonly html?: string;
  readonly attempt?: string;
}

function addExport(world: Command, perform: Perform): void {
  world
    .command('export')
    .argument('<slug...>', 'the names of the worlds; those whose turns they share come along')
    .option('--out <file>', 'write them there, such as park.jsonl; a file that is there stays', toPath)
    .option('--html <file>', 'write the pages of one world there, to be read without a server', toPath)
    .option('--attempt <id>', 'with --html: the pages of this attempt of the world alone')
    .description('Write worlds into a file: with all their records, for another database, or as a page to be read.')
    .action((slugs: readonly string[], options: ExportOptions) =>
      perform(async (session) => {
        const { out, html, attempt } = options;
        const [world_slug = ''] = slugs;
        if ((out === undefined) === (html === undefined) || (html === undefined && attempt !== undefined))
          return refuseUsage(
            session,
            'Either --out FILE or --html FILE says what is written; --attempt goes with --html.',
          );
        if (html === undefined) return exportRecords(session, slugs, out ?? '');
        if (slugs.length > 1) return refuseUsage(session, 'A page holds one world.');
        return exportPage(session, { world_slug, ...(attempt === undefined ? {} : { attempt_id: attempt }) }, html);
      }),
    );
}

function refuseUsage(session: Session, message: string): ExitCode {
  return printProblem(session, { code: 'USAGE', message, repair: 'See: chukwa world export --help' });
}

function exportRecords(session: Session, world_slugs: readonly string[], file: string): Promise<ExitCode> {
  const { working_folder } = session.terminal;
  return show(session, (archive) => exportWorlds(archive, { world_slugs, file, working_folder }), {
    json: ({ worlds, rows }) => ({ file, worlds, rows }),
    lines: ({ worlds, rows }) => [line(`Exported ${worlds.join(', ')} into ${file}: ${rows} rows.`)],
  });
}

function exportPage(session: Session, wanted: PagesToExport, file: string): Promise<ExitCode> {
  const { composition, terminal } = session;
  const request = { ...wanted, file, working_folder: terminal.working_folder };
  return show(session, (archive) => writePages(composition, archive, request), {
    json: ({ pages, left_out }) => ({ file, pages, left_out }),
    lines: ({ pages, left_out }) => [
      line(
        `Wrote ${pages} ${pages === 1 ? 'page' : 'pages'} into ${file}. Open it in a browser; it needs nothing else.`,
      ),
      ...(left_out === 0 ? [] : [line(`${left_out} more are not in it: --attempt ID takes those of one attempt.`)]),
    ],
  });
}

function addImport(world: Command, perform: Perform): void {
  world
    .command('import')
    .argument('<file>', 'what chukwa world export has written', toPath)
    .description('Import worlds from a file, with all their records; all of them or none.')
    .action((file: string) =>
      perform(async (session) => {
        const { working_folder } = session.terminal;
        return show(session, (archive) => importWorlds(archive, { file, working_folder }), {
          json: ({ worlds, rows }) => ({ worlds, rows }),
          lines: ({ worlds, rows }) => [
            line(`Imported ${worlds.join(', ')}: ${rows} rows.`),
            ...worlds.map((slug) => verbatim('Look at it: ', command('world', 'show', slug))),
          ],
        });
      }),
    );
}
