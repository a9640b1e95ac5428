import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import type { LedgerEntry } from '../../core/ledger/ledger-entry.js';
import { TRAVERSALS, type Traversal } from '../../core/ledger/traverse.js';
import type { ListPart } from '../../ports/browse.js';
import type { Archive } from '../engine.js';
import { unknownWorld } from '../worlds/worlds.js';
import { entriesOf, type Plans, readPlanned } from './read-ledger.js';

/** An entry, and where it stands. */
export interface ListedEntry extends LedgerEntry {
  readonly attempt_id: string;
  /** 1-based, in its attempt. */
  readonly position: number;
}

/** Which entries of a world are wanted: all, or those of a traversal. */
interface WantedEntries {
  readonly world_slug: string;
  readonly pattern?: string;
  /** What the traversal starts from. */
  readonly of?: string;
  /** Only those of this attempt. */
  readonly attempt?: string;
}

/** The entries of a world's ledgers, the first attempt first; of attempts that are open, those so far. */
export async function listLedger(
  archive: Archive,
  { world_slug, pattern, of, attempt }: WantedEntries,
  { after, limit }: ListPart,
): Promise<Outcome<readonly ListedEntry[]>> {
  if (pattern !== undefined && !(pattern in TRAVERSALS && of !== undefined))
    return refuse(problem('TRAVERSAL_INVALID', { pattern, patterns: Object.keys(TRAVERSALS) }));
  const { store } = archive;
  if ((await store.worlds.find(world_slug)) === undefined) return unknownWorld(archive, world_slug);
  const attempts = (await store.records.attempts(world_slug)).map(({ attempt_id }) => attempt_id);
  const [after_attempt, , after_position] = after?.split('.') ?? [];
  const plans: Plans = new Map();
  const rows: ListedEntry[] = [];
  const wanted = attempts.filter((id) => attempt === undefined || id === attempt);
  const first = after_attempt === undefined ? 0 : wanted.indexOf(after_attempt);
  for (const attempt_id of wanted.slice(Math.max(0, first))) {
    if (rows.length >= limit) break;
    const read = await readPlanned(archive, attempt_id, plans);
    if (!read.ok) return read;
    const entries = entriesOf(read.value);
    const chosen = pattern === undefined ? entries : TRAVERSALS[pattern as Traversal](entries, of ?? '');
    const placed = chosen.map((entry) => ({ ...entry, attempt_id, position: entries.indexOf(entry) + 1 }));
    const skipped =
      attempt_id === after_attempt ? placed.findIndex((it) => it.position === Number(after_position)) : -1;
    rows.push(...placed.slice(skipped + 1));
  }
  return succeed(rows.slice(0, limit));
}

/** The cursor of an entry in that list. */
export function cursorOf({ attempt_id, tier, position }: ListedEntry): string {
  return `${attempt_id}.${tier}.${position}`;
}
