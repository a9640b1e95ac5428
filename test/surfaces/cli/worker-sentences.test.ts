import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fail } from '../../../engine/core/protocol/command.js';
import type { PutOff } from '../../../engine/ports/attempts.js';
import { toSentence } from '../../../engine/surfaces/cli/render/worker.js';

function failed(
  failure: Omit<Fail, 'kind'>,
  more: { readonly put_off?: PutOff; readonly is_used_up?: true } = {},
): string {
  const turn = { world_slug: 'park', attempt_id: 'A', attempted_turn: 2, ...more };
  return toSentence({ kind: 'turn_failed', ...turn, failure: { kind: 'fail', ...failure } });
}

test('a worker says how to settle what its attempt failed over, and only that', () => {
  const message = 'nobody knows';
  const doubtful = failed({ failure_class: 'timeout', message, call_key: 'bob/act/tool', is_in_doubt: true });
  const settle =
    'find out whether its side effect took place, and settle it: chukwa attempt settle A --result FILE if it did, --not-performed if not';
  assert.equal(doubtful, `park: turn 2 failed, timeout: nobody knows (attempt A); ${settle}`);
  assert.doesNotMatch(failed({ failure_class: 'http_status', message, call_key: 'bob/act/tool' }), /settle/);
});

test('a worker says how many calls an attempt adopts, and of which', () => {
  const began = { kind: 'turn_began', world_slug: 'park', attempt_id: 'B', attempted_turn: 2 } as const;
  assert.equal(toSentence(began), 'park: turn 2 began (attempt B)');
  const adopts = { attempt_id: 'A', calls: 3 };
  assert.equal(toSentence({ ...began, adopts }), 'park: turn 2 began, with 3 calls adopted from attempt A (attempt B)');
});

test('a worker announces no retry of a turn that waits until a call is settled', () => {
  const put_off = { kind: 'put_off', retry: 2, delay_ms: 3_500 } as const;
  const doubtful = { failure_class: 'timeout', message: 'nobody knows', is_in_doubt: true } as const;
  assert.doesNotMatch(failed(doubtful, { put_off }), /tried again/);
});

test('a worker says when it tries a failed turn anew', () => {
  const failure = { failure_class: 'http_status', message: 'busy' } as const;
  assert.equal(
    failed(failure, { put_off: { kind: 'put_off', retry: 2, delay_ms: 3_500 } }),
    'park: turn 2 failed, http_status: busy (attempt A); tried again in 3.5 s, retry 2',
  );
});

test('a worker says that a queued turn is used up by its failure', () => {
  const said = failed({ failure_class: 'model_content', message: 'nonsense' }, { is_used_up: true });
  assert.equal(said, 'park: turn 2 failed, model_content: nonsense (attempt A); the queued turn is used up');
});
