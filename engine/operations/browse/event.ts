import { type Outcome, problem, refuse, succeed } from '../../contract/problem.js';
import { pick } from '../../contract/pick.js';
import { isUuid } from '../../core/content/uuid.js';
import type { InvocationRecord, TimelineRecord } from '../../ports/records.js';
import type { Archive } from '../engine.js';
import { showAttempt, showInvocation } from './records.js';

/** One entry of the timeline of an attempt, with the call that it is about. */
export interface EventRecord extends TimelineRecord {
  readonly event_id: string;
  readonly world_slug: string;
  readonly attempt_id: string;
  readonly attempted_turn: number;
  /** The events before and after it in the record of the attempt; null where there is none. */
  readonly event_before: string | null;
  readonly event_after: string | null;
  readonly call: Pick<InvocationRecord, (typeof OF_CALL)[number]> | null;
}

const OF_CALL = [
  'source_invocation_id',
  'command_key',
  'source_hash',
  'source_label',
  'workflow_hash',
  'llm_call_id',
] as const;

/** The id of an event: its attempt, and its place in the record of the attempt, from 1. */
export function toEventId(attempt_id: string, event_seq: number): string {
  return `${attempt_id}.${event_seq}`;
}

/** Finds an event by its id. @returns a refusal where there is none */
export async function showEvent(archive: Archive, event_id: string): Promise<Outcome<EventRecord>> {
  const [, attempt_id = '', seq] = /^(.*)\.(\d{1,9})$/.exec(event_id) ?? [];
  if (!isUuid(attempt_id)) return refuse(problem('EVENT_UNKNOWN', { id: event_id, is_whole: isUuid(attempt_id) }));
  const attempt = await showAttempt(archive, attempt_id);
  if (!attempt.ok) return refuse(problem('EVENT_UNKNOWN', { id: event_id, is_whole: isUuid(attempt_id) }));
  const { timeline, world_slug, attempted_turn } = attempt.value;
  const place = timeline.findIndex(({ event_seq }) => event_seq === Number(seq));
  const event = timeline[place];
  if (event === undefined) return refuse(problem('EVENT_UNKNOWN', { id: event_id, is_whole: isUuid(attempt_id) }));
  const idOf = (other: TimelineRecord | undefined): string | null =>
    other === undefined ? null : toEventId(attempt_id, other.event_seq);
  const { source_invocation_id } = event;
  const call = source_invocation_id === null ? undefined : await showInvocation(archive, source_invocation_id);
  return succeed({
    ...event,
    event_id,
    world_slug,
    attempt_id,
    attempted_turn,
    event_before: idOf(timeline[place - 1]),
    event_after: idOf(timeline[place + 1]),
    call: call?.ok === true ? pick(call.value, OF_CALL) : null,
  });
}
