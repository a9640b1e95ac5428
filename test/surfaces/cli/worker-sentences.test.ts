import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fail } from '../../../engine/core/turn/command.js';
import { toSentence } from '../../../engine/surfaces/cli/render/worker.js';

function failed(failure: Omit<Fail, 'kind'>): string {
  const told = { world_slug: 'park', attempt_id: 'A', attempted_turn: 2 };
  return toSentence({ kind: 'turn_failed', ...told, failure: { kind: 'fail', ...failure } });
}

test('a worker says how to settle what its attempt failed over, and only that', () => {
  const message = 'nobody knows';
  const interrupted = failed({ failure_class: 'interrupted', message, call_key: 'bob/act/tool' });
  const settle = 'find out, and settle it: chukwa attempt settle A --result FILE if it did, --not-performed if not';
  assert.equal(interrupted, `park: turn 2 failed, interrupted: nobody knows (attempt A); ${settle}`);
  assert.doesNotMatch(failed({ failure_class: 'http_status', message, call_key: 'bob/act/tool' }), /settle/);
});
