import { inTransaction, type OpenDatabase } from './database.js';
import { LOCK_WORLD, promoteForgotten } from './inbox/enqueue.js';
import { TAKE_BACK } from './inbox/queue.js';
import { prepare, run, type Runner } from './statement.js';

/** The turns that one request has queued, and who asked for them. */
export interface AssistantTask {
  readonly world_slug: string;
  readonly task_id: string;
  readonly principal: string;
  readonly inbox_ids: readonly string[];
}

const ADD = prepare(
  'add_assistant_task',
  `INSERT INTO assistant_tasks (world_slug, task_id, principal, inbox_ids)
   VALUES (:world_slug, :task_id::uuid, :principal, :inbox_ids::uuid[])`,
);

/** Keeps a task, before anybody is told of it. */
export async function addTask(runner: Runner, task: AssistantTask): Promise<void> {
  await run(runner, ADD, { ...task });
}

/** One turn of a task: its message, and the latest attempt at it. */
export interface TaskTurn {
  readonly is_over: boolean;
  readonly changed_at: string;
  /** Why it is put off. */
  readonly reason: string | null;
  readonly attempt_id: string | null;
  readonly turn: number | null;
  /** How many calls of its attempt have ended. */
  readonly calls: number;
  readonly status: string | null;
  readonly failure_class: string | null;
  readonly failure_message: string | null;
}

const FIND = prepare(
  'find_assistant_task',
  `SELECT task.world_slug, task.created_at, message.status = 'consumed' AS is_over,
     CASE message.status WHEN 'deferred' THEN message.defer_reason END AS reason,
     coalesce(message.consumed_at, message.created_at) AS changed_at, attempt.attempt_id,
     attempt.attempted_turn::int AS turn, attempt.status, attempt.failure_class, attempt.failure_message,
     (SELECT count(*)::int FROM source_invocations call WHERE call.world_slug = task.world_slug
       AND call.attempt_id = attempt.attempt_id AND call.ended_at IS NOT NULL) AS calls
   FROM assistant_tasks task
   CROSS JOIN LATERAL unnest(task.inbox_ids) WITH ORDINALITY AS queued (inbox_id, position)
   JOIN agent_inbox message ON message.world_slug = task.world_slug AND message.inbox_id = queued.inbox_id
   LEFT JOIN LATERAL (
     SELECT * FROM attempts WHERE attempts.world_slug = task.world_slug AND attempts.inbox_id = queued.inbox_id
     ORDER BY attempts.epoch DESC LIMIT 1) attempt ON true
   WHERE task.task_id = :task_id::uuid AND task.principal = :principal
   ORDER BY queued.position`,
);

type Row = TaskTurn & { readonly world_slug: string; readonly created_at: string };

/** How far a task of a principal is. @returns undefined for a task that there is not, and for another's */
export async function findTask(runner: Runner, task_id: string, principal: string) {
  const rows = await run<Row>(runner, FIND, { task_id, principal });
  const [first] = rows;
  return first && { world_slug: first.world_slug, created_at: first.created_at, turns: rows as readonly TaskTurn[] };
}

const TAKE_BACK_OF_TASK = prepare(
  'take_back_task',
  TAKE_BACK(
    'inbox_id = ANY ((SELECT inbox_ids FROM assistant_tasks WHERE task_id = :task_id::uuid AND principal = :principal)::uuid[])',
  ),
);

/** Takes back the turns of a task that no attempt has been begun for. */
export async function takeBackTask(
  database: Parameters<typeof promoteForgotten>[0] & Pick<OpenDatabase, 'pool'>,
  taken: Pick<AssistantTask, 'world_slug' | 'task_id' | 'principal'> & { readonly reason: string },
): Promise<void> {
  await inTransaction(database.pool, async (transaction) => {
    await run(transaction, LOCK_WORLD, { world_slug: taken.world_slug });
    await run(transaction, TAKE_BACK_OF_TASK, { ...taken });
  });
  // Another turn of the world may have waited behind those.
  await promoteForgotten(database, taken.world_slug);
}
