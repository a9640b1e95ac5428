import { present } from '../../contract/present.js';
import { unreachable } from '../../contract/unreachable.js';
import { backoffMs } from '../../core/inbox/backoff.js';
import type { Claimed } from '../../ports/claim.js';
import { Overtaken } from '../overtaken.js';
import type { AttemptEnd, AttemptRequest } from '../attempt-request.js';
import type { Continued } from './worker-event.js';
import type { DriveEnd, WorkerParts } from './worker-parts.js';

/** A world with work: a turn that a message asks for, or an attempt to resume. */
export interface Job {
  readonly world_slug: string;
  /** Left out for an attempt that has lost its driver. */
  readonly claimed?: Claimed;
}

/** Whether a world is worth looking at again soon. `broke`: not here, for a while. */
export type JobEnd =
  | {
      readonly kind: 'done';
      /** The message that the commit reserved for this worker: in this world or another. */
      readonly next?: Claimed;
    }
  | { readonly kind: 'deferred' | 'broke' };

interface JobSurroundings {
  /** How often the job was deferred before. */
  readonly tries: number;
  /** Aborted when another worker is to take over. */
  readonly leave: AbortSignal;
  /** Whether the commit reserves something else for this worker. */
  readonly goesOn: NonNullable<AttemptRequest['goesOn']>;
}

const DEFER = { first_ms: 500, most_ms: 60_000 };

/**
 * Does one job to its end and notifies watchers.
 * @throws every error of a lost database
 */
export async function doJob(parts: WorkerParts, job: Job, surroundings: JobSurroundings): Promise<JobEnd> {
  const { tries, leave, goesOn } = surroundings;
  const { world_slug, claimed } = job;
  try {
    const end = await parts.drive({
      world_slug,
      leave,
      goesOn,
      onProgress: reportBeginning(parts, job),
      ...toAsked(claimed),
    });
    const obstacle = end.kind === 'unfit' ? end : findObstacle(end, job);
    if (obstacle !== undefined) return await putOff(parts, job, tries, obstacle);
    if (end.kind !== 'unfit') reportEnd(parts, job, end);
    return end.kind === 'committed' && end.next !== undefined ? { kind: 'done', next: end.next } : { kind: 'done' };
  } catch (error) {
    if (parts.findFault(error) !== undefined) throw error;
    parts.onEvent(
      error instanceof Overtaken ? { kind: 'overtaken', world_slug } : { kind: 'driver_broke', world_slug, error },
    );
    return { kind: error instanceof Overtaken ? 'done' : 'broke' };
  }
}

/** A turn is begun; every other message resumes an open attempt. */
function toAsked(claimed: Claimed | undefined) {
  if (claimed?.message_type !== 'turn') return { continues_only: true };
  const { inbox_id, waited_ms } = claimed;
  return { inbox_id, waited_ms };
}

function reportBeginning(
  parts: WorkerParts,
  { world_slug, claimed }: Job,
): Parameters<WorkerParts['drive']>[0]['onProgress'] {
  return (progress) => {
    if (progress.kind !== 'attempt_began') return;
    const { attempt_id, attempted_turn, continued, adopts } = progress;
    const turn = { world_slug, attempt_id, attempted_turn };
    parts.onEvent(
      continued === undefined
        ? { kind: 'turn_began', ...turn, ...present({ adopts }) }
        : { kind: 'turn_continued', ...turn, why: toContinued(claimed), ...continued },
    );
  };
}

function toContinued(claimed: Claimed | undefined): Continued {
  if (claimed === undefined) return 'undriven';
  return claimed.message_type === 'turn' ? 'queued' : claimed.message_type;
}

/** The reason why a job cannot be done now, or ever. */
type Obstacle = Pick<Extract<DriveEnd, { kind: 'unfit' }>, 'reason' | 'is_final'>;

function findObstacle(end: AttemptEnd, { world_slug, claimed }: Job): Obstacle | undefined {
  if (claimed === undefined) return undefined;
  if (end.kind === 'held')
    return {
      reason: `process ${end.holder.pid} on ${end.holder.host} drives attempt ${end.attempt_id}`,
      is_final: false,
    };
  if (claimed.message_type !== 'turn') return undefined;
  if (end.kind === 'still_suspended')
    return { reason: `attempt ${end.attempt_id} is suspended until it is answered`, is_final: false };
  if (end.kind === 'in_doubt') return { reason: toDoubtful(end), is_final: false };
  if (end.kind === 'not_adoptable') return { reason: toUnadoptable(world_slug, end), is_final: false };
  return undefined;
}

/** A report settles a doubt wherever the database is: through `serve` as well, which keeps other commands out of a folder. */
function toDoubtful({ command_key, attempt_id, source_invocation_id }: Extract<AttemptEnd, { kind: 'in_doubt' }>) {
  const report = `chukwa report ${source_invocation_id}`;
  return `call ${command_key} of attempt ${attempt_id} is in doubt; if it took place, ${report} --result FILE, if not, ${report} --failed REASON`;
}

function toUnadoptable(world_slug: string, end: Extract<AttemptEnd, { kind: 'not_adoptable' }>): string {
  return `nothing is begun after attempt ${end.attempt_id}, ${end.reason}; to start over all the same: chukwa run ${world_slug} --anew`;
}

async function putOff(
  parts: WorkerParts,
  { world_slug, claimed }: Job,
  tries: number,
  { reason, is_final }: Obstacle,
): Promise<JobEnd> {
  if (is_final && claimed !== undefined) {
    await parts.inbox.discard(claimed, reason);
    parts.onEvent({ kind: 'turn_discarded', world_slug, reason });
    return { kind: 'done' };
  }
  const delay_ms = backoffMs(DEFER, claimed?.retry_count ?? tries, parts.jitter());
  if (claimed !== undefined) await parts.inbox.defer(claimed, { reason, delay_ms });
  parts.onEvent({ kind: 'turn_deferred', world_slug, reason, delay_ms });
  return { kind: 'deferred' };
}

function reportEnd(parts: WorkerParts, { world_slug, claimed }: Job, end: AttemptEnd): void {
  switch (end.kind) {
    case 'committed':
    case 'suspended':
    case 'handed_over': {
      const { attempt_id, attempted_turn } = end;
      if (end.kind === 'handed_over') parts.doorbell.ring(world_slug);
      return parts.onEvent({ kind: `turn_${end.kind}`, world_slug, attempt_id, attempted_turn });
    }
    case 'failed': {
      const { kind: _failed, ...failed } = end;
      const is_used_up = claimed?.message_type === 'turn' && failed.put_off === undefined ? true : undefined;
      return parts.onEvent({ kind: 'turn_failed', world_slug, ...failed, ...present({ is_used_up }) });
    }
    case 'held':
    case 'still_suspended':
    case 'in_doubt':
    case 'not_adoptable':
    case 'not_asked_for':
    case 'unknown_world':
      // Another worker was faster, or has done it.
      return;
    default:
      return unreachable(end);
  }
}
