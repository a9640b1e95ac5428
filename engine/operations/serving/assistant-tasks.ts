import { type Outcome, succeed } from '../../contract/problem.js';
import { isUuid } from '../../core/content/uuid.js';
import type { Actor } from '../people/audit.js';
import type { Archive, Engine } from '../engine.js';
import type { QueueReport } from '../running/queue.js';

const TAKEN_BACK = 'it was cancelled on request';

/** Keeps the turns that were queued as a task of a principal. @returns its id */
export async function beginTask(
  { store, runtime }: Engine,
  { world, inbox_ids }: Pick<QueueReport, 'world' | 'inbox_ids'>,
  principal: string,
): Promise<string> {
  const task_id = runtime.clock.uuid();
  await store.tasks.add({ world_slug: world, task_id, principal, inbox_ids });
  return task_id;
}

export type TurnsTask = NonNullable<Awaited<ReturnType<Archive['store']['tasks']['find']>>>;

/** How far a task is. @returns undefined for one that there is not, and for another principal's */
export async function findTask(
  { store }: Archive,
  task_id: string,
  principal: string,
): Promise<Outcome<TurnsTask | undefined>> {
  return succeed(isUuid(task_id) ? await store.tasks.find(task_id, principal) : undefined);
}

/**
 * Cancels a task: its turns that have not begun are taken back, and its open attempt is stopped.
 * @param stop stops an attempt, with an entry in the audit
 */
export async function cancelTask(
  engine: Engine,
  task_id: string,
  { principal, actor }: { readonly principal: string; readonly actor: Actor },
  stop: (engine: Engine, attempt_id: string, actor: Actor) => Promise<Outcome<unknown>>,
): Promise<Outcome<undefined>> {
  const found = await findTask(engine, task_id, principal);
  if (!found.ok || found.value === undefined) return found as Outcome<undefined>;
  const { world_slug, turns } = found.value;
  await engine.store.tasks.takeBack({ world_slug, task_id, principal, reason: TAKEN_BACK });
  const open = turns.find(({ is_over, attempt_id }) => !is_over && attempt_id !== null)?.attempt_id;
  if (open === undefined || open === null) return succeed(undefined);
  const stopped = await stop(engine, open, actor);
  return stopped.ok ? succeed(undefined) : stopped;
}
