import type { ProblemCode } from '../../contract/problems/index.js';
import { backoffMs } from '../../core/inbox/backoff.js';

/** The reason why statements fail, how often they have, and when to try again. */
export interface Trouble {
  readonly reason: string;
  readonly times: number;
  readonly until: number;
  /** A job could not write, though the database may be read: only a job that ends shows that it can be written again. */
  readonly is_of_job: boolean;
}

interface Fault {
  readonly code: ProblemCode;
  readonly reason: string;
  /** Whether it was a job's statement that failed. */
  readonly is_of_job: boolean;
}

const OF_LOOK = { first_ms: 500, most_ms: 15_000 };
/** A job that is resumed may ask a model again. */
const OF_JOB = { first_ms: 1_000, most_ms: 60_000 };

/** Faults that say nothing about whether the database can be written. */
const BROKEN_OFF: readonly ProblemCode[] = ['DATABASE_UNREACHABLE', 'DATABASE_BUSY'];

/**
 * Whether a look without a fault ends the trouble. A fault of a job ends with the next job; or when nothing has failed for as
 * long as the longest wait, since another worker may have done the job.
 */
export function isOver({ is_of_job, until }: Trouble, now: number): boolean {
  return !is_of_job || now - until > OF_JOB.most_ms;
}

/** The trouble after one more fault; those that fail together are one. */
export function worsen(before: Trouble | undefined, fault: Fault, now: number, jitter: number): Trouble {
  const { code, reason } = fault;
  const is_of_job = before?.is_of_job === true || (fault.is_of_job && !BROKEN_OFF.includes(code));
  if (before !== undefined && now < before.until) return { ...before, reason, is_of_job };
  const times = (before?.times ?? 0) + 1;
  const wait_ms = backoffMs(fault.is_of_job ? OF_JOB : OF_LOOK, times - 1, jitter);
  return { reason, times, until: now + wait_ms, is_of_job };
}
