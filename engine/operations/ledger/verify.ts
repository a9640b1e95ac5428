import { Buffer } from 'node:buffer';
import type { Json } from '../../contract/json.js';
import { present } from '../../contract/present.js';
import { type Outcome, type Problem, problem, refuse, succeed } from '../../contract/problem.js';
import { withoutRun } from '../../contract/scripted.js';
import type { NamedEntry } from '../../contract/problems/ledger.js';
import { hashOfStored } from '../../core/content/canonical.js';
import { groupBy } from '../../core/content/group-by.js';
import { rootOf, splitHashes, toHex } from '../../core/evidence/merkle.js';
import { parseSeal, sealRoot } from '../../core/evidence/seal-text.js';
import type { LedgerEntry } from '../../core/ledger/ledger-entry.js';
import { type Breach, findBreach } from '../../core/ledger/seal.js';
import { hashPieceOrigins, listPrefixes } from '../../core/prompt/message.js';
import type { Archive } from '../engine.js';
import { attemptUnknown } from '../browse/records.js';
import { unknownWorld } from '../worlds/worlds.js';
import {
  entriesOf,
  type PlannedAttempt,
  type Plans,
  readAllPlanned,
  sealStatement,
  type SealedContents,
  type SealRow,
  splitAttempts,
} from './read-ledger.js';

/** Whether a record still is what was sealed. */
export interface Verification {
  readonly world_slug: string;
  /** Null of a whole world. */
  readonly attempt_id: string | null;
  readonly ok: boolean;
  /** In one sentence. */
  readonly says: string;
  readonly attempts: number;
  readonly entries: number;
  readonly seals: number;
  /** The root of the last seal, as 64 hex digits: two parties who hold the same one have the same record. */
  readonly root: string | null;
  readonly findings: readonly Finding[];
}

/** What is wrong, and where. */
export interface Finding {
  /** One of docs/problems.md. */
  readonly code: string;
  readonly message: string;
  readonly repair: string;
  readonly attempt_id: string | null;
  readonly seal_seq: number | null;
  /** The first entry that is not as it was sealed. */
  readonly entry_id: string | null;
  readonly event_type: string | null;
  readonly wo_id: string | null;
  readonly source_invocation_id: string | null;
}

/** Folds the record of an attempt again, and compares it with its seals. */
export async function verifyAttempt(archive: Archive, named: string): Promise<Outcome<Verification>> {
  const { store } = archive;
  const place = await store.facts.attempt(named);
  if (place === undefined) return refuse(attemptUnknown(named));
  const { world_slug, attempt_id } = place;
  const seals = await store.ledger.seals(world_slug, attempt_id);
  const checked = await checkAttempts(archive, { world_slug, seals, plans: new Map() }, [attempt_id]);
  if (!checked.ok) return checked;
  return succeed(summarise({ world_slug, attempt_id }, { attempts: 1, seals, ...checked.value }));
}

/**
 * Verifies each attempt of a world, the order of its seals, its turns, and that what the world holds is what its scenario
 * and its patches left.
 */
export async function verifyWorld(archive: Archive, world_slug: string): Promise<Outcome<Verification>> {
  const { store } = archive;
  if (!(await store.ledger.hasWorld(world_slug))) return unknownWorld(archive, world_slug);
  // The seals are read last: each attempt that had ended before has its own.
  const attempts = await store.ledger.ended(world_slug);
  const ended = attempts.map(({ attempt_id }) => attempt_id);
  const seals = await store.ledger.seals(world_slug);
  const checked = await checkAttempts(archive, { world_slug, seals, plans: new Map() }, ended);
  if (!checked.ok) return checked;
  const { entries } = checked.value;
  const misplaced = await store.ledger.misplaced(world_slug);
  const turns = await store.ledger.turnFaults(world_slug);
  const leaves = await store.log.faulty(world_slug);
  const scenarios = new Set(attempts.map(({ scenario_hash }) => scenario_hash));
  const findings = [
    ...checkOrder(seals),
    ...turns.map((fault) => ofTurnFault(world_slug, fault)),
    ...leaves.flatMap((leaf) => ofLeaf(seals, leaf)),
    ...checked.value.findings,
    ...(await checkDocuments(archive, scenarios)),
    ...(misplaced === undefined ? [] : [toFinding(problem('VALUE_NOT_OF_PATCH', { world_slug, ...misplaced }))]),
  ];
  const place = { world_slug, attempt_id: null };
  return succeed(summarise(place, { attempts: ended.length, entries, seals, findings }));
}

/** What a check has gone through, and found. */
interface Checked {
  readonly entries: number;
  readonly findings: readonly Finding[];
}

interface Found extends Checked {
  readonly attempts: number;
  readonly seals: readonly SealRow[];
}

function summarise(
  place: Pick<Verification, 'world_slug' | 'attempt_id'>,
  { attempts, entries, seals, findings }: Found,
): Verification {
  const [first] = findings;
  const last = seals.at(-1);
  const of = place.attempt_id === null ? `all ${attempts} ended attempts of ${place.world_slug}` : 'the attempt';
  return {
    ...place,
    ok: first === undefined,
    says:
      first?.message ??
      (seals.length === 0 ? 'Nothing has ended yet, so nothing is sealed.' : `The record of ${of} is what was sealed.`),
    attempts,
    entries,
    seals: seals.length,
    root: last === undefined ? null : toHex(last.root),
    findings,
  };
}

