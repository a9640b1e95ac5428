import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { advance } from '../../engine/core/turn/advance.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import type { TurnEvent } from '../../engine/core/protocol/event.js';
import { type TurnState, UNBEGUN } from '../../engine/core/turn/state.js';
import { type SmallPark, smallPark, smallWorld } from '../support/park-documents.js';
import { answered, finalPatch, modelSays, toolCall } from '../support/turn-player.js';

const BEGAN: TurnEvent = { kind: 'turn_began', world: smallWorld(), simulation_time: '2026-05-01T09:01:00.000Z' };

const reading = (id: string) => ({
  id,
  run: 'once_per_turn',
  scope: 'world',
  visible_to: 'all_subjects',
  request_template: { which: id },
  inject_as: `/ambient/${id}`,
});

const TWO_READINGS: SmallPark = { ambients: [reading('weather'), reading('pa')] };

/** A turn that handles one event after another; each line shows its commands then. */
function openTurn(park: SmallPark) {
  const program = smallPark(park);
  const asked = new Map<string, Invoke>();
  let state: TurnState = UNBEGUN;
  const handle = (event: TurnEvent): readonly string[] => {
    const step = advance(program, state, event);
    state = step.state;
    return step.commands.map((command) => {
      if (command.kind === 'invoke') asked.set(command.key, command);
      if (command.kind === 'invoke') return `ask ${command.key}`;
      if (command.kind === 'suspend') return `rest until ${command.resume_deadline}`;
      return command.kind === 'fail' ? `fail ${command.failure_class}` : 'commit';
    });
  };
  const call = (name: string): Invoke => {
    const found = [...asked.values()].find(({ key }) => key.includes(name));
    assert.ok(found, `${name} was never asked`);
    return found;
  };
  handle(BEGAN);
  return {
    handle,
    call,
    pend: (name: string, deadline: number) => handle({ kind: 'call_pended', key: call(name).key, deadline }),
    answer: (name: string) => handle(answered(call(name), { status: 'ok' })),
    fail: (name: string) =>
      handle({ kind: 'call_failed', key: call(name).key, failure_class: 'timeout', message: 'too late' }),
  };
}

describe('a turn one of whose answers comes later', () => {
  test('a turn suspends when only pending calls are awaited, and resumes with the answer', () => {
    const turn = openTurn({ ambients: [reading('weather')] });
    assert.deepEqual(turn.pend('weather', 50), ['rest until 50']);
    assert.deepEqual(turn.answer('weather'), ['ask bob/act/round-1/try-1']);
  });

  test('a turn does not suspend while another call is under way', () => {
    const turn = openTurn(TWO_READINGS);
    assert.deepEqual(turn.pend('weather', 50), []);
    assert.deepEqual(turn.answer('pa'), ['rest until 50']);
  });

  test('a turn suspends until the first of several deadlines, and again after each answer', () => {
    const turn = openTurn(TWO_READINGS);
    turn.pend('weather', 70);
    assert.deepEqual(turn.pend('pa', 50), ['rest until 50']);
    assert.deepEqual(turn.answer('pa'), ['rest until 70']);
    assert.deepEqual(turn.answer('weather'), ['ask bob/act/round-1/try-1']);
  });

  test('a turn handles once that an answer comes later, and ignores it after the answer', () => {
    const turn = openTurn(TWO_READINGS);
    turn.pend('weather', 70);
    assert.deepEqual(turn.pend('weather', 10), []);
    turn.answer('weather');
    assert.deepEqual(turn.pend('weather', 10), []);
    assert.deepEqual(turn.answer('weather'), []);
    assert.deepEqual(turn.answer('pa'), ['ask bob/act/round-1/try-1']);
  });

  test('a turn handles an answer that arrives before the news that it comes later', () => {
    const turn = openTurn({ ambients: [reading('weather')] });
    assert.deepEqual(turn.answer('weather'), ['ask bob/act/round-1/try-1']);
    assert.deepEqual(turn.pend('weather', 50), []);
  });

  test('a turn fails when the deadline of a pending call has passed', () => {
    const turn = openTurn({ ambients: [reading('weather')] });
    turn.pend('weather', 50);
    assert.deepEqual(turn.fail('weather'), ['fail timeout']);
    assert.deepEqual(turn.answer('weather'), []);
  });

  test('a turn that fails elsewhere does not wait for its pending call', () => {
    const turn = openTurn(TWO_READINGS);
    turn.pend('weather', 50);
    assert.deepEqual(turn.fail('pa'), ['fail timeout']);
  });

  test('a turn that has failed ends as soon as only pending calls are left', () => {
    const turn = openTurn(TWO_READINGS);
    assert.deepEqual(turn.fail('pa'), []);
    assert.deepEqual(turn.pend('weather', 50), ['fail timeout']);
  });

  test('a turn with a pending call ends at once when it is stopped', () => {
    const turn = openTurn({ ambients: [reading('weather')] });
    turn.pend('weather', 50);
    assert.deepEqual(turn.handle({ kind: 'stopped', reason: 'enough' }), ['fail stopped']);
  });

  test('a tool that a model elected may be pending', () => {
    const turn = openTurn({ tools: ['buy_candy'] });
    turn.handle(modelSays(turn.call('round-1'), toolCall('buy_candy')));
    assert.deepEqual(turn.pend('/tool', 50), ['rest until 50']);
    assert.deepEqual(turn.answer('/tool'), ['ask bob/act/round-2/try-1']);
    assert.deepEqual(turn.handle(modelSays(turn.call('round-2'), finalPatch())), ['commit']);
  });
});
