import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallAnswered } from '../../engine/core/protocol/event.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import { advance } from '../../engine/core/turn/advance.js';
import { UNBEGUN } from '../../engine/core/turn/state.js';
import { SMALL_PARK_BEGAN, smallPark } from '../support/park-documents.js';
import { finalPatch } from '../support/turn-player.js';

const PROMPT = `See ${'ä'.repeat(4_000)}`;
/** Four bytes are taken for a token. */
const ESTIMATE = { input_tokens: Math.ceil(Buffer.byteLength(PROMPT) / 4), output_tokens: 18 };

/** What becomes of a turn whose only generation counts so. */
function play(token_budget: number, usage: CallAnswered['usage']) {
  const program = smallPark({ prompt: PROMPT, constraints: { token_budget, timeout_seconds: 60 } });
  const begun = advance(program, UNBEGUN, SMALL_PARK_BEGAN);
  const { key } = begun.commands[0] as Invoke;
  const value = { text: JSON.stringify(finalPatch()), finish_reason: 'stop' };
  assert.equal(Math.ceil(value.text.length / 4), ESTIMATE.output_tokens);
  const counted = usage === undefined ? {} : { usage };
  const step = advance(program, begun.state, { kind: 'call_answered', key, value, duration_ms: 1, ...counted });
  return { end: step.commands[0], noted: step.verdict?.artifacts.find(({ kind }) => kind === 'tokens_estimated') };
}

for (const [what, usage] of [
  ['no counts', undefined],
  ['counts of zero', { input_tokens: 0, output_tokens: 0 }],
  ['a prompt of no tokens', { input_tokens: 0, output_tokens: 5 }],
  ['an answer of no tokens', { input_tokens: 1_800, output_tokens: 0 }],
  ['a count that no prompt of its length can have', { input_tokens: 10, output_tokens: 5 }],
] as const)
  test(`of ${what} a budget counts an estimate, which is recorded as one`, () => {
    const { end, noted } = play(1_000, usage);
    assert.ok(end?.kind === 'fail');
    assert.equal(end.failure_class, 'budget_exhausted');
    const used = ESTIMATE.input_tokens + ESTIMATE.output_tokens;
    assert.match(
      end.message,
      new RegExp(`${used} tokens of its token_budget of 1000, of which the last are estimated`),
    );
    assert.deepEqual(noted?.value, ESTIMATE);
    assert.equal(play(used, usage).end?.kind, 'commit');
    assert.deepEqual(play(used, usage).noted?.value, ESTIMATE);
  });

test('counts that can be true are counted as they are, and those of an adopted call not again', () => {
  for (const [usage, end] of [
    [{ input_tokens: 995, output_tokens: 5 }, 'commit'],
    [{ input_tokens: 996, output_tokens: 5 }, 'fail'],
    ['paid_before', 'commit'],
  ] as const) {
    const played = play(1_000, usage);
    assert.equal(played.end?.kind, end);
    assert.equal(played.noted, undefined);
  }
});