/** Each seal follows the one before it, and holds the root of its hashes. */
function checkOrder(seals: readonly SealRow[]): readonly Finding[] {
  return seals.flatMap(({ world_slug, seal_seq, previous_root }, index) => {
    const before = seals[index - 1];
    const follows = (before?.root ?? Buffer.alloc(0)).equals(previous_root ?? Buffer.alloc(0));
    if (seal_seq === index + 1 && follows) return [];
    const why = seal_seq === index + 1 ? 'does not name the seal before it' : `stands where seal ${index + 1} was`;
    return [toFinding(problem('SEAL_BROKEN', { world_slug, seal_seq, why }), { seal_seq })];
  });
}

type TurnFault = Awaited<ReturnType<Archive['store']['ledger']['turnFaults']>>[number];

function ofTurnFault(world_slug: string, { kind, attempt_id, turn, seal_seq }: TurnFault): Finding {
  const place = present({ attempt_id: attempt_id ?? undefined, seal_seq: seal_seq ?? undefined });
  if (kind === 'reopened') return toFinding(problem('ATTEMPT_REOPENED', { attempt_id: attempt_id ?? '' }), place);
  if (kind === 'orphan')
    return toFinding(
      problem('SEAL_BROKEN', { world_slug, seal_seq: seal_seq ?? 0, why: 'is of an attempt that is not there' }),
      place,
    );
  return toFinding(problem('TURN_NOT_OF_ATTEMPT', { world_slug, turn: turn ?? 0, of: kind }), place);
}

type FaultyLeaf = Awaited<ReturnType<Archive['store']['log']['faulty']>>[number];

/** A seal that is gone may be one of a removed world of this name: one that followed a seal of this world is not. */
function ofLeaf(seals: readonly SealRow[], { world_slug, seal_seq, attempt_id, seal, is_gone }: FaultyLeaf) {
  const follows = parseSeal(seal)?.previous_root;
  if (is_gone && !seals.some(({ root }) => toHex(root) === follows)) return [];
  const why = is_gone ? 'is gone, and the log of seals has it' : 'is not what the log of seals says';
  return [toFinding(problem('SEAL_BROKEN', { world_slug, seal_seq, why }), { attempt_id, seal_seq })];
}

/** Each document of scenarios is what its hash was made of. */
async function checkDocuments({ store }: Archive, scenarios: ReadonlySet<string>): Promise<readonly Finding[]> {
  const closures = await Promise.all([...scenarios].map((hash) => store.components.closure('scenario', hash)));
  const altered = closures.flat().filter(({ hash, content }) => hashOfStored(content) !== hash);
  return altered.map(({ kind, hash }) => toFinding(problem('DOCUMENT_ALTERED', { kind, hash })));
}

/** What attempts of a world are compared with. */
interface Sealed {
  readonly world_slug: string;
  readonly seals: readonly SealRow[];
  readonly plans: Plans;
}

async function checkAttempts(
  archive: Archive,
  sealed: Sealed,
  attempt_ids: readonly string[],
): Promise<Outcome<Checked>> {
  const { world_slug, seals, plans } = sealed;
  const byAttempt = groupBy(seals, ({ attempt_id }) => attempt_id);
  const findings: Finding[] = [];
  let entries = 0;
  for (const group of splitAttempts(attempt_ids, byAttempt)) {
    const read = await readAllPlanned(archive, world_slug, group, plans);
    if (!read.ok) return read;
    const contentsOf = await archive.store.ledger.contents(world_slug, group);
    for (const planned of read.value) {
      const { attempt_id } = planned;
      const first = checkAttempt(planned, byAttempt.get(attempt_id) ?? [], contentsOf(attempt_id));
      const checked = first.findings.length === 0 ? succeed(first) : await checkAgain(archive, sealed, attempt_id);
      if (!checked.ok) return checked;
      entries += checked.value.entries;
      findings.push(...checked.value.findings);
    }
  }
  return succeed({ entries, findings });
}

/** A call may have been settled after its seals were read: what is found then is not there a moment later. */
async function checkAgain(
  archive: Archive,
  { world_slug, plans }: Sealed,
  attempt_id: string,
): Promise<Outcome<Checked>> {
  const seals = await archive.store.ledger.seals(world_slug, attempt_id);
  const read = await readAllPlanned(archive, world_slug, [attempt_id], plans);
  if (!read.ok) return read;
  const contentsOf = await archive.store.ledger.contents(world_slug, [attempt_id]);
  const found = read.value.map((planned) => checkAttempt(planned, seals, contentsOf(attempt_id)));
  return succeed(found[0] ?? { entries: 0, findings: [] });
}

