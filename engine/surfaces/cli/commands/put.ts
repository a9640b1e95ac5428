import type { Command } from 'commander';
import { putPaths, refuseFindings } from '../../../operations/author.js';
import type { PutResult } from '../../../operations/documents/index.js';
import type { Done } from '../../../operations/engine.js';
import { pathsArgument, rootOption } from '../arguments.js';
import { faint, type Line, line, verbatim } from '../render/line.js';
import { count } from '../render/words.js';
import { answer, type Perform, withEngine } from '../session.js';
import { type RootOptions, toPlace } from '../place.js';

type Stored = Extract<PutResult, { ok: true }>;

export function addPut(program: Command, perform: Perform): void {
  program
    .command('put')
    .addArgument(pathsArgument('files and folders'))
    .description('Check documents and store them by content, all or none; prints kind, hash and path.')
    .addOption(rootOption())
    .action((paths: readonly string[], options: RootOptions) =>
      perform(async (session) => {
        const place = toPlace(session, options);
        const put = await withEngine(session, async (engine) => toDone(await putPaths(engine, { paths, place })));
        return answer(session, put, { lines: storedLines });
      }),
    );
}

function toDone(result: PutResult): Done<Stored> {
  return result.ok ? { ok: true, value: result } : refuseFindings(result.findings);
}

const KIND_WIDTH = 18;

function storedLines({ stored, new_count }: Stored): readonly Line[] {
  return [
    ...stored.map(({ kind, hash, path }) => verbatim(kind.padEnd(KIND_WIDTH), `  ${hash}  ${path}`)),
    line(faint(`${count(stored.length, 'document')} stored, ${new_count} of them new`)),
    ...(stored.length === 0
      ? [line(faint('Answers and tests are not stored: a run and a test read their files.'))]
      : []),
  ];
}
