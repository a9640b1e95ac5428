import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RENDERER_VERSION } from '../../engine/core/prompt/renderer-version.js';
import type { AttemptPast, LeftAttempt, RecordedCall } from '../../engine/ports/attempts.js';
import type { CallFact } from '../../engine/ports/sources.js';
import type { AttemptRequest } from '../../engine/runtime/attempt-request.js';
import { findUnfit, toBegin, toPast } from '../../engine/runtime/begin.js';
import { eventOf, toRecorded } from '../../engine/runtime/event-of.js';
import type { RuntimeParts } from '../../engine/runtime/runtime-parts.js';
import { smallPark, smallWorld } from '../support/park-documents.js';
import { toolCall } from '../support/turn-player.js';
import { pastOf } from './held-driver.js';

const BROKE = {
  key: 'k',
  status: 'failed',
  failure_class: 'timeout',
  failure_message: 'Too late.',
  refused: false,
  duration_ms: 9,
} as const;
const FAILED = { kind: 'call_failed', key: 'k', failure_class: 'timeout', message: 'Too late.', duration_ms: 9 };
const ANSWERED = { key: 'k', status: 'succeeded', view: { ok: 1 }, duration_ms: 9 } as const;

const EVENTS: readonly (readonly [name: string, fact: CallFact, event: object])[] = [
  [
    'an answer has the tokens of question and answer',
    { ...ANSWERED, usage: { input_tokens: 5, output_tokens: 2, reasoning_tokens: 1 } },
    { kind: 'call_answered', key: 'k', value: { ok: 1 }, usage: { input_tokens: 5, output_tokens: 2 }, duration_ms: 9 },
  ],
  [
    'an answer whose tokens nobody counted has none',
    ANSWERED,
    { kind: 'call_answered', key: 'k', value: { ok: 1 }, duration_ms: 9 },
  ],
  [
    'a call that is answered later has a deadline',
    { key: 'k', status: 'pending', deadline: 70 },
    { kind: 'call_pended', key: 'k', deadline: 70 },
  ],
  [
    'a refused call has only class and message',
    { ...BROKE, refused: true, retry_after_ms: 5 },
    { kind: 'call_refused', key: 'k', failure_class: 'timeout', message: 'Too late.' },
  ],
  ['a failed call says what is known of it', BROKE, FAILED],
  [
    'a failed call says all that is known of it',
    { ...BROKE, outcome_unknown: true, retry_after_ms: 5, said: '{}', is_final: true, was_pending: true },
    { ...FAILED, outcome_unknown: true, retry_after_ms: 5, said: '{}', is_final: true, was_pending: true },
  ],
  ['a status belongs to a call that failed by it', { ...BROKE, http_status: 500 }, FAILED],
  [
    'a call that failed by its status says it',
    { ...BROKE, failure_class: 'http_status', http_status: 500 },
    { ...FAILED, failure_class: 'http_status', http_status: 500 },
  ],
  [
    'a call may fail by a status that was not recorded',
    { ...BROKE, failure_class: 'http_status' },
    { ...FAILED, failure_class: 'http_status' },
  ],
];

for (const [name, fact, event] of EVENTS) test(name, () => assert.deepEqual(eventOf(fact), event));

const call = (change: Partial<RecordedCall>): RecordedCall => ({
  source_invocation_id: 'id',
  invocation_seq: 1,
  key: 'k',
  request_hash: 'hash',
  effect: 'read_only',
  repeatable: false,
  started_at: 0,
  performance: 1,
  ...change,
});

test('an adopted call costs nothing and takes no time, whether it was answered or failed', () => {
  const usage = { input_tokens: 5, output_tokens: 2 };
  const costOf = (change: Partial<RecordedCall>) => {
    const { is_adopted, event } = toRecorded(call(change));
    const { usage: counted, duration_ms } = { usage: undefined, duration_ms: undefined, ...event } as const;
    return [is_adopted, counted, duration_ms];
  };
  assert.deepEqual(costOf({ fact: { ...ANSWERED, usage } }), [false, usage, 9]);
  assert.deepEqual(costOf({ fact: { ...ANSWERED, usage }, adopted_from: 'before' }), [true, 'paid_before', 0]);
  assert.deepEqual(costOf({ fact: BROKE, adopted_from: 'before' }), [true, undefined, 0]);
  assert.deepEqual(costOf({}), [false, undefined, undefined]);
});

