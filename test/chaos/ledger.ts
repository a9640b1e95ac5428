import assert from 'node:assert/strict';
import { runTurns } from '../../engine/operations/running/run-turns.js';
import { showWorld } from '../../engine/operations/worlds/worlds.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import type { ServedRequest } from '../../fixtures/toys/index.js';
import { must } from '../support/park-stage.js';
import type { Fleet } from './fleet.js';

// The invariants of worlds whose drivers were destroyed, by any means, once nothing is left to be done.

/** Each finds rows that there may not be, in the worlds `$1`. */
const WRONGS: Readonly<Record<string, string>> = {
  'a message is left that is not over': `
    SELECT * FROM agent_inbox WHERE world_slug = ANY($1) AND status <> 'consumed'`,
  'something is left that says it runs': `
    SELECT world_slug, 'attempt' AS what FROM attempts WHERE world_slug = ANY($1) AND status IN ('running', 'suspended')
    UNION ALL SELECT world_slug, 'call' FROM source_invocations
      WHERE world_slug = ANY($1) AND status IN ('running', 'pending')
    UNION ALL SELECT world_slug, 'generation' FROM llm_calls WHERE world_slug = ANY($1) AND status = 'running'
    UNION ALL SELECT world_slug, 'lease' FROM worlds WHERE world_slug = ANY($1) AND lease_attempt_id IS NOT NULL`,
  'an attempt ended neither well, nor poisoned, nor with a side effect in doubt that it names': `
    SELECT world_slug, attempt_id, attempts.status, attempts.failure_class, attempts.failure_message, take_overs
    FROM attempts WHERE world_slug = ANY($1) AND attempts.status <> 'committed'
      AND NOT (attempts.status = 'failed' AND attempts.failure_class = 'poisoned' AND take_overs > 5)
      AND NOT (attempts.status = 'failed' AND attempts.failure_class = 'interrupted' AND EXISTS (
        SELECT FROM source_invocations AS call WHERE call.world_slug = attempts.world_slug
          AND call.attempt_id = attempts.attempt_id AND source_invocation_id = failed_source_invocation_id
          AND call.status = 'interrupted' AND effect_class <> 'read_only'))`,
  'a call was finished twice, or one that changes something was made twice': `
    SELECT world_slug, attempt_id, command_key, array_agg(status) AS performances FROM source_invocations
    WHERE world_slug = ANY($1) GROUP BY world_slug, attempt_id, command_key
    HAVING count(*) FILTER (WHERE status <> 'interrupted') > 1
      OR count(*) FILTER (WHERE effect_class <> 'read_only') > 1`,
  'a call was made again after it had been finished': `
    SELECT again.* FROM source_invocations AS again JOIN source_invocations AS finished
      USING (world_slug, attempt_id, command_key)
    WHERE world_slug = ANY($1) AND finished.status <> 'interrupted' AND again.performance > finished.performance`,
  'the turns of a world have gaps': `
    SELECT world_slug, worlds.turn, array_agg(turns.turn ORDER BY turns.turn) AS turns
    FROM worlds LEFT JOIN turns USING (world_slug) WHERE world_slug = ANY($1) GROUP BY world_slug, worlds.turn
    HAVING array_agg(turns.turn::bigint ORDER BY turns.turn) <> ARRAY(SELECT generate_series(0, worlds.turn::bigint))`,
  'a turn is not that of one committed attempt': `
    SELECT * FROM attempts FULL JOIN (SELECT * FROM turns WHERE turn > 0) AS turns USING (world_slug, attempt_id)
    WHERE world_slug = ANY($1) AND (attempts.status = 'committed') IS DISTINCT FROM (turn IS NOT NULL)
      OR world_slug = ANY($1) AND turn <> attempted_turn`,
  'patches are missing, or there are some of an attempt that failed': `
    SELECT world_slug, attempt_id, status, count(patch_seq) FROM attempts LEFT JOIN world_patches USING (world_slug, attempt_id)
    WHERE world_slug = ANY($1) GROUP BY world_slug, attempt_id, status
    HAVING count(patch_seq) <> CASE status WHEN 'committed' THEN 2 ELSE 0 END`,
  'the audit does not tell of each end once': `
    SELECT world_slug, attempt_id, status, array_agg(audit_kind) AS noted
    FROM attempts LEFT JOIN world_audit_events USING (world_slug, attempt_id)
    WHERE world_slug = ANY($1) GROUP BY world_slug, attempt_id, status
    HAVING count(*) FILTER (WHERE audit_kind = 'turn_complete') <> (status = 'committed')::int
      OR count(*) FILTER (WHERE audit_kind = 'patch_applied') <> 2 * (status = 'committed')::int
      OR count(*) FILTER (WHERE audit_kind = 'attempt_failed') <> (status <> 'committed')::int`,
};

