import { type Outcome, refuse, succeed } from '../../contract/problem.js';
import { pick } from '../../contract/pick.js';
import { sha256 } from '../../core/content/sha256.js';
import { pairByName } from '../../core/content/pair-by-name.js';
import type { AttemptSummary, InvocationSummary, PatchRecord } from '../../ports/records.js';
import type { Archive } from '../engine.js';
import { attemptUnknown } from './records.js';
import { findAttemptBefore } from './attempts.js';

/** The difference between a call, or a patch, of two attempts. */
export type Comparison = 'only_before' | 'only_after' | 'adopted' | 'asked_otherwise' | 'answered_otherwise' | 'same';

/** One command, as two attempts performed it: its latest performance in each. */
export interface ComparedCall {
  readonly command_key: string;
  readonly comparison: Comparison;
  readonly before: InvocationSummary | null;
  readonly after: InvocationSummary | null;
}

/** The patch of one subject in two attempts. */
export interface ComparedPatch {
  readonly workflow_subject_entity_id: string;
  readonly comparison: Comparison;
  readonly before: PatchRecord | null;
  readonly after: PatchRecord | null;
}

export interface AttemptComparison extends Pick<AttemptSummary, 'attempt_id' | 'world_slug' | 'attempted_turn'> {
  /** Null where there is no other attempt. */
  readonly before: AttemptSummary | null;
  readonly after: AttemptSummary;
  /** At most 500, in the order of the first attempt: those that are alike are left out before those that differ. */
  readonly calls: readonly ComparedCall[];
  /** How many calls there are of each comparison. */
  readonly counts: Readonly<Record<Comparison, number>>;
  readonly patches: readonly ComparedPatch[];
}

/** Compares an attempt with the named one, else the one that it adopts from, else the one before it at its turn. */
export async function compareAttempts(
  archive: Archive,
  asked: { readonly attempt_id: string; readonly other?: string },
): Promise<Outcome<AttemptComparison>> {
  const { attempt_id } = asked;
  const after = await archive.store.records.attempt(attempt_id, 1);
  if (after === undefined) return refuse(attemptUnknown(attempt_id));
  const other = asked.other ?? after.adopts ?? (await findAttemptBefore(archive.store, after));
  const before = other === undefined ? undefined : await archive.store.records.attempt(other, 1);
  if (other !== undefined && before === undefined) return refuse(attemptUnknown(other.slice(0, 80)));
  const { world_slug, attempted_turn } = after;
  const place = { attempt_id: after.attempt_id, world_slug, attempted_turn, after: pick(after, SUMMARY_MEMBERS) };
  if (before === undefined) return succeed({ ...place, before: null, calls: [], counts: countAll([]), patches: [] });
  return succeed({
    ...place,
    before: pick(before, SUMMARY_MEMBERS),
    ...(await compareCalls(archive, before.attempt_id, after.attempt_id)),
    patches: comparePatches(before.patches, after.patches),
  });
}

const SUMMARY_MEMBERS: readonly (keyof AttemptSummary)[] = [
  'attempt_id',
  'world_slug',
  'attempted_turn',
  'status',
  'failure_class',
  'failure_message',
  'failed_subject_entity_id',
  'failed_node_id',
  'failed_source_invocation_id',
  'source_invocation_count',
  'calls_in_doubt',
  'is_driven',
  'started_at',
  'ended_at',
];

/** How many calls are read at once, and how many are given. */
const CALLS_READ = 500;

/** The compared parts of a call. Its answer is compared by hash, so that attempts of any size can be compared whole. */
interface Digest extends Pick<InvocationSummary, 'command_key' | 'source_invocation_id' | 'request_hash'> {
  readonly answer_hash: string;
}

