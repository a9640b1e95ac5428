import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ChunkBatch } from '../../engine/ports/sources.js';
import { doubtCounts } from '../../engine/core/protocol/token-counts.js';
import { openCallTrace } from '../../engine/sources/call-trace.js';
import type { Ready } from '../../engine/sources/passage.js';
import { createSecretReplacer } from '../../engine/sources/secrets.js';
import { ask, chatCall, makeRecorder, openTestSources, writePlugin } from './harness.js';
import { makeFolder } from '../support/folder.js';

/** The recorded tokens of a call whose plugin reports these. */
async function usageOf(t: TestContext, reports: readonly unknown[]) {
  const folder = await makeFolder(t);
  const entry = `export default { open: () => ({ async invoke(_, { trace }) {
    for (const report of ${JSON.stringify(reports)}) trace.tokens(report);
    return { value: { text: 'a', finish_reason: 'stop' } };
  } }) };`;
  await writePlugin(folder, 'counts', entry, { speaks: 'chat' });
  return (await ask(await openTestSources(t, { folders: [folder] }), chatCall({}, { name: 'counts' }))).usage;
}

const GOOD = { input_tokens: 0, output_tokens: 5 };

for (const [reports, usage] of [
  [[], undefined],
  [[GOOD], GOOD],
  [
    [{ ...GOOD, cached_input_tokens: 0, reasoning_tokens: 2 }],
    { ...GOOD, cached_input_tokens: 0, reasoning_tokens: 2 },
  ],
  [[{ ...GOOD, cached_input_tokens: -1, reasoning_tokens: 1.5 }], GOOD],
  [[{ input_tokens: 5 }], undefined],
  [[{ output_tokens: 5 }], undefined],
  [[{ input_tokens: 5, output_tokens: '5' }], undefined],
  [[GOOD, { input_tokens: -1, output_tokens: 5 }], GOOD],
  [[GOOD, { input_tokens: 6, output_tokens: 7 }], { input_tokens: 6, output_tokens: 7 }],
  [
    [
      { input_tokens: 40_000, output_tokens: 10_000 },
      { input_tokens: 1, output_tokens: 1 },
    ],
    undefined,
  ],
] as const)
  test(`of the reports ${JSON.stringify(reports)} the tokens are ${JSON.stringify(usage)}`, async (t) => {
    assert.deepEqual(await usageOf(t, reports), usage);
  });

/** The trace of a call that began at 1000, by a clock that the test sets. */
function openTrace(flushed: (batch: ChunkBatch) => Promise<void> = async () => {}, output_limit?: number) {
  const clock = { time: 1_000, now: () => clock.time };
  const command = chatCall();
  const source = { ...command.call.source, ...(output_limit === undefined ? {} : { output_limit }) };
  const passage = {
    command: { ...command, call: { ...command.call, source } },
    recorder: makeRecorder({ flushed }),
    started_at: 1_000,
    secrets: createSecretReplacer([]),
    route: { plugin: { speaks: 'chat' } },
  } as unknown as Ready;
  return { clock, ...openCallTrace(passage, { clock, alarm: () => () => {} }, () => {}) };
}

test('a piece has its time from the start of the call, and none where the clock was set back', async () => {
  const { clock, sink, finish } = openTrace();
  for (const time of [1_000, 1_250, 900]) {
    clock.time = time;
    sink.chunk('a');
  }
  assert.deepEqual((await finish()).trace?.chunks?.offsets_ms, [0, 250, 0]);
});

test('what is reported once a call has ended is dropped', async () => {
  const { sink, finish } = openTrace();
  const finished = finish();
  sink.chunk('late');
  sink.tokens(GOOD);
  sink.artifact('late', 1);
  assert.deepEqual(await finished, { trace: { chunks: undefined, artifacts: [] } });
});

for (const [name, reports, output_limit, doubt] of [
  [
    'that shrink',
    [
      { input_tokens: 400, output_tokens: 100 },
      { input_tokens: 1, output_tokens: 100 },
    ],
    undefined,
    /400 tokens of the prompt.*, and then 1 /,
  ],
  ['of more than the limit that was sent', [{ input_tokens: 40, output_tokens: 2_000 }], 1_000, /2000 tokens.*1000/],
  ['that grow', [GOOD, { input_tokens: 40, output_tokens: 100 }], 1_000, undefined],
  [
    'of reasoning beside the limit',
    [{ input_tokens: 40, output_tokens: 9_000, reasoning_tokens: 8_500 }],
    1_000,
    undefined,
  ],
] as const)
  test(`counts ${name} are ${doubt ? 'not believed, and are no counts of the call' : 'believed'}`, async () => {
    const { sink, finish } = openTrace(undefined, output_limit);
    sink.chunk('a');
    for (const report of reports) sink.tokens(report);
    const { usage, trace } = await finish();
    assert.deepEqual(usage, doubt ? undefined : reports.at(-1));
    assert.match(JSON.stringify(trace?.artifacts), doubt ?? /^\[\]$/);
  });

const PROMPT = (text: string) => [{ role: 'user', segments: [{ origin: 'author', text }], hash: 'a' }] as const;

for (const [name, counts, prompt, said, doubt] of [
  ['a prompt that its server cut', [2_048, 20], 80_000, 10, /80000 characters, and 2048 tokens.*may have cut it/],
  ['a prompt that fits', [10_000, 20], 80_000, 10, undefined],
  ['a short prompt that was counted low', [10, 20], 3_999, 10, undefined],
  ['a text of no tokens', [10, 0], 100, 10, /10 characters, and no token/],
  ['no text of no tokens', [10, 0], 100, 0, undefined],
  ['a prompt of no tokens', [0, 5], 100, 10, /100 characters, and no token/],
  ['a prompt of more tokens than its bytes can make', [1e9, 20], 1_700, 10, /1700 characters, and 1000000000 tokens/],
  ['an answer of more tokens than any model writes', [400, 1e9], 1_700, 10, /10 characters, and 1000000000 tokens/],
  ['a prompt in a script of which each character is three tokens', [12_000, 20], 4_000, 10, undefined],
  ['an answer that was thought about in secret', [400, 60_000], 1_700, 10, undefined],
  ['a negative count', [-1, 5], 100, 10, /-1 is no number of tokens/],
  ['a count of more than any model is given', [1e15, 5], 100, 10, /1000000000000000 is no number of tokens/],
] as const)
  test(`the counts of ${name} are ${doubt ? 'doubted' : 'believed'}`, () => {
    const [input_tokens, output_tokens] = counts;
    const said_why = doubtCounts({ input_tokens, output_tokens }, PROMPT('x'.repeat(prompt)), said);
    if (doubt) assert.match(said_why ?? '', doubt);
    else assert.equal(said_why, undefined);
  });
