import assert from 'node:assert/strict';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compose } from '../../../engine/main.js';
import { runCommandLine } from '../../../engine/surfaces/cli/command-line.js';
import { emptyDatabase } from '../../support/databases.js';
import { openTestTerminal } from './test-terminal.js';
import { makeFolder } from '../../support/folder.js';

const database = await emptyDatabase({ after });
const folder = await makeFolder({ after });
before(async () => {
  await mkdir(join(folder, 'bakery'));
});

async function chukwa(...words: readonly string[]) {
  const terminal = openTestTerminal({ working_folder: folder });
  const code = await runCommandLine(await compose(database), words, terminal);
  return { code, error: terminal.error_text() };
}

test('a search that cannot be asked is wrong usage, and one for a world that is not there is refused', async () => {
  const asked = async (...words: readonly string[]) => (await chukwa('search', 'fog', ...words)).code;
  assert.deepEqual(
    [await asked('--turn', '1..2'), await asked('--limit', '0'), await asked('--world', 'nowhere'), await asked()],
    [2, 2, 1, 0],
  );
});

test('stop with the name of a world says how to stop its attempts, and how to take back its queued turns', async () => {
  const { code, error } = await chukwa('stop', 'lighthouse');
  assert.equal(code, 1);
  assert.match(error, /chukwa attempts\s+lighthouse[^]*chukwa stop\s+lighthouse\s+--queued/);
});

test('schemas are not written for a folder that is not there', async () => {
  const { code, error } = await chukwa('schemas', 'bakry', '--write', 'schemas');
  assert.equal(code, 1);
  assert.match(error, /bakry[^]*no such file or folder[^]*Did you mean bakery\?/);
  await assert.rejects(access(join(folder, 'schemas')));
});

for (const name of ['attempt', 'invocation', 'llm-call', 'agent-turn'])
  test(`${name} with an id that is cut says that it takes the whole id`, async () => {
    const { code, error } = await chukwa(name, '01a214dd-ebc2');
    assert.equal(code, 1);
    assert.match(error, /Write the whole id\. See npx chukwa att/);
  });
