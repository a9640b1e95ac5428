import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RENDERER_VERSION } from '../../engine/core/prompt/renderer-version.js';
import type { AgentHeads, AttemptPast, CommitTurn, FailAttempt, SuspendAttempt } from '../../engine/ports/attempts.js';
import type { Claimed } from '../../engine/ports/claim.js';
import { parkWithReadings, type SmallPark, smallPark } from '../support/park-documents.js';
import { finalPatch, toolCall } from '../support/turn-player.js';
import { type HeldDriver, holdDriver } from './held-driver.js';

// What a driver writes at the end of a turn, on a store that accepts everything.

const ONLY = 'bob/act/round-1/try-1';

/** Lets the only call of a turn end well. */
async function commit(driver: HeldDriver): Promise<CommitTurn> {
  await driver.answer(ONLY, finalPatch());
  const [turn] = driver.wrote('commit');
  return turn as CommitTurn;
}

test('the last answer of a turn is written by the statement that commits it', async (t) => {
  const driver = await holdDriver(t, smallPark());
  assert.equal((await commit(driver)).answer?.outcome.key, ONLY);
  assert.deepEqual(driver.statements(), ['writeCalls', 'commit']);
});

test('a commit gives the message on that it has reserved, where the driver goes on', async (t) => {
  const next: Claimed = { world_slug: 'lake', inbox_id: 'm', message_type: 'turn', retry_count: 0, waited_ms: 0 };
  const goes: CommitTurn['goes_on'][] = [];
  const attempts = {
    commit: async (_lease: unknown, { goes_on }: CommitTurn) => {
      goes.push(goes_on);
      return { kind: 'reserved', next } as const;
    },
  };
  const goesOn = () => ({ reserve_ms: 7 });
  const driver = await holdDriver(t, smallPark(), { attempts, request: { goesOn } });
  await driver.answer(ONLY, finalPatch());
  const end = await driver.end;
  assert.deepEqual([goes, end.kind === 'committed' && end.next], [[{ reserve_ms: 7 }], next]);
});

const PAST: AttemptPast = {
  take_overs: 0,
  renderer_version: RENDERER_VERSION,
  plugin_versions: {},
  calls: [],
  last_invocation_seq: 0,
};

for (const [whether, around, expected] of [
  ['a message asks for it', { request: { inbox_id: 'message' } }, true],
  ['no message asks for it', {}, false],
  ['another driver has begun it', { request: { inbox_id: 'message' }, begun: { past: PAST } }, undefined],
] as const)
  test(`a commit says whether a message asks for its turn: ${whether}`, async (t) => {
    assert.equal((await commit(await holdDriver(t, smallPark(), around))).is_asked_for, expected);
  });

for (const [which, heads, before, after] of [
  ['that has never had a turn', new Map(), { turn_epoch: 0, is_active: false }, 1],
  [
    'whose turn is on record',
    new Map([['bob', { turn_epoch: 4, is_active: true }]]),
    { turn_epoch: 4, is_active: true },
    4,
  ],
  ['that was idle', new Map([['bob', { turn_epoch: 4, is_active: false }]]), { turn_epoch: 4, is_active: false }, 5],
] as readonly (readonly [string, AgentHeads, object, number])[])
  test(`a commit ends the turn of an agent ${which}, and leaves its head`, async (t) => {
    const driver = await holdDriver(t, smallPark(), { begun: { heads } });
    assert.deepEqual((await commit(driver)).agents, [{ agent_id: 'bob', head: before, status: 'idle' }]);
    const end = await driver.end;
    assert.ok(end.kind === 'committed');
    assert.deepEqual([...end.left.heads], [['bob', { turn_epoch: after, is_active: false }]]);
  });

test('a driver that cannot continue an attempt ends the turns of those agents that have one', async (t) => {
  const heads: AgentHeads = new Map([
    ['bob', { turn_epoch: 4, is_active: true }],
    ['ant', { turn_epoch: 2, is_active: false }],
  ]);
  const driver = await holdDriver(t, smallPark(), { begun: { heads, past: { ...PAST, take_overs: 6 } } });
  assert.equal((await driver.end).kind, 'failed');
  const [{ agents }] = driver.wrote('fail') as readonly [FailAttempt];
  assert.deepEqual(agents, [{ agent_id: 'bob', head: heads.get('bob'), status: 'idle' }]);
});

for (const [what, failure, delays] of [
  ['that may pass by itself', { failure_class: 'transport' }, 3],
  ['that says what the model did', { failure_class: 'model_refusal' }, undefined],
] as const)
  test(`a failure ${what} is written with the delays of a queued turn, and reported with what the store makes of it`, async (t) => {
    const put_off = { kind: 'put_off', retry: 1, delay_ms: 5 } as const;
    const failed: FailAttempt[] = [];
    const attempts = {
      fail: async (_lease: unknown, attempt: FailAttempt) => {
        failed.push(attempt);
        return put_off;
      },
    };
    const driver = await holdDriver(t, smallPark(), { attempts, request: { turn_retries: 3 } });
    await driver.fail(ONLY, failure);
    const end = await driver.end;
    assert.equal(failed[0]?.retry_delays_ms?.length, delays);
    assert.deepEqual(end.kind === 'failed' && end.put_off, put_off);
    assert.deepEqual(
      driver.progress.flatMap((event) => (event.kind === 'attempt_failed' ? [event.put_off] : [])),
      [put_off],
    );
  });

test('a turn that fails without a queued turn is put off nowhere', async (t) => {
  const driver = await holdDriver(t, smallPark());
  await driver.fail(ONLY, {});
  const end = await driver.end;
  assert.ok(end.kind === 'failed' && end.put_off === undefined);
});

/** The agents of a suspended attempt, and where each of them is. */
function agentsIn(driver: HeldDriver): readonly (readonly [agent_id: string, status: string])[] {
  const [{ agents }] = driver.wrote('suspend') as readonly [SuspendAttempt];
  return agents.map(({ agent_id, status }) => [agent_id, status]);
}

const LATER = { pending_deadline_ms: 60_000 };

test('an attempt that awaits the readings of a subject is suspended with its agent dispatched', async (t) => {
  const { ambients = [], ...park } = parkWithReadings([]);
  const driver = await holdDriver(t, smallPark({ ...park, ambients: ambients.map((one) => ({ ...one, ...LATER })) }));
  await driver.pend('bob/ambient/inbox');
  assert.equal((await driver.end).kind, 'suspended');
  assert.deepEqual(agentsIn(driver), [['bob', 'dispatched']]);
});

test('an attempt that awaits a tool is suspended with its agent, and others that are done run on', async (t) => {
  const shop: SmallPark = { subjects: ['bob', 'ant'], tools: ['buy'], allow: ['buy'], tool_binding: LATER };
  const driver = await holdDriver(t, smallPark(shop));
  await driver.answer(ONLY, finalPatch());
  await driver.answer('ant/act/round-1/try-1', toolCall('buy'));
  await driver.pend('ant/act/round-1/try-1/tool');
  assert.equal((await driver.end).kind, 'suspended');
  assert.deepEqual(agentsIn(driver), [
    ['bob', 'running'],
    ['ant', 'suspended'],
  ]);
});