/** The turns played in some worlds. */
export interface Played {
  readonly worlds: readonly string[];
  /** Of all turns that were queued. */
  readonly inbox_ids: readonly string[];
}

/** Holds the record against itself, against the services, and against a world that nothing happened to. */
export async function assertWhole(fleet: Fleet, played: Played): Promise<void> {
  for (const [wrong, sql] of Object.entries(WRONGS)) await assertNone(fleet, wrong, sql, [played.worlds]);
  await assertNone(fleet, 'a queued turn is not one attempt beside those whose side effect was in doubt', UNDONE, [
    played.inbox_ids,
  ]);
  await assertServed(fleet, played.worlds);
  await assertAsUndisturbed(fleet, played.worlds);
}

// A turn whose side effect is in doubt stays in its queue, and is played again once that is settled.
const UNDONE = `
  SELECT inbox_id, array_agg(attempt_id) AS attempts
  FROM unnest($1::uuid[]) AS queued (inbox_id) LEFT JOIN attempts USING (inbox_id)
  GROUP BY inbox_id
  HAVING count(attempt_id) FILTER (WHERE failure_class IS DISTINCT FROM 'interrupted') <> 1`;

async function assertNone({ query }: Fleet, wrong: string, sql: string, values: readonly unknown[]): Promise<void> {
  const rows = await query(sql, values);
  assert.equal(rows.length, 0, `${wrong}: ${JSON.stringify(rows.slice(0, 3), null, 2)}`);
}

interface Call {
  readonly id: string;
  readonly status: string;
}

/** Services were asked once for each call that was finished, at most once for one that was not, and for nothing else. */
async function assertServed({ query, toys }: Fleet, worlds: readonly string[]): Promise<void> {
  const served = [toys.weather, toys.pa, toys.phone, toys.vending, toys.fountain].flatMap((toy) => toy.served);
  const times = countById(served);
  const calls = await query<Call>(
    `SELECT source_invocation_id AS id, status FROM source_invocations
     WHERE world_slug = ANY($1) AND llm_call_id IS NULL`,
    [worlds],
  );
  for (const { id, status } of calls) {
    const count = times.get(id) ?? 0;
    assert.ok(
      status === 'interrupted' ? count <= 1 : count === 1,
      `a call that is ${status} was served ${count} times`,
    );
    times.delete(id);
  }
  assert.deepEqual([...times.keys()], [], 'a service was asked what is on no record');
}

function countById(served: readonly ServedRequest[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { headers } of served) {
    const id = String(headers['x-chukwa-correlation-id']);
    times.set(id, (times.get(id) ?? 0) + 1);
  }
  return times;
}

/** Asserts that the commits are those of an undisturbed driver, whatever the attempts went through. */
async function assertAsUndisturbed(fleet: Fleet, worlds: readonly string[]): Promise<void> {
  const { engine, toys, model } = fleet;
  const shown = await Promise.all(worlds.map(async (slug) => must(await showWorld(engine, { world_slug: slug }))));
  const turns = Math.max(...shown.map(({ turn }) => turn));
  toys.reset();
  model.reset();
  const [peaceful] = await fleet.makeWorlds(1);
  assert.ok(peaceful);
  const { signal } = new AbortController();
  if (turns > 0) must(await runTurns(engine, { world_slug: peaceful, turns, signal, onProgress: () => {} }));
  toys.reset();
  for (const { world_slug, turn, environments, entities } of shown) {
    const undisturbed: WorldSnapshot = must(await showWorld(engine, { world_slug: peaceful, turn }));
    assert.deepEqual([environments, entities], [undisturbed.environments, undisturbed.entities], world_slug);
  }
}
