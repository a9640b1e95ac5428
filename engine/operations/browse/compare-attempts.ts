import { pick } from '../../contract/pick.js';
import { pairByName } from '../../core/content/pair-by-name.js';
import type { AttemptSummary, InvocationSummary, PatchRecord } from '../../ports/records.js';
import { type Archive, type Done, refuse, succeed } from '../engine.js';
import { attemptUnknown } from '../records.js';
import { CALLS_SHOWN, findAttemptBefore } from './attempts.js';

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
  /** Of the first 500 calls of each. */
  readonly calls: readonly ComparedCall[];
  readonly patches: readonly ComparedPatch[];
}

/** Compares an attempt with the named one, else the one that it adopts from, else the one before it at its turn. */
export async function compareAttempts(
  archive: Archive,
  asked: { readonly attempt_id: string; readonly other?: string },
): Promise<Done<AttemptComparison>> {
  const { attempt_id } = asked;
  const after = await archive.store.records.attempt(attempt_id, CALLS_SHOWN);
  if (after === undefined) return refuse(attemptUnknown(attempt_id));
  const other = asked.other ?? after.adopts ?? (await findAttemptBefore(archive.store, after));
  const before = other === undefined ? undefined : await archive.store.records.attempt(other, CALLS_SHOWN);
  if (other !== undefined && before === undefined) return refuse(attemptUnknown(other.slice(0, 80)));
  const { world_slug, attempted_turn } = after;
  const place = { attempt_id: after.attempt_id, world_slug, attempted_turn, after: pick(after, SUMMARY_MEMBERS) };
  if (before === undefined) return succeed({ ...place, before: null, calls: [], patches: [] });
  return succeed({
    ...place,
    before: pick(before, SUMMARY_MEMBERS),
    calls: compareCalls(before.invocations, after.invocations),
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

function compareCalls(
  before: readonly InvocationSummary[],
  after: readonly InvocationSummary[],
): readonly ComparedCall[] {
  const compared = compareByName(before, after, ({ command_key }) => command_key, compareCall);
  return compared.map(({ name, ...pair }) => ({ command_key: name, ...pair }));
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

function compareCall(before: InvocationSummary, after: InvocationSummary): Comparison {
  if (before.source_invocation_id === after.source_invocation_id) return 'adopted';
  if (before.request_hash !== after.request_hash) return 'asked_otherwise';
  return answerOf(before) === answerOf(after) ? 'same' : 'answered_otherwise';
}

function answerOf({ status, failure_class, failure_detail, response_json }: InvocationSummary): string {
  return JSON.stringify([status, failure_class, failure_detail, response_json]);
}

function comparePatches(before: readonly PatchRecord[], after: readonly PatchRecord[]): readonly ComparedPatch[] {
  const compared = compareByName(before, after, (patch) => patch.workflow_subject_entity_id, comparePatch);
  return compared.map(({ name, ...pair }) => ({ workflow_subject_entity_id: name, ...pair }));
}

function comparePatch(before: PatchRecord, after: PatchRecord): Comparison {
  const said = ({ narration, effects }: PatchRecord): string => JSON.stringify([narration, effects]);
  return said(before) === said(after) ? 'same' : 'answered_otherwise';
}
