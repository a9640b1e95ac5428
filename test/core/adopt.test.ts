import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adopt, type LeftTurn } from '../../engine/core/turn/adopt.js';
import { advance } from '../../engine/core/turn/advance.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { CallEvent } from '../../engine/core/protocol/event.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import { parkWithReadings, SMALL_PARK_BEGAN, smallPark } from '../support/park-documents.js';
import { answered, finalPatch, modelSays, toolCall } from '../support/turn-player.js';

const PROGRAM = smallPark(parkWithReadings(['weather', 'pa']));

/** Bob is told off once, buys, talks nonsense, and drinks; then Ant acts. In the order in which the calls ended. */
const WHOLE = play(['nonsense', toolCall('buy_candy'), 'nonsense', toolCall('drink'), finalPatch()]);

function play(outputs: readonly Parameters<typeof modelSays>[1][]): LeftTurn['records'] {
  let { state, commands } = advance(PROGRAM, UNBEGUN, SMALL_PARK_BEGAN);
  const says = [...outputs];
  const records: LeftTurn['records'][number][] = [];
  const waiting: Invoke[] = [];
  for (;;) {
    waiting.push(...commands.flatMap((command) => (command.kind === 'invoke' ? [command] : [])));
    const command = waiting.shift();
    if (command === undefined) return records;
    const event: CallEvent =
      command.invocation_kind === 'llm_generation'
        ? modelSays(command, says.shift() ?? finalPatch())
        : answered(command, { status: 'ok' });
    records.push({ ...toRecord(command), invocation_seq: records.length, event });
    ({ state, commands } = advance(PROGRAM, state, event));
  }
}

function toRecord({ key, request_hash, call: { effect, repeatable } }: Invoke): LeftTurn['records'][number] {
  return { source_invocation_id: key, invocation_seq: 0, key, request_hash, effect, repeatable };
}

const TRANSIENT = { failure_class: 'transport', is_transient: true } as const;
const CONTENT = { failure_class: 'generation_attempts_exhausted' } as const;

function adopted(records: LeftTurn['records'], failure: LeftTurn['failure'], scenario_hash = PROGRAM.scenario_hash) {
  const adoption = adopt(PROGRAM, SMALL_PARK_BEGAN, { scenario_hash, failure, records });
  return adoption.kind === 'adopts' ? adoption.source_invocation_ids : adoption.reason;
}

const keysOf = (records: LeftTurn['records']): readonly string[] => records.map(({ key }) => key);

/** The whole record up to the call of a key, that included. */
function upTo(key: string): LeftTurn['records'] {
  const index = WHOLE.findIndex((record) => record.key === key);
  assert.ok(index > 0, key);
  return WHOLE.slice(0, index + 1);
}

const BOUGHT = upTo('bob/act/round-1/try-2/tool');
const DRUNK = upTo('bob/act/round-2/try-2/tool');

test('a new attempt adopts all that has ended where the one before failed for something transient', () => {
  for (const failure of [
    TRANSIENT,
    { failure_class: 'poisoned' },
    { failure_class: 'interrupted' },
    { failure_class: 'call_rejected' },
  ] as const)
    for (const length of [1, 3, BOUGHT.length - 1, DRUNK.length, WHOLE.length])
      assert.deepEqual(adopted(WHOLE.slice(0, length), failure), keysOf(WHOLE.slice(0, length)));
});

test('a new attempt adopts all up to the last side effect where the one before failed for its content', () => {
  assert.deepEqual(adopted(WHOLE, CONTENT), keysOf(DRUNK));
  assert.deepEqual(adopted(DRUNK.slice(0, -1), CONTENT), keysOf(BOUGHT));
});

test('a new attempt adopts nothing of one that failed for its content before any side effect', () => {
  assert.deepEqual(adopted(BOUGHT.slice(0, -1), CONTENT), []);
});

test('a new attempt adopts neither failed calls nor calls without a recorded end', () => {
  const last = BOUGHT.at(-1);
  const earlier = BOUGHT.slice(0, -1);
  assert.ok(last);
  const { event: _event, ...unseen } = last;
  const failed = { kind: 'call_failed', key: last.key, failure_class: 'timeout', message: 'late' } as const;
  assert.deepEqual(adopted([...earlier, unseen], TRANSIENT), keysOf(earlier));
  assert.deepEqual(adopted([...earlier, { ...last, event: failed }], TRANSIENT), keysOf(earlier));
});

test('the answer over which an attempt failed is not adopted, and a side effect always is', () => {
  const [answer] = DRUNK.slice(-2);
  const act = DRUNK.at(-1);
  assert.ok(answer && act);
  assert.ok(!adopted(upTo(answer.key), { ...TRANSIENT, call_key: answer.key }).includes(answer.key));
  assert.deepEqual(adopted(DRUNK, { failure_class: 'stopped', call_key: act.key }), keysOf(DRUNK));
});

test('nothing is begun with other documents once a side effect has taken place', () => {
  const other = '0'.repeat(64);
  assert.deepEqual(adopted(BOUGHT.slice(0, -1), TRANSIENT, other), []);
  assert.match(String(adopted(BOUGHT, TRANSIENT, other)), /round-1\/try-2\/tool had its side effect.* have changed/);
});

test('nothing is begun where a side effect is not reached, because an earlier request is another', () => {
  const [first, ...rest] = BOUGHT;
  assert.ok(first);
  const changed = { ...first, request_hash: '0'.repeat(64) };
  assert.match(
    String(adopted([changed, ...rest], TRANSIENT)),
    new RegExp(`the record says that ${first.key} was asked`),
  );
});

test('nothing is begun where a side effect is never asked for, and an answer to what is never asked is left out', () => {
  const [first] = BOUGHT;
  assert.ok(first);
  const strange = { ...first, key: 'nobody/act/round-1/try-1', source_invocation_id: 'strange' };
  assert.deepEqual(adopted([...BOUGHT, strange], TRANSIENT), keysOf(BOUGHT));
  const acted = { ...strange, effect: 'state_change' } as const;
  assert.match(String(adopted([...BOUGHT, acted], TRANSIENT)), /nobody\/act\/round-1\/try-1, and this program never/);
});

test('a request that has changed is made again where no side effect followed from its answer', () => {
  const [first, ...rest] = upTo('bob/act/round-1/try-2');
  assert.ok(first);
  assert.deepEqual(adopted([{ ...first, request_hash: '0'.repeat(64) }, ...rest], TRANSIENT), [rest[0]?.key]);
});
