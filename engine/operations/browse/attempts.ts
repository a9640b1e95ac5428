import type { Json } from '../../contract/json.js';
import type { ListPart } from '../../ports/browse.js';
import type { AttemptRecord, AttemptSummary, InvocationSummary } from '../../ports/records.js';
import type { AgentTurnSummary } from '../../core/agents/agent-turn.js';
import { seenDetails, type StreamReader } from '../../core/stream/seen-details.js';
import { type Archive, type Done, refuse, succeed } from '../engine.js';
import { attemptUnknown } from '../records.js';

/** How many calls the page of an attempt shows; the list of its calls has them all. */
export const CALLS_SHOWN = 500;

/** An attempt as its page shows it: at most 500 of its calls, with their events. */
export interface AttemptPage extends AttemptRecord {
  /** When an open attempt was read; null once it has ended. */
  readonly read_at: string | null;
  /** The number of the last call that is shown, where there are more: the list of calls continues after it. */
  readonly more_calls_after: number | null;
  /** The latest attempt at the same turn that began before it; null where it is the first. */
  readonly attempt_before: string | null;
}

/**
 * An attempt with its first calls.
 * @param asked only operators see who drove it, and where
 */
export async function browseAttempt(
  { store }: Archive,
  { attempt_id, reader }: { readonly attempt_id: string; readonly reader: StreamReader },
): Promise<Done<AttemptPage>> {
  const record = await store.records.attempt(attempt_id, CALLS_SHOWN + 1);
  if (record === undefined) return refuse(attemptUnknown(attempt_id));
  const invocations = record.invocations.slice(0, CALLS_SHOWN);
  const last = record.invocations.length > CALLS_SHOWN ? invocations.at(-1) : undefined;
  const seen = <Entry extends { readonly details: Json }>(entry: Entry): Entry => {
    return { ...entry, details: seenDetails(entry.details, reader) };
  };
  const attempt_before = (await findAttemptBefore(store, record)) ?? null;
  return succeed({
    ...record,
    invocations,
    audit: record.audit.map(seen),
    timeline: record.timeline.map(seen),
    read_at: record.ended_at === null ? new Date().toISOString() : null,
    more_calls_after: last?.invocation_seq ?? null,
    attempt_before,
  });
}

/** A part of the agent turns of an attempt, in the order in which they began. */
export async function listAgentTurnsPart(
  { store }: Archive,
  attempt_id: string,
  { after, limit }: ListPart,
): Promise<Done<readonly AgentTurnSummary[]>> {
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
  const attempts = await store.browse.attemptsAtTurn(world_slug, attempted_turn, ATTEMPTS_SEEN);
  return attempts.find((earlier) => earlier.attempt_id < attempt_id)?.attempt_id;
}

/** A part of the calls of an attempt, in the order of their issue. */
export async function listCallsPart(
  { store }: Archive,
  attempt_id: string,
  part: ListPart,
): Promise<Done<readonly InvocationSummary[]>> {
  const calls = await store.browse.calls(attempt_id, part);
  return calls === undefined ? refuse(attemptUnknown(attempt_id)) : succeed(calls);
}
