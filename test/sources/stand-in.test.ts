import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../engine/generated/answers.js';
import { ask, chatCall, jsonCall, openTestSources } from './harness.js';

// Every way in which a written answer stands in for a source, or for a model.

type Expected = Readonly<Record<string, unknown>>;

const failed = (failure_class: string, failure_message: string, rest: Expected = {}): Expected => {
  return { status: 'failed', failure_class, failure_message, ...rest };
};
const says = (text: string, finish_reason: string): Expected => ({
  status: 'succeeded',
  view: { text, finish_reason },
});

const ANSWERS: readonly (readonly [speaks: 'json' | 'chat', answer: Answer | undefined, expected: Expected])[] = [
  ['json', { json: { sunny: true } }, { status: 'succeeded', view: { sunny: true } }],
  ['json', { text: '{"sunny":false}' }, { status: 'succeeded', view: { sunny: false } }],
  ['json', { failure: 'timeout' }, failed('timeout', 'the answer that was written says timeout')],
  ['json', { failure: 'unavailable', message: 'gone' }, failed('unavailable', 'gone')],
  [
    'json',
    { failure: 'call_rejected', message: 'no', text: 'sold out' },
    failed('call_rejected', 'no; it said: sold out'),
  ],
  [
    'json',
    { failure: 'http_status', message: 'no', http_status: 404 },
    failed('http_status', 'no', { http_status: 404 }),
  ],
  [
    'json',
    { status: 503, body: { busy: true } },
    failed('http_status', 'the answer that was written has status 503; it said: {"busy":true}', { http_status: 503 }),
  ],
  ['json', { status: 500 }, failed('http_status', 'the answer that was written has status 500', { http_status: 500 })],
  ['json', { fault: 'hang' }, failed('timeout', 'the answer that was written never ends')],
  ['json', { fault: 'reset' }, failed('transport', 'the answer that was written breaks off (reset)')],
  ['json', undefined, failed('unavailable', 'the answers hold none for turn 1, key "bob/act/round-1/try-1"')],
  ['chat', { json: { kind: 'final_patch' } }, says('{"kind":"final_patch"}', 'stop')],
  ['chat', { text: 'Well', finish_reason: 'length' }, says('Well', 'length')],
  [
    'chat',
    { text: 'Well', fault: 'no_finish' },
    failed('transport', 'the answer that was written breaks off (no_finish)'),
  ],
  ['chat', { refusal: 'never' }, failed('model_refusal', 'the model refused: never')],
];

for (const [answer, lengths, usage] of [
  [{ text: 'Well, well' }, [10], undefined],
  [{ text: 'Well, well', chunk_characters: 4 }, [4, 4, 2], undefined],
  [{ json: 7, usage: { input_tokens: 3, output_tokens: 4 } }, [1], { input_tokens: 3, output_tokens: 4 }],
] as const)
  test(`a model says ${JSON.stringify(answer)} in pieces of ${JSON.stringify(lengths)} characters`, async (t) => {
    const outcome = await ask(await openTestSources(t, { answerCall: () => answer }), chatCall());
    assert.deepEqual([outcome.trace?.chunks?.lengths, outcome.usage], [lengths, usage]);
  });

for (const [speaks, answer, expected] of ANSWERS)
  test(`the written answer ${JSON.stringify(answer)} stands in for ${speaks === 'chat' ? 'a model' : 'a source'}`, async (t) => {
    const sources = await openTestSources(t, { answerCall: () => answer });
    const outcome = await ask(sources, speaks === 'chat' ? chatCall() : jsonCall());
    const { status, view, failure_class, failure_message, http_status } = outcome as unknown as Expected;
    const all = { status, view, failure_class, failure_message, http_status };
    assert.deepEqual(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)), expected);
  });
