import type { WorkerEvent } from '../../../operations/running/run-worker.js';
import { command, hanging, line, type Lines, verbatim } from './line.js';
import { count, toDuration } from '../../../catalogue/words.js';

type Of<Kind extends WorkerEvent['kind']> = Extract<WorkerEvent, { kind: Kind }>;

const SENTENCES: { readonly [Kind in WorkerEvent['kind']]: (event: Of<Kind>) => string } = {
  turn_began: (event) => `${toTurn(event)} began${toAdopted(event)} ${toAttempt(event)}`,
  turn_continued: (event) => `${toTurn(event)} continues, ${WHY[event.why]}; ${toRecords(event)} ${toAttempt(event)}`,
  turn_committed: (event) => `${toTurn(event)} committed ${toAttempt(event)}`,
  turn_suspended: (event) => `${toTurn(event)} is suspended until it is answered ${toAttempt(event)}`,
  timed_out: ({ calls }) => `${count(calls, 'call')} ran out of time`,
  turn_handed_over: (event) => `${toTurn(event)} handed over, for another worker to continue ${toAttempt(event)}`,
  turn_failed: (event) =>
    `${toTurn(event)} failed, ${event.failure.failure_class}: ${event.failure.message} ${toAttempt(event)}${toSettling(event)}${toPutOff(event)}`,
  turn_deferred: ({ world_slug, delay_ms, reason }) => `${world_slug}: deferred for ${toDuration(delay_ms)}, ${reason}`,
  turn_discarded: ({ world_slug, reason }) => `${world_slug}: a queued turn was discarded, ${reason}`,
  overtaken: ({ world_slug }) =>
    `${world_slug}: another driver has taken over the world; nothing was written here since`,
  driver_broke: ({ world_slug, error }) => `${world_slug}: the driver broke, ${toReason(error)}`,
  tidied: ({ promoted, consumed }) =>
    `tidied up: ${count(promoted, 'forgotten turn')}, ${count(consumed, 'late message')}`,
  database_lost: ({ reason }) => `waiting for the database: ${reason}`,
  database_found: () => 'the database answers again',
  doorbell_lost: ({ reason }) => `the doorbell does not work, ${reason}; polling every second instead`,
  doorbell_found: () => 'the doorbell works again',
  leaving: ({ busy, grace_ms }) =>
    `stopping: claiming nothing more, ${count(busy, 'attempt')} may run for ${toDuration(grace_ms)} more; ask again to leave at once`,
  handing_over: ({ busy }) => `handing over ${count(busy, 'attempt')} after calls with side effects have ended`,
};

/** The row accepts exactly the kind of event that it is found by, which the type of a union cannot say. */
export function toSentence(event: WorkerEvent): string {
  return (SENTENCES[event.kind] as (event: WorkerEvent) => string)(event);
}

function toTurn({ world_slug, attempted_turn }: Pick<Of<'turn_began'>, 'world_slug' | 'attempted_turn'>): string {
  return `${world_slug}: turn ${attempted_turn}`;
}

function toAttempt({ attempt_id }: { readonly attempt_id: string }): string {
  return `(attempt ${attempt_id})`;
}

/** While a side effect is in doubt, its world waits until a person settles it. */
function toSettling({ failure, attempt_id }: Of<'turn_failed'>): string {
  if (failure.is_in_doubt !== true) return '';
  return `; find out whether its side effect took place, and settle it: chukwa attempt settle ${attempt_id} --result FILE if it did, --not-performed if not`;
}

function toAdopted({ adopts }: Of<'turn_began'>): string {
  return adopts === undefined ? '' : `, with ${count(adopts.calls, 'call')} adopted from attempt ${adopts.attempt_id}`;
}

/** A turn that waits until a call is settled has no time at which it is tried again. */
function toPutOff({ put_off, failure, is_used_up }: Of<'turn_failed'>): string {
  if (is_used_up === true) return '; the queued turn is used up';
  return put_off === undefined || failure.is_in_doubt === true
    ? ''
    : `; tried again in ${toDuration(put_off.delay_ms)}, retry ${put_off.retry}`;
}

const WHY: Readonly<Record<Of<'turn_continued'>['why'], string>> = {
  undriven: 'because its driver is gone or handed it over',
  queued: 'because it was left open or settled',
  tool_result: 'because it was answered',
  timeout: 'because its time has run out',
  stop: 'because it was asked to stop',
  ui_action: 'because an operator has acted',
};

function toRecords({ answered, interrupted }: { readonly answered: number; readonly interrupted: number }): string {
  const records = `${count(answered, 'call')} from the record`;
  return interrupted === 0 ? records : `${records}, ${interrupted} interrupted`;
}

/** The attempts that a worker drives as it ends at once. */
export function leftLines(attempt_ids: readonly string[]): Lines {
  if (attempt_ids.length === 0) return [line('Left at once. No attempt was under way.')];
  return [
    hanging(2, 'Left at once. These attempts were under way; their calls with side effects are in doubt:'),
    attempt_ids.map((attempt_id) => verbatim('  ', command('attempt', attempt_id))),
  ];
}

/** The same for programs: an error is shown by its message. */
export function toWorkerJson(event: WorkerEvent): Pick<WorkerEvent, 'kind'> & { readonly error?: unknown } {
  return event.kind === 'driver_broke' ? { ...event, error: toReason(event.error) } : event;
}

function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