async function compareCalls({ store }: Archive, before: string, after: string) {
  const read = async (attempt_id: string): Promise<readonly Digest[]> => {
    const digests: Digest[] = [];
    for (let last = 0, isMore = true; isMore; ) {
      const part = { after: String(last), limit: CALLS_READ };
      const calls = (await store.browse.calls(attempt_id, part)) ?? [];
      digests.push(...calls.map(toDigest));
      last = calls.at(-1)?.invocation_seq ?? last;
      isMore = calls.length === CALLS_READ;
    }
    return digests;
  };
  const compared = compareByName(await read(before), await read(after), ({ command_key }) => command_key, compareCall);
  const isAlike = ({ comparison }: { readonly comparison: Comparison }): boolean =>
    comparison === 'same' || comparison === 'adopted';
  const first = new Set([...compared.filter((one) => !isAlike(one)), ...compared.filter(isAlike)].slice(0, CALLS_READ));
  const shown = compared.filter((one) => first.has(one));
  const find = async (attempt_id: string, digests: readonly (Digest | null)[]) => {
    const only = digests.flatMap((digest) => digest?.source_invocation_id ?? []);
    const calls = (await store.browse.calls(attempt_id, { limit: CALLS_READ, only })) ?? [];
    return new Map(calls.map((call) => [call.source_invocation_id, call]));
  };
  const one = await find(
    before,
    shown.map((pair) => pair.before),
  );
  const other = await find(
    after,
    shown.map((pair) => pair.after),
  );
  const calls = shown.map(
    ({ name, comparison, ...pair }): ComparedCall => ({
      command_key: name,
      comparison,
      before: one.get(pair.before?.source_invocation_id ?? '') ?? null,
      after: other.get(pair.after?.source_invocation_id ?? '') ?? null,
    }),
  );
  return { calls, counts: countAll(compared) };
}

function countAll(compared: readonly { readonly comparison: Comparison }[]): AttemptComparison['counts'] {
  const countOf = (wanted: Comparison): number => compared.filter(({ comparison }) => comparison === wanted).length;
  return {
    only_before: countOf('only_before'),
    only_after: countOf('only_after'),
    adopted: countOf('adopted'),
    asked_otherwise: countOf('asked_otherwise'),
    answered_otherwise: countOf('answered_otherwise'),
    same: countOf('same'),
  };
}

/** In the order of the first attempt; names that only the other has come last. */
function compareByName<Item>(
  before: readonly Item[],
  after: readonly Item[],
  nameOf: (item: Item) => string,
  compare: (before: Item, after: Item) => Comparison,
) {
  return pairByName(after, before, nameOf).map(([name, other, one]) => ({
    name,
    comparison: one === undefined ? 'only_after' : other === undefined ? 'only_before' : compare(one, other),
    before: one ?? null,
    after: other ?? null,
  }));
}

function toDigest(call: InvocationSummary): Digest {
  const { command_key, source_invocation_id, request_hash, status, failure_class, failure_detail, response_json } =
    call;
  const answer_hash = sha256(JSON.stringify([status, failure_class, failure_detail, response_json]));
  return { command_key, source_invocation_id, request_hash, answer_hash };
}

function compareCall(before: Digest, after: Digest): Comparison {
  if (before.source_invocation_id === after.source_invocation_id) return 'adopted';
  if (before.request_hash !== after.request_hash) return 'asked_otherwise';
  return before.answer_hash === after.answer_hash ? 'same' : 'answered_otherwise';
}

function comparePatches(before: readonly PatchRecord[], after: readonly PatchRecord[]): readonly ComparedPatch[] {
  // What an author has a subject remember is a patch beside its own, which is the one with a narration.
  const listOwn = (patches: readonly PatchRecord[]) => patches.filter(({ narration }) => narration !== '');
  const nameOf = (patch: PatchRecord): string => patch.workflow_subject_entity_id;
  const compared = compareByName(listOwn(before), listOwn(after), nameOf, comparePatch);
  return compared.map(({ name, ...pair }) => ({ workflow_subject_entity_id: name, ...pair }));
}

function comparePatch(before: PatchRecord, after: PatchRecord): Comparison {
  const said = ({ narration, effects }: PatchRecord): string => JSON.stringify([narration, effects]);
  return said(before) === said(after) ? 'same' : 'answered_otherwise';
}
