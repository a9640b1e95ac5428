import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ask, chatCall, openTestSources, summary, writePlugin } from './harness.js';
import { makeFolder } from '../support/folder.js';

/** The artifacts of an answer by a plugin that leaves this expression. */
async function artifactsOf(t: TestContext, expression: string) {
  const folder = await makeFolder(t);
  const entry = `export default { open: () => ({ async invoke(_, { trace }) {
    trace.artifact('seen', ${expression});
    return { value: { text: 'a', finish_reason: 'stop' } };
  } }) };`;
  await writePlugin(folder, 'leaves', entry, { speaks: 'chat' });
  const outcome = await ask(await openTestSources(t, { folders: [folder] }), chatCall({}, { name: 'leaves' }));
  return { artifacts: outcome.trace?.artifacts, outcome: summary(outcome) };
}

test('an artifact is kept as the plugin left it', async (t) => {
  const { artifacts } = await artifactsOf(t, '{ words: ["a", 1, null] }');
  assert.deepEqual(artifacts, [{ kind: 'seen', value: { words: ['a', 1, null] } }]);
});

test('of an artifact that is no JSON, the reason and the place are kept instead', async (t) => {
  const { artifacts } = await artifactsOf(t, '{ words: ["a", NaN] }');
  const [left] = artifacts ?? [];
  assert.deepEqual(Object.keys(left?.value as object), ['left_out']);
  assert.match(JSON.stringify(left?.value), /\(at \/words\/1\)/);
});

test('artifacts may be as large as six results and 64 KiB, and larger ones end the call', async (t) => {
  const { max_result_bytes } = chatCall().call.limits;
  const most = 6 * max_result_bytes + 65_536 - JSON.stringify({ kind: 'seen', value: '' }).length;
  const { outcome } = await artifactsOf(t, `'x'.repeat(${most})`);
  assert.deepEqual(outcome, { succeeded: { text: 'a', finish_reason: 'stop' } });
  const { outcome: above } = await artifactsOf(t, `'x'.repeat(${most + 1})`);
  assert.deepEqual(above, { failed: 'result_too_large', refused: false });
});
