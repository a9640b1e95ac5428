import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { writePlugin } from '../sources/harness.js';
import { waitUntil } from '../support/wait-until.js';
import { type Ended, makeFolder, startChukwa, whileRunning } from './command.js';

const ENTRY = 'export default { open: () => ({ invoke: async () => ({ value: {} }) }) };';

/** A plugin that does something once the file `go` stands beside it. While it is being loaded, others would hear of it. */
function thatLater(does: string): string {
  return `import { existsSync } from 'node:fs';
    const waiting = setInterval(() => {
      if (!existsSync(new URL('go', import.meta.url))) return;
      clearInterval(waiting);
      ${does}
    }, 10);
    ${ENTRY}`;
}

/** Lets a worker work with such a plugin, and the plugin do it. */
async function breakOut(context: TestContext, does: string, words: readonly string[] = []): Promise<Ended> {
  const folder = await makeFolder(context);
  await writePlugin(folder, 'leaky', thatLater(does));
  const worker = startChukwa(['worker', ...words], { CHUKWA_DATABASE_URL: 'memory:', CHUKWA_PLUGIN_PATH: folder });
  context.after(() => worker.kill('SIGKILL'));
  await whileRunning(
    worker,
    waitUntil(() => worker.said().includes('working')),
  );
  await writeFile(join(folder, 'leaky', 'go'), '');
  return worker.ended;
}

const LEAKS = {
  throws: 'throw new Error("the key is 12345");',
  'leaves a rejection': 'void Promise.reject(new Error("the key is 12345"));',
};

for (const [how, does] of Object.entries(LEAKS))
  test(`a plugin that ${how} where nobody can catch it ends a worker with 4, and is named without what it said`, async (context) => {
    const { code, stderr } = await breakOut(context, does);
    assert.equal(code, 4, stderr);
    assert.match(stderr.replaceAll(/\s+/g, ' '), /The plugin leaky threw something outside of its calls/);
    assert.match(stderr.replaceAll(/\s+/g, ''), /leaky\/index\.js:\d+/);
    assert.doesNotMatch(stderr, /12345|node:internal/);
    const verbose = await breakOut(context, does, ['--verbose']);
    assert.match(verbose.stderr, /the key is 12345/);
  });

test('a plugin that calls process.exit once it is loaded ends a worker with 4, and is named', async (context) => {
  const { code, stderr } = await breakOut(context, 'process.exit(0);');
  assert.equal(code, 4, stderr);
  const said = stderr.replaceAll(/\s+/g, ' ');
  assert.match(said, /The plugin leaky would have ended the process: process\.exit\(0\) was called/);
  assert.match(said, /PLUGIN_BROKE_OUT/);
});

test('a call of process.exit that nobody can be blamed for ends a worker with 4 as well', async (context) => {
  const { code, stderr } = await breakOut(context, 'Error.stackTraceLimit = 0; process.exit(0);');
  assert.equal(code, 4, stderr);
  assert.match(stderr.replaceAll(/\s+/g, ' '), /process\.exit\(0\) was called by something that chukwa has loaded/);
});
