import { present } from '../../../contract/present.js';
import { Argument, Option } from 'commander';
import type { PagesToExport } from '../../../operations/composition.js';
import { exportWorlds, importWorlds } from '../../../operations/worlds/transfer-worlds.js';
import { writePages } from '../../../operations/worlds/write-pages.js';
import { pathOption, toPath } from '../arguments.js';
import type { ExitCode } from '../exit-code.js';
import { command, line, verbatim } from '../render/line.js';
import { count } from '../../../catalogue/words.js';
import { answer, refuseUsage, type Session, show, withEngine } from '../session.js';
import type { CommandEntry } from './entry.js';

interface ExportOptions {
  readonly out?: string;
  readonly html?: string;
  readonly attempt?: string;
}

const SEE = 'See: chukwa world export --help';

export const TRANSFER_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'world export',
    says: 'Write worlds into a file: all their records, for another database, or a page for readers.',
    takes: [
      new Argument('<slug...>', 'the names of the worlds; the worlds whose turns they share are included'),
      pathOption('--out <file>', 'the output file, such as park.jsonl; an existing file is not overwritten'),
      pathOption('--html <file>', 'the output file for the pages of one world, readable without a server'),
      new Option('--attempt <id>', 'with --html: the pages of this attempt of the world alone'),
    ],
    async run(session, slugs: readonly string[], { out, html, attempt }: ExportOptions) {
      const [world_slug = ''] = slugs;
      if ((out === undefined) === (html === undefined) || (html === undefined && attempt !== undefined))
        return refuseUsage(session, 'Give either --out FILE or --html FILE; --attempt needs --html.', SEE);
      if (html === undefined) return exportRecords(session, slugs, out ?? '');
      if (slugs.length > 1) return refuseUsage(session, 'A page holds one world.', SEE);
      return exportPage(session, present({ world_slug, attempt_id: attempt }), html);
    },
  },
  {
    name: 'world import',
    says: 'Import worlds from a file, with all their records; all of them or none.',
    takes: [new Argument('<file>', 'a file that chukwa world export has written').argParser(toPath)],
    async run(session, file: string) {
      const { working_folder } = session.terminal;
      return answer(session, await withEngine(session, (engine) => importWorlds(engine, { file, working_folder })), {
        json: ({ worlds, rows }) => ({ worlds, rows }),
        lines: ({ worlds, rows }) => [
          line(`Imported ${worlds.join(', ')}: ${rows} rows.`),
          ...worlds.map((slug) => verbatim('Look at it: ', command('world', 'show', slug))),
        ],
      });
    },
  },
];

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
      line(`Wrote ${count(pages, 'page')} into ${file}. Open it in a browser; it needs nothing else.`),
      ...(left_out === 0
        ? []
        : [line(`${left_out} more are not in it: --attempt ID includes the pages of one attempt.`)]),
    ],
  });
}
