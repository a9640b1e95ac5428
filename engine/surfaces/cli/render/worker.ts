import type { WorkerEvent } from '../../../operations/run-worker.js';
import { unreachable } from '../../../contract/unreachable.js';
import { accent, hanging, type Line, line, verbatim } from './line.js';
import { count, toDuration } from './words.js';

export function toSentence(event: WorkerEvent): string {
  switch (event.kind) {
    case 'turn_began':
      return `${event.world_slug}: turn ${event.attempted_turn} began${toAdopted(event)} (attempt ${event.attempt_id})`;
    case 'turn_continued':
      return `${event.world_slug}: turn ${event.attempted_turn} continues, ${WHY[event.why]}; ${toRecords(event)} (attempt ${event.attempt_id})`;
    case 'turn_committed':
      return `${event.world_slug}: turn ${event.attempted_turn} committed (attempt ${event.attempt_id})`;
    case 'turn_suspended':
      return `${event.world_slug}: turn ${event.attempted_turn} is suspended until it is answered (attempt ${event.attempt_id})`;
    case 'timed_out':
      return `${count(event.calls, 'call')} ran out of time`;
    case 'turn_handed_over':
      return `${event.world_slug}: turn ${event.attempted_turn} handed over, for another worker to continue (attempt ${event.attempt_id})`;
    case 'turn_failed':
      return `${event.world_slug}: turn ${event.attempted_turn} failed, ${event.failure.failure_class}: ${event.failure.message} (attempt ${event.attempt_id})${toSettling(event)}${toPutOff(event)}`;
    case 'turn_deferred':
      return `${event.world_slug}: put off for ${toDuration(event.delay_ms)}, ${event.reason}`;
    case 'turn_discarded':
      return `${event.world_slug}: a queued turn was discarded, ${event.reason}`;
    case 'overtaken':
      return `${event.world_slug}: another driver has taken the world over; nothing was written here since`;
    case 'driver_broke':
      return `${event.world_slug}: the driver broke, ${toReason(event.error)}`;
    case 'tidied':
      return `tidied up: ${count(event.promoted, 'forgotten turn')}, ${count(event.consumed, 'late message')}`;
    case 'database_lost':
      return `the database is waited for: ${event.reason}`;
    case 'database_found':
      return 'the database answers again';
    case 'doorbell_lost':
      return `the doorbell is silent, ${event.reason}; looking every second all the same`;
    case 'doorbell_found':
      return 'the doorbell rings';
    case 'leaving':
      return `stopping: claiming nothing more, ${count(event.busy, 'attempt')} may run for ${toDuration(event.grace_ms)} more; ask again to leave at once`;
    case 'handing_over':
      return `handing over ${count(event.busy, 'attempt')}; calls with side effects are waited for`;
    default:
      return unreachable(event);
  }
}

/** While a side effect is in doubt, its world waits until a person settles it. */
function toSettling({ failure, attempt_id }: Extract<WorkerEvent, { kind: 'turn_failed' }>): string {
  if (failure.is_in_doubt !== true) return '';
  return `; find out whether its side effect took place, and settle it: chukwa attempt settle ${attempt_id} --result FILE if it did, --not-performed if not`;
}

function toAdopted({ adopts }: Extract<WorkerEvent, { kind: 'turn_began' }>): string {
  return adopts === undefined ? '' : `, with ${count(adopts.calls, 'call')} adopted from attempt ${adopts.attempt_id}`;
}

/** A turn that waits until a call is settled has no time at which it is tried again. */
function toPutOff({ put_off, failure }: Extract<WorkerEvent, { kind: 'turn_failed' }>): string {
  return put_off === undefined || failure.is_in_doubt === true
    ? ''
    : `; tried again in ${toDuration(put_off.delay_ms)}, retry ${put_off.retry}`;
}

const WHY: Readonly<Record<Extract<WorkerEvent, { kind: 'turn_continued' }>['why'], string>> = {
  undriven: 'because its driver is gone or has handed it over',
  queued: 'because it was left open or settled',
  tool_result: 'because it was answered',
  timeout: 'because its time has run out',
  stop: 'because it is to stop',
  ui_action: 'because somebody has acted',
};

function toRecords({ answered, interrupted }: { readonly answered: number; readonly interrupted: number }): string {
  const records = `${count(answered, 'call')} from the record`;
  return interrupted === 0 ? records : `${records}, ${interrupted} interrupted`;
}

/** The attempts that a worker drives as it ends at once. */
export function leftLines(attempt_ids: readonly string[]): readonly Line[] {
  if (attempt_ids.length === 0) return [line('Left at once. No attempt was under way.')];
  return [
    hanging(2, 'Left at once. These attempts were under way; their calls with side effects are in doubt:'),
    ...attempt_ids.map((attempt_id) => verbatim('  ', accent(`npx chukwa attempt ${attempt_id}`))),
  ];
}

/** The same for programs: an error is shown by its message. */
export function toWorkerJson(event: WorkerEvent): Pick<WorkerEvent, 'kind'> & { readonly error?: unknown } {
  return event.kind === 'driver_broke' ? { ...event, error: toReason(event.error) } : event;
}

function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
