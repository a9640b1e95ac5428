import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ChunkBatch } from '../../engine/ports/sources.js';
import { openCallTrace } from '../../engine/sources/call-trace.js';
import type { Ready } from '../../engine/sources/passage.js';
import { createSecretReplacer } from '../../engine/sources/secrets.js';
import { ask, chatCall, makeFolder, makeRecorder, openTestSources, writePlugin } from './harness.js';

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
] as const)
  test(`of the reports ${JSON.stringify(reports)} the tokens are ${JSON.stringify(usage)}`, async (t) => {
    assert.deepEqual(await usageOf(t, reports), usage);
  });

/** The trace of a call that began at 1000, by a clock that the test sets. */
function openTrace(flushed: (batch: ChunkBatch) => Promise<void> = async () => {}) {
  const clock = { time: 1_000, now: () => clock.time };
  const passage = {
    command: chatCall(),
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
