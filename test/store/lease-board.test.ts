import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AttemptLease } from '../../engine/ports/attempts.js';
import { openBoard, postLease, readLeases } from '../../engine/store/heartbeat/lease-board.js';

const toLease = (number: number): AttemptLease => ({
  attempt_id: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`,
  world_slug: `w${'x'.repeat(63)}`,
  attempted_turn: Number.MAX_SAFE_INTEGER,
  epoch: Number.MAX_SAFE_INTEGER,
  request_mark: '0123456789ab',
});

const idsOn = (board: SharedArrayBuffer): readonly string[] => readLeases(board).map(({ attempt_id }) => attempt_id);

describe('the board of leases', () => {
  test('a lease of the longest name and the greatest numbers is read as it was written', () => {
    const board = openBoard();
    postLease(board, toLease(1));
    assert.deepEqual(readLeases(board), [toLease(1)]);
  });

  test('a lease that was taken off is gone, and the others stay', () => {
    const board = openBoard();
    const withdraw = postLease(board, toLease(1));
    postLease(board, toLease(2));
    withdraw();
    assert.deepEqual(idsOn(board), [toLease(2).attempt_id]);
  });

  test('the place of a lease that was taken off is used again', () => {
    const board = openBoard();
    for (let turn = 0; turn < 5_000; turn += 1) postLease(board, toLease(turn))();
    postLease(board, toLease(1));
    assert.deepEqual(idsOn(board), [toLease(1).attempt_id]);
  });

  test('a worker with the most hands has room for all of its leases, and more than that is refused', () => {
    const board = openBoard();
    for (let hand = 0; hand < 1_000; hand += 1) postLease(board, toLease(hand));
    assert.equal(new Set(idsOn(board)).size, 1_000);
    assert.throws(() => {
      for (let hand = 1_000; hand < 2_000; hand += 1) postLease(board, toLease(hand));
    }, /1024 leases at most/);
  });
});
