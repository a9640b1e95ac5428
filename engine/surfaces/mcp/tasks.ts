import type { CallToolResult } from '@modelcontextprotocol/server';
import { act } from '../../catalogue/act.js';
import { stopAttempt } from '../../catalogue/actions/calls.js';
import type { JsonObject } from '../../contract/json.js';
import { type Outcome, problem, type Problem, succeed } from '../../contract/problem.js';
import { beginTask, cancelTask, findTask, type TurnsTask } from '../../operations/assistant-tasks.js';
import type { HttpDesk } from '../../operations/composition.js';
import type { Acknowledgement } from '../../operations/reports.js';
import type { BegunTask, Caller, Task, Tasks } from './offer.js';
import { answer } from './tools.js';

const POLL_MS = 1_000;

/** The tasks that a caller has begun, which any server of the database knows: their turns are in its queue. */
export function turnTasks(desk: Pick<HttpDesk, 'use'>, { principal, actor }: Caller): Tasks {
  return {
    async find(task_id) {
      const found = must(await desk.use((engine) => findTask(engine, task_id, principal)));
      return found && toTask(task_id, found);
    },
    async cancel({ taskId }) {
      const stop: Parameters<typeof cancelTask>[3] = (engine, attempt_id, by) =>
        act(engine, stopAttempt, { attempt_id }, by);
      must(await desk.use((engine) => cancelTask(engine, taskId, { principal, actor }, stop)));
    },
    // Turns ask their client for nothing: what they wait for are services, and people who report by tools.
    update: async () => {},
  };
}

/** Keeps queued turns as a task of their caller. @returns undefined where nothing was queued */
export async function toBegunTask(
  desk: Pick<HttpDesk, 'use'>,
  { principal }: Caller,
  { made }: Acknowledgement,
): Promise<BegunTask | undefined> {
  if (made === undefined || !('inbox_ids' in made)) return undefined;
  const begun = must(
    await desk.use(async (engine) => {
      const task_id = await beginTask(engine, made, principal);
      const found = await findTask(engine, task_id, principal);
      return found.ok && found.value !== undefined
        ? succeed({ task_id, task: found.value })
        : (found as Outcome<never>);
    }),
  );
  // A task that has just begun has no result, even where its turns are over already.
  const { result: _result, error: _error, ...task } = toTask(begun.task_id, begun.task);
  return { ...task, status: 'working', resultType: 'task' };
}

function toTask(taskId: string, { world_slug, created_at, turns }: TurnsTask): Task {
  const committed = turns.filter(({ status }) => status === 'committed').length;
  const isOver = turns.every(({ is_over }) => is_over);
  const reason = turns.find((turn) => !turn.is_over && turn.reason !== null)?.reason;
  const isCancelled = turns.some(({ attempt_id, failure_class }) => attempt_id === null || failure_class === 'stopped');
  const said = `${committed} of ${turns.length} turns of ${world_slug} are committed.`;
  const base = {
    taskId,
    statusMessage: typeof reason === 'string' ? `${said} The next one waits: ${reason}` : said,
    createdAt: toInstant(created_at),
    lastUpdatedAt: toInstant(
      turns.map(({ changed_at }) => changed_at).reduce((one, other) => (one > other ? one : other)),
    ),
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
  if (!isOver) return { ...base, status: 'working' };
  if (isCancelled) return { ...base, status: 'cancelled' };
  return { ...base, status: 'completed', result: toResult(world_slug, said, turns) as unknown as JsonObject };
}

function toInstant(moment: string): string {
  return new Date(moment).toISOString();
}

function toResult(world_slug: string, said: string, turns: TurnsTask['turns']): CallToolResult {
  const attempts = turns.map(({ attempt_id, turn, status, failure_class, failure_message }) => ({
    attempt_id,
    turn,
    status,
    failure_class,
    failure_message,
  }));
  const failed = attempts.find(({ status }) => status !== 'committed');
  const more =
    failed === undefined
      ? ''
      : ` The attempt ${failed.attempt_id} failed: ${failed.failure_class}. ${failed.failure_message ?? ''}`;
  const result = answer({ accepted: true, message: `${said}${more}`, world: world_slug, attempts }, `${said}${more}`);
  return failed === undefined ? result : { ...result, isError: true };
}

/** A method of tasks has no answer that says why. @throws where there is no value */
function must<Value>(done: Outcome<Value>): Value {
  if (done.ok) return done.value;
  const [first = problem('UNEXPECTED', { kind: 'hidden' })]: readonly Problem[] = done.problems;
  throw new Error(`${first.code}: ${first.message}`);
}
