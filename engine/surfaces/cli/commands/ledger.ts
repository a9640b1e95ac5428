import { Argument } from 'commander';
import { fillPath } from '../../../catalogue/resource.js';
import { attemptVerification, viewVerification, worldVerification } from '../../../catalogue/resources/ledger.js';
import { count } from '../../../catalogue/words.js';
import { succeed } from '../../../contract/problem.js';
import { isUuid } from '../../../core/content/uuid.js';
import type { CheckedExport } from '../../../core/ledger/exported-ledger.js';
import { makeHereOrThere } from '../../../operations/evidence/makers.js';
import { EXPORT_FILES, verifyExport, writeExport } from '../../../operations/ledger/export-ledger.js';
import { verifyAttempt, verifyWorld } from '../../../operations/ledger/verify.js';
import { pathOption } from '../arguments.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { bad, command, good, line, type Lines, verbatim } from '../render/line.js';
import { viewLines } from '../render/view.js';
import { answer, printRefused, refuseUsage, type Session, withArchive } from '../session.js';
import type { CommandEntry } from './entry.js';

export const LEDGER_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'verify',
    says: 'Fold a record again, and name the first entry that is not as it was sealed.',
    takes: [
      new Argument('[named]', 'the id of an attempt, or the name of a world'),
      pathOption('--from <folder>', 'check an export instead; no database is needed'),
    ],
    run(session, named: string | undefined, { from }: { readonly from?: string }) {
      if ((named === undefined) === (from === undefined))
        return Promise.resolve(refuseUsage(session, 'Name an attempt or a world, or give --from FOLDER.', SEE));
      return from === undefined ? verifyRecord(session, named ?? '') : verifyFolder(session, from);
    },
  },
  {
    name: 'ledger export',
    says: 'Write both ledgers of an attempt or a world as JSON lines, with their seals.',
    takes: [
      new Argument('<named>', 'the id of an attempt, or the name of a world'),
      pathOption('--out <folder>', 'the folder to make, such as park-ledger').makeOptionMandatory(),
    ],
    run: (session, named: string, { out }: { readonly out: string }) => writeLedger(session, named, out),
  },
];

const SEE = 'See: chukwa verify --help';

async function writeLedger(session: Session, named: string, folder: string): Promise<ExitCode> {
  const exported = await makeHereOrThere(session.composition, 'ledger', { named });
  if (!exported.ok) return printRefused(session, exported);
  const { working_folder } = session.terminal;
  const written = await writeExport(exported.value, { folder, working_folder });
  if (!written.ok) return printRefused(session, written);
  const { entries, seals } = exported.value;
  const files = exported.value.files.map(({ path }) => path);
  return answer(session, succeed({ folder, files, entries, seals }), {
    lines: () => [
      line(
        `Wrote ${count(entries, 'entry', 'entries')} and ${count(seals, 'seal')} to ${folder}: ${files.join(', ')}.`,
      ),
      verbatim('Check it anywhere: ', command('verify', '--from', folder)),
    ],
  });
}

async function verifyRecord(session: Session, named: string): Promise<ExitCode> {
  const [verify, { path }] = isUuid(named)
    ? ([verifyAttempt, attemptVerification] as const)
    : ([verifyWorld, worldVerification] as const);
  const page = fillPath(path, { attempt_id: named, world_slug: named });
  const found = await withArchive(session, (archive) => verify(archive, named), page);
  const code = answer(session, found, { lines: (it) => viewLines(viewVerification(it)) });
  return found.ok && !found.value.ok ? EXIT.refused : code;
}

async function verifyFolder(session: Session, from: string): Promise<ExitCode> {
  const checked = await verifyExport(from, from);
  const code = answer(session, checked, { lines: checkedLines, json: (it) => ({ ok: it.fault === undefined, ...it }) });
  return checked.ok && checked.value.fault !== undefined ? EXIT.refused : code;
}

const WHY: Readonly<Record<NonNullable<CheckedExport['fault']>['why'], string>> = {
  unreadable: 'cannot be read',
  foreign: 'is of another world, attempt or ledger',
  miscounted: 'says another number of entries than were sealed',
  altered: 'is not what was sealed',
  removed: 'stands where a sealed line is missing',
  inserted: 'was not there when the ledger was sealed',
  reordered: 'stands where another line was sealed',
  cut_off: 'is missing: the file ends before it',
  chain_broken: 'does not follow the seal before it',
  root_wrong: 'does not hold the root of what it says and of its hashes',
  beginning_missing: 'is not the first seal: those before it are missing',
  end_missing: 'is missing: the seals end before it',
  seals_missing: 'is the last, and seals before it are missing',
};

function checkedLines({ world_slug, attempt_id, entries, seals, root, fault }: CheckedExport): Lines {
  const held = line(
    `${count(entries, 'entry', 'entries')}, ${count(seals, 'seal')}. The last root: ${root ?? 'none'}.`,
  );
  if (fault !== undefined)
    return [line(bad(`Line ${fault.line} of ${EXPORT_FILES[fault.file]} ${WHY[fault.why]}.`)), held];
  const of =
    attempt_id === null
      ? `World ${world_slug}, from its first seal on`
      : `Attempt ${attempt_id} of world ${world_slug} alone`;
  return [line(good('Verified.'), ` ${of}: each line is the one that was sealed.`), held];
}
