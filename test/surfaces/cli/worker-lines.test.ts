import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSentence } from '../../../engine/surfaces/cli/render/worker.js';

const TURN = { world_slug: 'park', attempt_id: 'a', attempted_turn: 2 } as const;

test('a worker tells whether a turn began, or goes on and why', () => {
  const goesOn = { kind: 'turn_continued', ...TURN, answered: 3, interrupted: 0 } as const;
  assert.equal(toSentence({ kind: 'turn_began', ...TURN }), 'park: turn 2 began (attempt a)');
  assert.equal(
    toSentence({ ...goesOn, why: 'tool_result' }),
    'park: turn 2 goes on, for it was answered; 3 calls from the record (attempt a)',
  );
  assert.equal(
    toSentence({ ...goesOn, why: 'undriven', answered: 1, interrupted: 2 }),
    'park: turn 2 goes on, for its driver is gone or has handed it over; 1 call from the record, 2 that nobody saw end (attempt a)',
  );
});
