import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { compareAttempts } from '../../engine/operations/browse/compare-attempts.js';
import type { ShownAttempt } from '../../engine/operations/browse/records.js';
import { loadScript, must, openParkStage, type ParkStage } from '../support/park-stage.js';

describe('two attempts compared', () => {
  let stage: ParkStage;
  let failed: ShownAttempt;
  let committed: ShownAttempt;
  let first: ShownAttempt;

  before(async () => {
    stage = await openParkStage('PostgreSQL');
    const script = await loadScript('park');
    const second = { ...script.turns['2'], 'ant/act/round-1/try-1': { status: 500 } };
    const played = await stage.play({
      scenario: 'park',
      turns: 2,
      says: { ...script, turns: { ...script.turns, '2': second } },
    });
    stage.model.setScript(script);
    const again = await stage.run(await stage.world(played.world_slug));
    [first, failed, committed] = [...played.attempts, ...again.attempts] as [ShownAttempt, ShownAttempt, ShownAttempt];
    assert.deepEqual([first.status, failed.status, committed.status], ['committed', 'failed', 'committed']);
  });
  after(() => stage?.close());

  const compare = async (attempt_id: string, other?: string) =>
    must(await compareAttempts(stage.engine, { attempt_id, ...(other === undefined ? {} : { other }) }));

  test('two attempts compared are the attempt and the one that it adopts from, where no other is named', async () => {
    const { before: one, calls, patches } = await compare(committed.attempt_id);
    assert.equal(one?.attempt_id, failed.attempt_id);
    const different = calls.filter(({ comparison }) => comparison !== 'adopted');
    assert.deepEqual(
      different.map(({ command_key, comparison }) => [command_key, comparison]),
      [['ant/act/round-1/try-1', 'answered_otherwise']],
    );
    assert.deepEqual(
      patches.map(({ workflow_subject_entity_id: subject, comparison }) => [subject, comparison]),
      [
        ['bob', 'only_after'],
        ['ant', 'only_after'],
      ],
    );
  });

  test('two attempts compared of different turns were asked for something else', async () => {
    const { calls, patches } = await compare(committed.attempt_id, first.attempt_id);
    const asked = calls.find(({ command_key }) => command_key === 'bob/act/round-1/try-1');
    assert.equal(asked?.comparison, 'asked_otherwise');
    assert.deepEqual(new Set(patches.map(({ comparison }) => comparison)), new Set(['answered_otherwise']));
  });

  test('two attempts compared are alike where they are one', async () => {
    const { calls, patches } = await compare(first.attempt_id, first.attempt_id);
    assert.ok(calls.length > 3);
    assert.deepEqual(new Set(patches.map(({ comparison }) => comparison)), new Set(['same']));
  });

  test('two attempts compared are one alone where it is the first at its turn', async () => {
    const { before: one, calls } = await compare(first.attempt_id);
    assert.equal(one, null);
    assert.deepEqual(calls, []);
  });

  test('two attempts compared that are not there are refused', async () => {
    const nobody = stage.engine.runtime.clock.uuid();
    for (const asked of [{ attempt_id: nobody }, { attempt_id: first.attempt_id, other: 'x' }]) {
      const refused = await compareAttempts(stage.engine, asked);
      assert.equal(!refused.ok && refused.problems[0]?.code, 'ATTEMPT_UNKNOWN');
    }
  });
});
