import type { AttemptLease, Written } from '../../ports/attempts.js';
import { type HotStatement, prepare, run, type Runner, type Values } from '../statement.js';
import { DRAWN_EVENT_ID } from './event-numbers.js';

// A take-over locks the world's row FOR UPDATE before it raises the epoch. A driver's statement waits for that lock at
// its fence and then finds the epoch changed, so that none of its writes lands. Heartbeats change no key of the row and
// pass.

export const HOLDS = 'world_slug = :world_slug AND lease_epoch = :epoch AND lease_attempt_id = :attempt_id::uuid';

/**
 * Begins every statement of a driver: one row while the lease holds, none once it has been overtaken. The statement answers
 * with the rows of its fence.
 */
export const FENCE = `fence AS (SELECT world_slug FROM worlds WHERE ${HOLDS} FOR KEY SHARE)`;

/** The fence of a statement that writes calls or what streams in, with the number of their events. */
export const CALLS_FENCE = `fence AS (
    SELECT world_slug, ${DRAWN_EVENT_ID} FROM worlds WHERE ${HOLDS} FOR KEY SHARE)`;

/** The changes and conditions of the last fence beside giving the lease back. */
interface Releasing {
  readonly set: string;
  readonly where: string;
  /** Columns beside the world. */
  readonly returning?: readonly string[];
}

/** The fence of the last statement of an attempt, which gives the lease back. */
export function releasingFence(also: Releasing): string {
  return `fence AS (
    UPDATE worlds
    SET ${also.set} lease_attempt_id = NULL, lease_host = NULL, lease_pid = NULL, lease_until = NULL
    WHERE ${HOLDS} ${also.where}
    RETURNING ${['world_slug', ...(also.returning ?? [])].join(', ')})`;
}

/** When a lease ends that begins now, by the clock of the database: those of its clients need not agree. */
export function leaseEnd(parameter: string): string {
  return `clock_timestamp() + :${parameter}::int * interval '1 millisecond'`;
}

export async function runFenced(
  runner: Runner,
  statement: HotStatement,
  lease: AttemptLease,
  values: Values,
  slots?: readonly Values[],
): Promise<Written> {
  const row = await findHeld<FencedRow>(runner, statement, lease, values, slots);
  if (row === undefined) return 'overtaken';
  demandWhole(statement, row);
  return 'written';
}

/** Runs a fenced statement. @returns its row; undefined where the lease does not hold any more */
export async function findHeld<Row extends object>(
  runner: Runner,
  statement: HotStatement,
  { world_slug, epoch, attempt_id }: AttemptLease,
  values: Values,
  slots?: readonly Values[],
): Promise<Row | undefined> {
  const [held] = await run<Row>(runner, statement, { ...values, world_slug, epoch, attempt_id }, slots);
  return held;
}

export interface FencedRow {
  /** Whether all calls were found that the statement ends or that text streams into. */
  readonly is_whole?: boolean;
}

/** @throws Error where a statement has not found all calls that it writes of */
export function demandWhole({ name }: HotStatement, { is_whole }: FencedRow): void {
  if (is_whole === false)
    throw new Error(`${name} did not find all calls that it writes of: one does not run any more`);
}

const RENEW = prepare(
  'renew_lease',
  `UPDATE worlds SET lease_until = ${leaseEnd('lease_ms')} WHERE ${HOLDS} RETURNING world_slug`,
);

/** Lets a lease last so many milliseconds from now. */
export function renewLease(runner: Runner, lease: AttemptLease, lease_ms: number): Promise<Written> {
  return runFenced(runner, RENEW, lease, { lease_ms });
}

const FREE = prepare(
  'free_worlds',
  `UPDATE worlds SET lease_attempt_id = NULL, lease_host = NULL, lease_pid = NULL, lease_until = NULL
   WHERE lease_attempt_id IS NOT NULL`,
);

/** Takes every lease back; their attempts stay open. Only for who knows that no driver lives. */
export async function freeWorlds(runner: Runner): Promise<void> {
  await run(runner, FREE, {});
}
