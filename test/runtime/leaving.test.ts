import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AttemptRecord } from '../../engine/ports/records.js';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import { leaveAt } from '../support/leave-at.js';
import { loadScript, type ParkStage, sharedStage } from '../support/park-stage.js';

const SALE = 'bob/act/round-1/try-1/tool';
const AFTER_SALE = 'bob/act/round-2/try-1';
const SOLD = `${SALE} succeeded`;

async function attemptOf({ engine }: ParkStage, { world_slug }: WorldSnapshot): Promise<AttemptRecord> {
  const [summary, ...others] = await engine.store.records.attempts(world_slug);
  assert.ok(summary && others.length === 0);
  return (await engine.store.records.attempt(summary.attempt_id)) ?? assert.fail('the attempt left no record');
}

/** The calls of an attempt from the side effect on, each with its end. */
function endsOf({ invocations }: AttemptRecord): readonly string[] {
  const ends = invocations.map(({ command_key, status }) => `${command_key} ${status}`);
  return ends.slice(invocations.findIndex(({ command_key }) => command_key === SALE));
}

describe('a driver that leaves its attempt to another', () => {
  const open = sharedStage('PostgreSQL');

  /** The record when the first driver has left at a call, and when the next has committed the turn. */
  async function leave(key: string): Promise<readonly (readonly string[])[]> {
    const stage = await open();
    stage.model.setScript(await loadScript('tools'));
    const world = await stage.makeWorld({ scenario: 'tools' });
    assert.equal((await leaveAt(stage, world, key)).kind, 'handed_over');
    const left = await attemptOf(stage, world);
    assert.equal(left.status, 'running');
    await stage.run(world);
    const after = await attemptOf(stage, world);
    assert.deepEqual([after.status, after.take_overs], ['committed', 0]);
    return [endsOf(left), endsOf(after)];
  }

  test('a driver that leaves its attempt to another drops a reading call, which the next driver repeats', async () => {
    assert.deepEqual(await leave(AFTER_SALE), [
      [SOLD, `${AFTER_SALE} running`],
      [SOLD, `${AFTER_SALE} interrupted`, `${AFTER_SALE} succeeded`],
    ]);
  });

  test('a driver that leaves its attempt to another lets a side effect end, and makes no call that follows from it', async () => {
    assert.deepEqual(await leave(SALE), [[SOLD], [SOLD, `${AFTER_SALE} succeeded`]]);
  });
});
