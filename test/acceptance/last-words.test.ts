import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writePlugin } from '../sources/harness.js';
import { makeFolder, runChukwa } from './command.js';

const THROWS = 'const leak = () => { throw new Error("the key is 12345"); };\nsetTimeout(leak, 10);\n';
const REJECTS = 'setTimeout(() => void Promise.reject(new Error("the key is 12345")), 10);\n';
const ENTRY = 'export default { open: () => ({ invoke: async () => ({ value: {} }) }) };\n';

for (const [how, breakOut] of Object.entries({ throws: THROWS, 'leaves a rejection': REJECTS }))
  test(`a plugin that ${how} where nobody can catch it ends a worker with 4, and is named without what it said`, async (context) => {
    const folder = await makeFolder(context);
    await writePlugin(folder, 'leaky', breakOut + ENTRY);
    const variables = { CHUKWA_DATABASE_URL: 'memory:', CHUKWA_PLUGIN_PATH: folder };
    const { code, stderr } = await runChukwa(['worker'], variables);
    assert.equal(code, 4, stderr);
    assert.match(stderr.replaceAll(/\s+/g, ' '), /The plugin leaky threw something outside of its calls/);
    assert.match(stderr.replaceAll(/\s+/g, ''), /leaky\/index\.js:\d+/);
    assert.doesNotMatch(stderr, /12345|node:internal/);
    const verbose = await runChukwa(['worker', '--verbose'], variables);
    assert.match(verbose.stderr, /the key is 12345/);
  });

test('a plugin that calls process.exit once it is loaded ends a worker with 4, and is named', async (context) => {
  const folder = await makeFolder(context);
  await writePlugin(folder, 'leaver', `setTimeout(() => process.exit(0), 300);\n${ENTRY}`);
  const variables = { CHUKWA_DATABASE_URL: 'memory:', CHUKWA_PLUGIN_PATH: folder };
  const { code, stderr } = await runChukwa(['worker'], variables);
  assert.equal(code, 4, stderr);
  const said = stderr.replaceAll(/\s+/g, ' ');
  assert.match(said, /The plugin leaver would have ended the process: process\.exit\(0\) was called/);
  assert.match(said, /PLUGIN_BROKE_OUT/);
});

test('a call of process.exit that nobody can be blamed for ends a worker with 4 as well', async (context) => {
  const folder = await makeFolder(context);
  const hides = `setTimeout(() => { Error.stackTraceLimit = 0; process.exit(0); }, 300);\n${ENTRY}`;
  await writePlugin(folder, 'hides', hides);
  const variables = { CHUKWA_DATABASE_URL: 'memory:', CHUKWA_PLUGIN_PATH: folder };
  const { code, stderr } = await runChukwa(['worker'], variables);
  assert.equal(code, 4, stderr);
  assert.match(stderr.replaceAll(/\s+/g, ' '), /process\.exit\(0\) was called by something that chukwa has loaded/);
});
