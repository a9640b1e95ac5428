import { join, resolve } from 'node:path';
import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { groupBy } from '../../core/content/group-by.js';
import { isUuid } from '../../core/content/uuid.js';
import {
  type CheckedExport,
  checkExport,
  type ExportedLines,
  type ExportedSeal,
  toLines,
} from '../../core/ledger/exported-ledger.js';
import { splitHashes, toHex } from '../../core/evidence/merkle.js';
import { toMoment } from '../../runtime/fact-log.js';
import { LEDGER_FILES, type LedgerEntry } from '../../core/ledger/ledger-entry.js';
import type { Tier } from '../../core/orders/work-order.js';
import type { Archive } from '../engine.js';
import { readRegularFile } from '../documents/index.js';
import { attemptUnknown } from '../browse/records.js';
import { unknownWorld } from '../worlds/worlds.js';
import { writeNewFolder } from '../write-files.js';
import { entriesOf, type Plans, readAllPlanned, type SealRow, splitAttempts } from './read-ledger.js';

/** The files of an export, by what they hold. */
export const EXPORT_FILES: Readonly<Record<keyof ExportedLines, string>> = {
  scope: 'export.json',
  ...LEDGER_FILES,
  seals: 'seals.jsonl',
};

/** The files of an export, and how much they hold. */
export interface ExportedLedger {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly entries: number;
  readonly seals: number;
}

/**
 * Both ledgers of an attempt or a world, and their seals, as the files of an export. Attempts that are open are left out.
 * @param named an attempt's id, or a world's name
 */
export async function exportLedger(archive: Archive, named: string): Promise<Outcome<ExportedLedger>> {
  const { store } = archive;
  const attempt = isUuid(named) ? await store.facts.attempt(named) : undefined;
  if (isUuid(named) && attempt === undefined) return refuse(attemptUnknown(named));
  const world_slug = attempt?.world_slug ?? named;
  if ((await store.worlds.find(world_slug)) === undefined) return unknownWorld(archive, world_slug);
  const seals = await store.ledger.seals(world_slug, attempt?.attempt_id);
  const plans: Plans = new Map();
  const entries: LedgerEntry[] = [];
  const tiers = new Map<string, readonly Tier[]>();
  const byAttempt = groupBy(seals, (seal) => seal.attempt_id);
  for (const group of splitAttempts([...byAttempt.keys()], byAttempt)) {
    const read = await readAllPlanned(archive, world_slug, group, plans);
    if (!read.ok) return read;
    for (const planned of read.value) {
      const own = entriesOf(planned);
      entries.push(...own);
      tiers.set(
        planned.attempt_id,
        own.map(({ tier }) => tier),
      );
    }
  }
  const exported = seals.map((seal) => {
    const count = seal.leaf_hashes.length / 32;
    const rest = tiers.get(seal.attempt_id) ?? [];
    tiers.set(seal.attempt_id, rest.slice(count));
    return toExported(seal, rest);
  });
  const lines = toLines({ world_slug, attempt_id: attempt?.attempt_id ?? null }, entries, exported);
  const files = (Object.keys(EXPORT_FILES) as readonly (keyof ExportedLines)[]).map((file) => ({
    path: EXPORT_FILES[file],
    text: lines[file].map((line) => `${line}\n`).join(''),
  }));
  return succeed({ files, entries: entries.length, seals: seals.length });
}

/** Writes an export into a new folder. */
export function writeExport(
  { files }: Pick<ExportedLedger, 'files'>,
  { folder, working_folder }: { readonly folder: string; readonly working_folder: string },
): Promise<Outcome<undefined>> {
  return writeNewFolder(resolve(working_folder, folder), files, problem('FILE_EXISTS', { path: folder }));
}

/** @param tiers those of its entries, and of entries after them */
function toExported(
  { leaf_hashes, root, previous_root, sealed_at, ...seal }: SealRow,
  tiers: readonly Tier[],
): ExportedSeal {
  const { world_slug, seal_seq, attempt_id, source_invocation_id } = seal;
  return {
    world_slug,
    seal_seq,
    attempt_id,
    source_invocation_id,
    sealed_at: toMoment(sealed_at),
    root: toHex(root),
    previous_root: previous_root && toHex(previous_root),
    leaf_hashes: splitHashes(leaf_hashes).map(toHex),
    tiers: splitHashes(leaf_hashes).map((_, index) => tiers[index] ?? 'HO2'),
  };
}

/** The largest file of an export that is read: a text of this runtime can hold hardly more. */
const BYTES_MAX = 500 * 1_048_576;

/** Checks the folder of an export by itself. It needs no database. */
export async function verifyExport(folder: string, shown: string): Promise<Outcome<CheckedExport>> {
  const lines: Partial<Record<keyof ExportedLines, readonly string[]>> = {};
  for (const name of Object.keys(EXPORT_FILES) as readonly (keyof ExportedLines)[]) {
    const file = EXPORT_FILES[name];
    const read = await readRegularFile(join(folder, file), BYTES_MAX);
    if (read.kind !== 'text' && read.kind !== 'not_utf8')
      return refuse(problem('NOT_AN_EXPORT', { folder: shown, file, found: read.kind }));
    // A byte that was altered is found in its line, as any other change.
    const text = read.kind === 'text' ? read.text : Buffer.from(read.bytes).toString('utf8');
    lines[name] = text.split('\n').filter((line) => line !== '');
  }
  return succeed(checkExport(lines as ExportedLines));
}
