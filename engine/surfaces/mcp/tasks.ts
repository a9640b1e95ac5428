import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { setTimeout as wait } from 'node:timers/promises';
import { act } from '../../catalogue/act.js';
import { stopAttempt } from '../../catalogue/actions/calls.js';
import type { JsonObject } from '../../contract/json.js';
import { type Outcome, problem, type Problem, succeed } from '../../contract/problem.js';
import { beginTask, cancelTask, findTask, type TurnsTask } from '../../operations/serving/assistant-tasks.js';
import type { HttpDesk } from '../../operations/composition.js';
import type { Acknowledgement } from '../../operations/settling/reports.js';
import type { BegunTask, Caller, Task, Tasks } from './offer.js';
import { answer } from './tools.js';

const POLL_MS = 1_000;

/** The tasks that a caller has begun, which any server of the database knows: their turns are in its queue. */
export function turnTasks(desk: Pick<HttpDesk, 'use'>, { principal, actor }: Caller): Tasks {
  return {
    async find(task_id) {
      const found = must(await desk.use((engine) => findTask(engine, task_id, principal)));
      return found && toTask({ ...found, task_id });
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
  caller: Caller,
  { made }: Acknowledgement,
): Promise<BegunTask | undefined> {
  if (made === undefined || !('inbox_ids' in made)) return undefined;
  const task_id = must(await desk.use(async (engine) => succeed(await beginTask(engine, made, caller.principal))));
  // A task that has just begun has no result, even where its turns are over already.
  const { result: _result, error: _error, ...task } = await mustFind(desk, caller, task_id).then(toTask);
  return { ...task, status: 'working', resultType: 'task' };
}

/** How long a request stays open for progress: clients give up after a minute. */
const FOLLOW_MS = 45_000;
/** How many such requests one process has: each of them reads the database every second. */
const FOLLOWED_MAX = 50;
let followed = 0;

/**
 * Tells a caller that asks for progress how far queued turns are, until they are over, wait for something, or have taken long.
 * @returns their outcome, or the handle with how far they are; undefined where nobody asks, or nothing was queued
 */
export async function followTurns(
  desk: Pick<HttpDesk, 'use'>,
  caller: Caller,
  queued: Acknowledgement,
  { mcpReq }: Pick<ServerContext, 'mcpReq'>,
): Promise<CallToolResult | undefined> {
  const { _meta: { progressToken } = {}, signal } = mcpReq;
  if (progressToken === undefined || followed >= FOLLOWED_MAX) return undefined;
  followed += 1;
  try {
    const begun = await toBegunTask(desk, caller, queued);
    if (begun === undefined) return undefined;
    const until = Date.now() + FOLLOW_MS;
    for (let last = -1; ; ) {
      const found = await mustFind(desk, caller, begun.taskId);
      const { status, statusMessage: message = '', result } = toTask(found);
      const progress = progressOf(found);
      if (progress > last) {
        const params = { progressToken, progress, total: found.turns.length, message };
        await mcpReq.notify({ method: 'notifications/progress', params });
        last = progress;
      }
      if (result !== undefined) return result as unknown as CallToolResult;
      const said = `${queued.message} ${message}`;
      if (status !== 'working' || waitOf(nextOf(found)) !== undefined || signal.aborted || Date.now() >= until)
        return answer({ ...queued, message: said }, said);
      await wait(POLL_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    followed -= 1;
  }
}

/** How many turns are over, and of the open one a part that grows with its calls. */
function progressOf({ turns }: TurnsTask): number {
  const over = turns.filter(({ is_over }) => is_over).length;
  const { calls = 0 } = nextOf({ turns }) ?? {};
  return over + calls / (calls + 1);
}

async function mustFind(
  desk: Pick<HttpDesk, 'use'>,
  { principal }: Caller,
  task_id: string,
): Promise<TurnsTask & { readonly task_id: string }> {
  const found = must(await desk.use((engine) => findTask(engine, task_id, principal)));
  if (found === undefined) throw new Error(`The task ${task_id} was deleted with its world.`);
  return { ...found, task_id };
}

/** Why the next turn waits; undefined where it does not. */
function waitOf(next: TurnsTask['turns'][number] | undefined): string | undefined {
  return next?.status === 'suspended' ? 'a call is answered from outside.' : (next?.reason ?? undefined);
}

/** The first turn that is not over. */
function nextOf({ turns }: Pick<TurnsTask, 'turns'>): TurnsTask['turns'][number] | undefined {
  return turns.find(({ is_over }) => !is_over);
}

function toTask({ task_id, world_slug, created_at, turns }: TurnsTask & { readonly task_id: string }): Task {
  const committed = turns.filter(({ status }) => status === 'committed').length;
  const next = nextOf({ turns });
  const reason = waitOf(next);
  const isCancelled = turns.some(({ attempt_id, failure_class }) => attempt_id === null || failure_class === 'stopped');
  const said = `${committed} of ${turns.length} turns of ${world_slug} are committed.`;
  const ended = next === undefined || next.calls === 0 ? '' : ` ${next.calls} calls of the next one have ended.`;
  const more = reason === undefined ? ended : ` The next one waits: ${reason}`;
  const base = {
    taskId: task_id,
    statusMessage: `${said}${more}`,
    createdAt: toInstant(created_at),
    lastUpdatedAt: toInstant(
      turns.map(({ changed_at }) => changed_at).reduce((one, other) => (one > other ? one : other)),
    ),
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
  if (next !== undefined) return { ...base, status: 'working' };
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
