import { type Outcome, problem, type Problem, refuse, succeed } from '../../contract/problem.js';
import { isUuid } from '../../core/content/uuid.js';
import type {
  AttemptRecord,
  AttemptStatus,
  InvocationRecord,
  InvocationView,
  LlmCallRecord,
} from '../../ports/records.js';
import type { Archive } from '../engine.js';
import { type CostedAttempt, type Costing, readCost, withCosts } from '../costs/read-cost.js';
import { findQueue, type QueuedTurns } from '../running/queue.js';
import { unknownWorld, type WorldPlace } from '../worlds/worlds.js';

/** An attempt with the cost of the calls that it made itself. */
export type ShownAttempt = AttemptRecord & Costing;

/** Everything about one attempt: its calls, patches, timeline, audit and cost. */
export async function showAttempt(archive: Archive, id: string): Promise<Outcome<ShownAttempt>> {
  const record = await archive.store.records.attempt(id);
  if (record === undefined) return refuse(attemptUnknown(id));
  const { world_slug, attempt_id } = record;
  return succeed({ ...record, cost: await readCost(archive, { of: 'attempt', world_slug, attempt_id }) });
}

/** The attempt that committed a turn of a world itself: a turn that a fork shares was committed in another world. */
export async function showCommitted(
  archive: Archive,
  { world_slug, turn }: Required<WorldPlace>,
): Promise<Outcome<ShownAttempt>> {
  const listed = await listAttempts(archive, world_slug, { status: 'committed', turn });
  if (!listed.ok) return listed;
  const [committed] = listed.value.attempts;
  if (committed !== undefined) return showAttempt(archive, committed.attempt_id);
  return refuse(problem('TURN_UNKNOWN', { world_slug, turn }));
}

/** The problem with an id that no attempt has. */
export function attemptUnknown(id: string): Problem {
  return problem('ATTEMPT_UNKNOWN', { id, is_whole: isUuid(id) });
}

/** The attempts of a world, and its queue. */
export interface WorldAttempts extends QueuedTurns {
  readonly world_slug: string;
  /** The latest first. */
  readonly attempts: readonly CostedAttempt[];
  readonly is_filtered?: true;
}

export interface AttemptFilter {
  readonly status?: AttemptStatus;
  readonly turn?: number;
  readonly failure?: string;
}

export async function listAttempts(
  archive: Archive,
  world_slug: string,
  { status, turn, failure }: AttemptFilter = {},
): Promise<Outcome<WorldAttempts>> {
  const world = await archive.store.worlds.find(world_slug);
  if (world === undefined) return unknownWorld(archive, world_slug);
  const all = (await archive.store.records.attempts(world_slug)).toReversed();
  const attempts = all.filter(
    (attempt) =>
      (status === undefined || attempt.status === status) &&
      (turn === undefined || attempt.attempted_turn === turn) &&
      (failure === undefined || attempt.failure_class === failure),
  );
  const is_filtered = attempts.length < all.length;
  return succeed({
    world_slug,
    attempts: await withCosts(archive, world_slug, attempts),
    ...(is_filtered ? { is_filtered } : {}),
    ...(await findQueue(archive, world_slug)),
  });
}

/** One source call: request, answer, verdict. @param view redacted, unless an operator asks for everything */
export async function showInvocation(
  archive: Archive,
  id: string,
  view: InvocationView = 'redacted',
): Promise<Outcome<InvocationRecord>> {
  const record = await archive.store.records.invocation(id, view);
  return found(record, problem('UNKNOWN_SOURCE_INVOCATION', { id, is_whole: isUuid(id) }));
}

/** One generation: prompt, text chunk by chunk, and verdict. */
export async function showLlmCall(archive: Archive, id: string): Promise<Outcome<LlmCallRecord>> {
  return found(await archive.store.records.llmCall(id), problem('LLM_CALL_UNKNOWN', { id, is_whole: isUuid(id) }));
}

function found<Value>(value: Value | undefined, otherwise: Problem): Outcome<Value> {
  return value === undefined ? refuse(otherwise) : succeed(value);
}
