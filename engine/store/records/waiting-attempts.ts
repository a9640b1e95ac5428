import type { ListedAttempt, WaitedCall, WaitingAttempt } from '../../ports/browse.js';
import { IS_DOUBTED } from '../attempts/doubt.js';
import { type Building, type InAttempt, query } from '../queries.js';
import type { Runner } from '../statement.js';

/** The attempts that wait for an answer or for a person, each with the calls that it waits for. */
export async function listWaitingAttempts(runner: Runner): Promise<readonly WaitingAttempt[]> {
  const attempts: readonly ListedAttempt[] = await listWaiting(runner, {});
  const isSuspended = ({ status }: ListedAttempt): boolean => status === 'suspended';
  const calls = [
    ...(await listAwaited(runner, toPlaces(attempts.filter(isSuspended)))),
    ...(await listDoubted(runner, toPlaces(attempts.filter((attempt) => !isSuspended(attempt))))),
  ];
  return attempts.map((attempt) => ({
    ...attempt,
    waits_for: calls.filter(({ attempt_id }) => attempt_id === attempt.attempt_id).map(toWaited),
  }));
}

function toWaited({ source_invocation_id, command_key, source_label, deadline }: WaitedCall): WaitedCall {
  return { source_invocation_id, command_key, source_label, deadline };
}

// A turn waits for the doubts of one attempt alone; of others they have been set aside.
const listWaiting = query(({ from, sql, lit }) => {
  const doubted = from('worlds')
    .innerJoin('source_invocations as calls', 'calls.attempt_id', 'worlds.adoptable_attempt_id')
    .whereRef('calls.world_slug', '=', 'worlds.world_slug')
    .select(['worlds.world_slug', 'calls.attempt_id'])
    .where(sql.raw<boolean>(IS_DOUBTED));
  const suspended = from('attempts').select(['world_slug', 'attempt_id']).where('status', '=', lit('suspended'));
  return from(suspended.union(doubted).as('waiting'))
    .innerJoin('attempts', 'attempts.attempt_id', 'waiting.attempt_id')
    .whereRef('attempts.world_slug', '=', 'waiting.world_slug')
    .select(['attempts.attempt_id', 'attempts.world_slug', 'attempted_turn', 'status', 'started_at', 'ended_at'])
    .orderBy('attempts.attempt_id')
    .limit(lit(200));
});

type Places = Readonly<Record<'world_slugs' | 'attempt_ids', readonly string[]>>;

function toPlaces(attempts: readonly ListedAttempt[]): Places {
  return {
    world_slugs: attempts.map(({ world_slug }) => world_slug),
    attempt_ids: attempts.map(({ attempt_id }) => attempt_id),
  };
}

const selectCalls = ({ from, sql }: Building, { world_slugs, attempt_ids }: Places) => {
  const chosen = sql<InAttempt>`unnest(${world_slugs}::text[], ${attempt_ids}::uuid[])`;
  return from('source_invocations as calls')
    .innerJoin(chosen.as<'chosen'>(sql`chosen (world_slug, attempt_id)`), 'chosen.attempt_id', 'calls.attempt_id')
    .innerJoin('response_sources', 'response_sources.hash', 'calls.source_hash')
    .whereRef('chosen.world_slug', '=', 'calls.world_slug')
    .select(['calls.attempt_id', 'calls.source_invocation_id', 'calls.command_key'])
    .select(sql<string>`response_sources.content->>'label'`.as('source_label'));
};

const listAwaited = query((building, places: Places) =>
  selectCalls(building, places)
    .innerJoin('pending_calls as pending', 'pending.source_invocation_id', 'calls.source_invocation_id')
    .whereRef('pending.world_slug', '=', 'calls.world_slug')
    .whereRef('pending.attempt_id', '=', 'calls.attempt_id')
    .where('pending.is_awaited', '=', building.lit(true))
    .select('pending.deadline')
    .orderBy('pending.deadline')
    .limit(building.lit(1_000)),
);

const listDoubted = query((building, places: Places) =>
  selectCalls(building, places)
    .where(building.sql.raw<boolean>(IS_DOUBTED))
    .select(building.sql<string | null>`NULL::timestamptz`.as('deadline'))
    .orderBy('calls.source_invocation_id')
    .limit(building.lit(1_000)),
);
