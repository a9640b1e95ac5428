import assert from 'node:assert/strict';
import type { AttemptRecord } from '../../engine/ports/records.js';
import type { Arena } from './arena.js';

/** How often each call of an attempt was performed to its end, in the order of their keys. */
export function countEnded(attempt: AttemptRecord): Readonly<Record<string, number>> {
  const ended: Record<string, number> = {};
  for (const { command_key, status } of attempt.invocations)
    if (status !== 'interrupted') ended[command_key] = (ended[command_key] ?? 0) + 1;
  return Object.fromEntries(Object.entries(ended).toSorted(([one], [other]) => one.localeCompare(other)));
}

/** In a world whose drivers are all gone or done. */
export async function assertNothingRuns({ database }: Arena, world_slug: string): Promise<void> {
  const [row] = await database.outside.query<{ readonly running: number }>(
    `SELECT (SELECT count(*) FROM attempts WHERE world_slug = $1 AND status IN ('running', 'suspended'))::int
       + (SELECT count(*) FROM source_invocations WHERE world_slug = $1 AND status IN ('running', 'pending'))::int
       + (SELECT count(*) FROM llm_calls WHERE world_slug = $1 AND status = 'running')::int
       + (SELECT count(*) FROM agent_inbox WHERE world_slug = $1 AND status <> 'consumed')::int
       + (SELECT count(*) FROM worlds WHERE world_slug = $1 AND lease_attempt_id IS NOT NULL)::int AS running`,
    [world_slug],
  );
  assert.equal(row?.running, 0, 'something is left that says it runs');
}

/** Every attempt of a world, the earliest first. */
export async function attemptsOf(arena: Arena, world_slug: string): Promise<readonly AttemptRecord[]> {
  const { records } = arena.freshStore();
  const summaries = await records.attempts(world_slug);
  const found = await Promise.all(summaries.map(({ attempt_id }) => records.attempt(attempt_id)));
  return found.flatMap((record) => record ?? []).toSorted((one, other) => one.epoch - other.epoch);
}

/** What the patches of an attempt say, without the ids of the calls that decided them: those differ from run to run. */
export function withoutIds(patches: AttemptRecord['patches']): unknown {
  return patches.map(({ source_invocation_id: _call, llm_call_id: _generation, ...patch }) => patch);
}
