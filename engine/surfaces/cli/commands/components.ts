import { succeed } from '../../../contract/problem.js';
import { Argument } from 'commander';
import { canonicalText } from '../../../core/content/canonical.js';
import type { ComponentKind } from '../../../core/protocol/component.js';
import { putPaths, refuseFindings } from '../../../operations/authoring/author.js';
import {
  countComponents,
  getComponent,
  HASH_DIGITS_MIN,
  listComponents,
  showUses,
  toComponentKind,
} from '../../../operations/authoring/components.js';
import type { PutResult } from '../../../operations/documents/index.js';
import { EXCLUDE, pathsArgument, ROOT, type RootOptions, toPlace } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { componentLines, kindCountLines } from '../render/component.js';
import { documentUses } from '../../../catalogue/resources/documents.js';
import { documentColumns } from '../../../catalogue/tables.js';
import { code, table } from '../../../catalogue/view.js';
import { asOperator } from '../resource-command.js';
import { blockLines, viewLines } from '../render/view.js';
import { faint, line, type Lines, verbatim } from '../render/line.js';
import { count } from '../../../catalogue/words.js';
import { answer, printExact, printRefused, type Session, show, withArchive, withEngine } from '../session.js';
import type { CommandEntry } from './entry.js';

export const put: CommandEntry = {
  name: 'put',
  says: 'Check documents and store them by content, all or none; prints kind, hash and path.',
  takes: [pathsArgument('files and folders'), ROOT, EXCLUDE],
  async run(session, paths: readonly string[], options: RootOptions) {
    const put = await withEngine(session, async (engine) => {
      const result = await putPaths(engine, { paths, place: toPlace(session, options) });
      return result.ok ? succeed(result) : refuseFindings(result.findings);
    });
    return answer(session, put, { lines: storedLines });
  },
};

const KIND_WIDTH = 18;

function storedLines({ stored, new_count }: Extract<PutResult, { ok: true }>): Lines {
  return [
    stored.map(({ kind, hash, path }) => verbatim(kind.padEnd(KIND_WIDTH), `  ${hash}  ${path}`)),
    line(faint(`${count(stored.length, 'document')} stored, ${new_count} of them new`)),
    stored.length === 0 && line(faint('Answers and tests are not stored: a run and a test read their files.')),
  ];
}

const KINDS = 'what kind of document: json_schema, response_source, cognition_workflow, ...';
const KIND = new Argument('<kind>', KINDS);
const HASH = new Argument('<hash>', `its hash, or at least the first ${HASH_DIGITS_MIN} digits of it`);

/** Runs a task with a valid kind of document; any other word is refused before anything is opened. */
function withKind(
  session: Session,
  text: string,
  task: (kind: ComponentKind) => Promise<ExitCode>,
): Promise<ExitCode> | ExitCode {
  const kind = toComponentKind(text);
  return kind.ok ? task(kind.value) : printRefused(session, kind);
}

export const get: CommandEntry = {
  name: 'get',
  says: 'Print a stored document: into a pipe or a file, exactly the bytes whose SHA-256 is its hash.',
  takes: [KIND, HASH],
  run: async (session, name: string, hash: string) =>
    withKind(session, name, async (kind) => {
      const found = await withArchive(session, (archive) => getComponent(archive, { kind, hash }));
      if (!found.ok || session.as_json || session.terminal.out.is_terminal)
        return answer(session, found, { lines: componentLines });
      printExact(session.terminal, canonicalText(found.value.content));
      return EXIT.done;
    }),
};

export const list: CommandEntry = {
  name: 'list',
  says: 'List the stored documents of a kind; without a kind, count the documents of each.',
  takes: [new Argument('[kind]', KINDS)],
  async run(session, name: string | undefined) {
    if (name === undefined)
      return show(session, countComponents, { json: (counts) => ({ counts }), lines: kindCountLines });
    return withKind(session, name, (kind) =>
      show(session, (archive) => listComponents(archive, kind), {
        json: (components) => ({ kind, count: components.length, components }),
        lines: (components) => [
          blockLines(
            table(components, documentColumns, [
              'No document of this kind is stored. Store some: ',
              code('chukwa put PATH'),
            ]),
          ),
          components.length > 0 && line(faint(count(components.length, 'document'))),
        ],
      }),
    );
  },
};

export const uses: CommandEntry = {
  name: 'uses',
  says: 'Show which documents a stored document refers to, and which documents and worlds refer to it.',
  takes: [KIND, HASH],
  run: async (session, name: string, hash: string) =>
    withKind(session, name, (kind) =>
      show(session, (archive) => showUses(archive, { kind, hash }), {
        lines: (found) => viewLines(documentUses(kind).view(found, asOperator({ hash }))),
      }),
    ),
};
