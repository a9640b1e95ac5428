import { type Outcome, refuse, succeed } from '../../contract/problem.js';
import type { Json } from '../../contract/json.js';
import type { CallsPart, ListPart } from '../../ports/browse.js';
import type { AttemptRecord, AttemptSummary, InvocationSummary, TimelineRecord } from '../../ports/records.js';
import type { AgentTurnSummary } from '../../core/agents/agent-turn.js';
import { seenDetails, type StreamReader } from '../../core/stream/seen-details.js';
import type { Archive } from '../engine.js';
import { type Costing, readCost } from '../costs/read-cost.js';
import { attemptUnknown } from './records.js';
import { findCursorProblem } from './list-part.js';

/** How many calls one part of an attempt's page shows; its other parts, and the list of its calls, have the others. */
const CALLS_SHOWN = 500;
/** How many calls that are open, have failed or are in doubt the page shows beside them. */
const URGENT_SHOWN = 100;

/** An attempt as its page shows it: at most 500 of its calls, with their events. */
export interface AttemptPage extends AttemptRecord, Costing {
  /** When an open attempt was read; null once it has ended. */
  readonly read_at: string | null;
  /** The calls after the call of this number are shown; null for the first. */
  readonly calls_after: number | null;
  /** The number of the last call that is shown, where there are more: the next part begins after it. */
  readonly more_calls_after: number | null;
  /** The calls of the whole attempt that are open, have failed or are in doubt, the most urgent first; at most 100. */
  readonly unfinished: readonly InvocationSummary[];
  /** Whether there are more of them: the list of calls has them all. */
  readonly has_more_unfinished: boolean;
  /** Whether the audit has more entries: at most 500 are shown. */
  readonly has_more_audit: boolean;
  /** The latest attempt at the same turn that began before it; null where it is the first. */
  readonly attempt_before: string | null;
}

interface AskedAttempt {
  readonly attempt_id: string;
  /** Only operators see who drove it, and where. */
  readonly reader: StreamReader;
  /** The number of the call after which the shown ones begin. */
  readonly after?: string;
}

/** An attempt with one part of its calls. */
export async function browseAttempt(archive: Archive, asked: AskedAttempt): Promise<Outcome<AttemptPage>> {
  const { store } = archive;
  const { attempt_id, reader, after } = asked;
  const wrong = findCursorProblem('number', after);
  if (wrong !== undefined) return refuse(wrong);
  const record = await store.records.attempt(attempt_id, CALLS_SHOWN + 1);
  if (record === undefined) return refuse(attemptUnknown(attempt_id));
  const part = { after: after ?? '0', limit: CALLS_SHOWN + 1 };
  const read = after === undefined ? record.invocations : ((await store.browse.calls(attempt_id, part)) ?? []);
  const invocations = read.slice(0, CALLS_SHOWN);
  const more_calls_after = read.length > CALLS_SHOWN ? (invocations.at(-1)?.invocation_seq ?? null) : null;
  const urgent = await store.browse.calls(attempt_id, { limit: URGENT_SHOWN + 1, only: 'urgent' });
  const unfinished = urgent?.slice(0, URGENT_SHOWN) ?? [];
  const calls_after = after === undefined ? null : Number(after);
  const seen = <Entry extends { readonly details: Json }>(entry: Entry): Entry => {
    return { ...entry, details: seenDetails(entry.details, reader) };
  };
  return succeed({
    ...record,
    approvals: reader === 'operator' ? record.approvals : [],
    invocations,
    timeline: eventsOf(record, { invocations, unfinished, next: read[CALLS_SHOWN], calls_after }).map(seen),
    audit: record.audit.slice(0, CALLS_SHOWN).map(seen),
    cost: await readCost(archive, { of: 'attempt', world_slug: record.world_slug, attempt_id }),
    read_at: record.ended_at === null ? new Date().toISOString() : null,
    calls_after,
    more_calls_after,
    unfinished,
    has_more_unfinished: (urgent?.length ?? 0) > URGENT_SHOWN,
    has_more_audit: record.audit.length > CALLS_SHOWN,
    attempt_before: (await findAttemptBefore(store, record)) ?? null,
  });
}

interface ShownCalls extends Pick<AttemptPage, 'invocations' | 'unfinished' | 'calls_after'> {
  /** The first call of the next part. */
  readonly next: InvocationSummary | undefined;
}

/** The events of these calls, and those of no call from their first one to the next part. */
function eventsOf({ timeline }: AttemptRecord, { invocations, unfinished, next, calls_after }: ShownCalls) {
  const idsOf = (calls: readonly InvocationSummary[]) => new Set(calls.map((call) => call.source_invocation_id));
  const [shown, urgent] = [idsOf(invocations), idsOf(unfinished)];
  const isShown = ({ source_invocation_id: id }: TimelineRecord): boolean => shown.has(id ?? '');
  const first = (calls_after ?? 0) === 0 ? 0 : timeline.findIndex(isShown);
  // Adopted calls come first, and have no events in this attempt.
  const isNext = ({ source_invocation_id: id }: TimelineRecord): boolean =>
    id !== null && (id === next?.source_invocation_id || (next?.adopted_from ?? null) !== null);
  const end = timeline.findIndex(isNext);
  return timeline.filter(
    (event, index) =>
      isShown(event) ||
      urgent.has(event.source_invocation_id ?? '') ||
      (event.source_invocation_id === null && 0 <= first && first <= index && (end < 0 || index < end)),
  );
}

/** A part of the agent turns of an attempt, in the order in which they began. */
export async function listAgentTurnsPart(
  { store }: Archive,
  attempt_id: string,
  { after, limit }: ListPart,
): Promise<Outcome<readonly AgentTurnSummary[]>> {
  const attempt = await store.records.attempt(attempt_id, 1);
  if (attempt === undefined) return refuse(attemptUnknown(attempt_id));
  const turns = attempt.agent_turns;
  const first = after === undefined ? 0 : turns.findIndex(({ agent_turn_id }) => agent_turn_id === after) + 1;
  return succeed(turns.slice(first, first + limit));
}

/** How many attempts at one turn are looked through for the one before. */
const ATTEMPTS_SEEN = 50;

/** Finds the latest attempt at the turn of another one that began before it, among the latest 50. */
export async function findAttemptBefore(
  store: Archive['store'],
  { world_slug, attempted_turn, attempt_id }: AttemptSummary,
): Promise<string | undefined> {
  const attempts = await store.browse.attemptsAtTurn({ world_slug, turn: attempted_turn, limit: ATTEMPTS_SEEN });
  return attempts.find((earlier) => earlier.attempt_id < attempt_id)?.attempt_id;
}

/** A part of the calls of an attempt, in the order of their issue. */
export async function listCallsPart(
  { store }: Archive,
  attempt_id: string,
  part: CallsPart,
): Promise<Outcome<readonly InvocationSummary[]>> {
  const calls = await store.browse.calls(attempt_id, part);
  return calls === undefined ? refuse(attemptUnknown(attempt_id)) : succeed(calls);
}