function checkAttempt(read: PlannedAttempt, seals: readonly SealRow[], contents: SealedContents): Checked {
  const { world_slug, attempt_id, facts } = read;
  const hasEnded = facts.some(({ kind }) => kind === 'turn_committed' || kind === 'attempt_failed');
  if (!hasEnded)
    return {
      entries: 0,
      findings: seals.length === 0 ? [] : [toFinding(problem('ATTEMPT_REOPENED', { attempt_id }), { attempt_id })],
    };
  const entries = entriesOf(read);
  if (seals.length === 0)
    return { entries: entries.length, findings: [toFinding(problem('SEAL_MISSING', { attempt_id }), { attempt_id })] };
  const broken = seals.filter(isBroken);
  const unrooted = broken.map(({ seal_seq }) =>
    toFinding(
      problem('SEAL_BROKEN', { world_slug, seal_seq, why: 'does not hold the root of what it says and of its hashes' }),
      {
        attempt_id,
        seal_seq,
      },
    ),
  );
  const breach = findBreach(
    seals.flatMap(({ leaf_hashes }) => splitHashes(leaf_hashes)),
    entries,
  );
  return {
    entries: entries.length,
    findings: [
      ...unrooted,
      ...(breach === undefined ? [] : [ofBreach(attempt_id, breach)]),
      ...checkContents(attempt_id, entries, contents),
    ],
  };
}

function isBroken(seal: SealRow): boolean {
  const hashes = splitHashes(seal.leaf_hashes);
  const said = sealStatement({ ...seal, entries: hashes.length });
  return toHex(sealRoot(said, rootOf(hashes))) !== said.root;
}

const CODES = {
  altered: 'ENTRY_ALTERED',
  removed: 'ENTRY_REMOVED',
  inserted: 'ENTRY_INSERTED',
  reordered: 'ENTRIES_REORDERED',
  cut_off: 'LEDGER_CUT_OFF',
} as const satisfies Readonly<Record<Breach['kind'], string>>;

function ofBreach(attempt_id: string, { kind, entry, after }: Breach): Finding {
  const facts: NamedEntry = {
    attempt_id,
    entry: entry === undefined ? 'nothing' : nameOf(entry),
    after: after === undefined ? null : nameOf(after),
  };
  return toFinding(problem(CODES[kind], facts), { attempt_id, entry: entry ?? after });
}

/** Names an entry for a person. */
export function nameOf({ event_type, entry_id, wo_id, details }: LedgerEntry): string {
  const key = details['command_key'] ?? wo_id;
  return `${event_type} ${entry_id}${typeof key === 'string' ? ` (${key})` : ''}`;
}

/** Each prompt, the origins of its pieces, each offered schema and request is what its hash was made of. */
function checkContents(
  attempt_id: string,
  entries: readonly LedgerEntry[],
  { prompts, generations, requests }: SealedContents,
): readonly Finding[] {
  const conversations = groupBy(prompts, ({ conversation }) => conversation);
  const prefixes = new Map([...conversations].map(([name, messages]) => [name, listPrefixes(messages)]));
  const isAsked = (call: Pick<(typeof requests)[number], 'source_hash' | 'request_hash'>, request: Json): boolean =>
    hashOfStored({ source: call.source_hash, request }) === call.request_hash;
  const alteredOf = (call: (typeof generations)[number]): 'prompt' | 'origins' | 'schema' | undefined => {
    const { conversation, message_count, prefix_hash, pieces_hash, output_schema_hash, schema_delivery } = call;
    const own = withoutRun(conversation);
    const request = { conversation: own, message_count, prefix_hash, output_schema_hash, schema_delivery };
    if (prefixes.get(conversation)?.[message_count] !== prefix_hash || !isAsked(call, request)) return 'prompt';
    const sent = (conversations.get(conversation) ?? []).slice(0, message_count);
    if (pieces_hash !== null && hashPieceOrigins(sent.map(({ pieces }) => pieces)) !== pieces_hash) return 'origins';
    return call.is_offer_whole ? undefined : 'schema';
  };
  const altered = [
    ...generations.flatMap((call) => {
      const of = alteredOf(call);
      return of === undefined ? [] : [{ call, of }];
    }),
    ...requests.flatMap((call) => (isAsked(call, call.request_json) ? [] : [{ call, of: 'request' as const }])),
  ];
  return altered.flatMap(({ call: { source_invocation_id }, of }) => {
    const entry = entries.find(({ details }) => details['source_invocation_id'] === source_invocation_id);
    if (entry === undefined) return [];
    return [toFinding(problem('CONTENT_ALTERED', { attempt_id, entry: nameOf(entry), of }), { attempt_id, entry })];
  });
}

function toFinding(
  { code, message, repair }: Problem,
  place: { readonly attempt_id?: string; readonly seal_seq?: number; readonly entry?: LedgerEntry | undefined } = {},
): Finding {
  const { entry } = place;
  const call = entry?.details['source_invocation_id'];
  return {
    code,
    message,
    repair,
    attempt_id: place.attempt_id ?? null,
    seal_seq: place.seal_seq ?? null,
    entry_id: entry?.entry_id ?? null,
    event_type: entry?.event_type ?? null,
    wo_id: entry?.wo_id ?? null,
    source_invocation_id: typeof call === 'string' ? call : null,
  };
}