const PAST: AttemptPast = {
  take_overs: 0,
  renderer_version: RENDERER_VERSION,
  plugin_versions: { http_json: '1', llm_chat: '1' },
  calls: [],
  last_invocation_seq: 0,
};

for (const [name, change, expected] of [
  ['the versions with which it began goes on', {}, undefined],
  ['five lost drivers goes on', { take_overs: 5 }, undefined],
  ['six lost drivers is poisoned', { take_overs: 6 }, 'poisoned'],
  ['another renderer does not go on', { renderer_version: 'older' }, 'record_mismatch'],
  ['another plugin that it uses does not go on', { plugin_versions: { http_json: '2' } }, 'record_mismatch'],
  ['another plugin that it does not use goes on', { plugin_versions: { llm_chat: '2' } }, undefined],
  ['no version of a plugin goes on', { plugin_versions: {} }, undefined],
] as const)
  test(`an attempt of ${name}`, () => {
    const parts = { plugin_versions: { http_json: '1', llm_chat: '1' } } as unknown as RuntimeParts;
    const unfit = findUnfit(parts, { ...PAST, ...change }, new Set(['http_json']));
    assert.equal(unfit?.failure_class, expected);
  });

test('an attempt that does not go on says which version it began with, and which there is', () => {
  const parts = { plugin_versions: { http_json: '1' } } as unknown as RuntimeParts;
  const unfit = findUnfit(parts, { ...PAST, plugin_versions: { http_json: '2' } }, new Set(['http_json']));
  assert.equal(unfit?.message, 'the attempt began with http_json 2, and this program has 1');
});

test('watchers learn how many calls an attempt begins with', () => {
  const calls = [
    call({ fact: ANSWERED }),
    call({ fact: BROKE }),
    call({ fact: { key: 'k', status: 'pending', deadline: 0 } }),
    call({}),
  ];
  assert.deepEqual(toPast(undefined, undefined), {});
  assert.deepEqual(toPast({ ...PAST, calls }, undefined), { continued: { answered: 2, interrupted: 1 } });
  assert.deepEqual(toPast({ ...PAST, calls }, 'before'), { adopts: { attempt_id: 'before', calls: 4 } });
});

for (const [what, change, adopted] of [
  ['failed for something that may pass by itself: all that was answered', {}, ['before']],
  ['failed over the only answer: nothing', { failed_source_invocation_id: 'before' }, []],
  ['failed for what may not pass by itself: nothing, where nothing was changed', { is_transient: false }, []],
] as const)
  test(`an attempt adopts of one that ${what}`, () => {
    const program = smallPark({ tools: ['buy_candy'], allow: ['buy_candy'] });
    const view = { text: JSON.stringify(toolCall('buy_candy')), finish_reason: 'stop' };
    const { past } = pastOf(program, [{ fact: { ...ANSWERED, view } }]);
    const left: LeftAttempt = {
      attempt_id: 'A',
      attempted_turn: 1,
      scenario_hash: program.scenario_hash,
      failure_class: 'http_status',
      is_transient: true,
      failed_source_invocation_id: 'another',
      world: smallWorld(),
      calls: past.calls,
      ...change,
    };
    const parts = { clock: { now: () => 0, uuid: () => 'id' } } as unknown as RuntimeParts;
    const request = { program, simulationTime: () => '2026-05-01T09:01:00.000Z' } as unknown as AttemptRequest;
    assert.deepEqual(toBegin(parts, request).adopt(left), { kind: 'adopts', source_invocation_ids: adopted });
  });
