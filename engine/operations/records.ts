import type { Problem } from '../contract/problem.js';
import type { ProblemCode } from '../contract/problems/index.js';
import { isUuid } from '../core/content/uuid.js';
import type {
  AttemptRecord,
  AttemptStatus,
  AttemptSummary,
  InvocationRecord,
  InvocationView,
  LlmCallRecord,
} from '../ports/records.js';
import { type Archive, type Done, refuse, succeed } from './engine.js';
import { findQueue, type QueuedTurns } from './queue.js';
import { unknownWorld, type WorldPlace } from './worlds.js';

/** Everything about one attempt: its calls, patches, timeline and audit. */
export async function showAttempt(archive: Archive, id: string): Promise<Done<AttemptRecord>> {
  return found(await archive.store.records.attempt(id), attemptUnknown(id));
}

/** The attempt that committed a turn of a world itself: a turn that a fork shares was committed in another world. */
export async function showCommitted(
  archive: Archive,
  { world_slug, turn }: Required<WorldPlace>,
): Promise<Done<AttemptRecord>> {
  const listed = await listAttempts(archive, world_slug, { status: 'committed', turn });
  if (!listed.ok) return listed;
  const [committed] = listed.value.attempts;
  if (committed !== undefined) return showAttempt(archive, committed.attempt_id);
  return refuse({
    code: 'TURN_UNKNOWN',
    message: `No attempt of the world ${world_slug} has committed turn ${turn}.`,
    repair: `See chukwa attempts ${world_slug}.`,
  });
}

/** The problem with an id that no attempt has. */
export function attemptUnknown(id: string): Problem {
  return unknown('ATTEMPT_UNKNOWN', 'attempt', id, 'attempts SLUG');
}

/** The attempts of a world, and its queue. */
export interface WorldAttempts extends QueuedTurns {
  readonly world_slug: string;
  /** The latest first. */
  readonly attempts: readonly AttemptSummary[];
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
): Promise<Done<WorldAttempts>> {
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
    attempts,
    ...(is_filtered ? { is_filtered } : {}),
    ...(await findQueue(archive, world_slug)),
  });
}

/** One source call: request, answer, verdict. @param view redacted, unless an operator asks for everything */
export async function showInvocation(
  archive: Archive,
  id: string,
  view: InvocationView = 'redacted',
): Promise<Done<InvocationRecord>> {
  const record = await archive.store.records.invocation(id, view);
  return found(record, unknown('UNKNOWN_SOURCE_INVOCATION', 'source invocation', id));
}

/** One generation: prompt, text chunk by chunk, and verdict. */
export async function showLlmCall(archive: Archive, id: string): Promise<Done<LlmCallRecord>> {
  return found(await archive.store.records.llmCall(id), unknown('LLM_CALL_UNKNOWN', 'LLM call', id));
}

/** The problem with an id that nothing of a kind has. @param see the command that lists ids */
export function unknown(code: ProblemCode, kind: string, id: string, see = 'attempt ID'): Problem {
  const repair = `${isUuid(id) ? '' : 'Write the whole id. '}See chukwa ${see}.`;
  return { code, message: `There is no ${kind} ${JSON.stringify(id)}.`, repair };
}

function found<Value>(value: Value | undefined, otherwise: Problem): Done<Value> {
  return value === undefined ? refuse(otherwise) : succeed(value);
}
