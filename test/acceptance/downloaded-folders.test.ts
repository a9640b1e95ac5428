import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { writePlugin } from '../sources/harness.js';
import { loadScript } from '../support/park-stage.js';
import { waitUntil } from '../support/wait-until.js';
import { type Ended, startChukwa, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';
import { writeOwnReading } from './readings.js';

/** A plugin that leaves a mark where its code runs. */
const MARKING = `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./mark', import.meta.url), '');
export default { open: () => ({ invoke: async () => ({ value: 1 }) }) };
`;

/** A folder with a plugin, a world that uses it, and its database, as somebody may have packed it. */
async function openDownload(t: TestContext) {
  const [folder, user] = [await makeFolder(t), await makeFolder(t)];
  const place = join(folder, 'plugins', 'own_reading');
  await writePlugin(join(folder, 'plugins'), 'own_reading', MARKING);
  const model = await startScriptedModel(await loadScript('simple'));
  t.after(() => model.close());
  const variables = { XDG_CONFIG_HOME: user, CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: 'none-is-needed' };
  const start = (words: readonly string[], more = {}) => startChukwa(words, { ...variables, ...more }, folder);
  const chukwa = (words: readonly string[], more = {}): Promise<Ended> => start(words, more).ended;
  const scenario = await writeOwnReading(folder);
  const created = await chukwa(['world', 'create', 'brief', '--scenario', scenario, '--root', folder]);
  assert.equal(created.code, 0, created.stderr);
  return { folder, place, chukwa, start, isMarked: () => existsSync(join(place, 'mark')) };
}

test('the code of a plugin of the working folder runs once a person has confirmed it, and after a change once more', async (t) => {
  const { folder, place, chukwa, isMarked } = await openDownload(t);
  const planted = join(folder, '.config', 'chukwa');
  await mkdir(planted, { recursive: true });
  const claim = JSON.stringify({ [place]: 'f'.repeat(64) });
  await writeFile(join(planted, 'plugins.json'), claim, { mode: 0o600 });
  const refused = await chukwa(['run', 'brief'], { XDG_CONFIG_HOME: '.config' });
  assert.deepEqual([refused.code, isMarked()], [1, false], refused.stderr);
  assert.match(refused.stderr.replaceAll(/\s+/g, ' '), /nobody has confirmed it.* plugin trust \S+own_reading/);
  const listed = JSON.parse((await chukwa(['plugin', 'list', '--json'])).stdout) as {
    readonly problems: readonly { readonly code: string }[];
  };
  assert.deepEqual(
    listed.problems.map(({ code }) => code),
    ['PLUGIN_UNCONFIRMED'],
  );
  assert.equal((await chukwa(['plugin', 'trust', 'plugins/own_reading'])).code, 0);
  assert.equal((await chukwa(['run', 'brief'])).code, 0);
  assert.equal(isMarked(), true);
  await rm(join(place, 'mark'));
  await appendFile(join(place, 'index.js'), '// another\n');
  const changed = await chukwa(['run', 'brief']);
  assert.deepEqual([changed.code, isMarked()], [1, false]);
  assert.match(changed.stderr, /it has changed/);
  assert.equal((await chukwa(['plugin', 'trust', 'plugins/own_reading'])).code, 0);
  // A module may be in a file of any name.
  await appendFile(join(place, 'code'), 'globalThis.more = 1;\n');
  assert.match((await chukwa(['run', 'brief'])).stderr, /it has changed/);
  await rm(join(place, 'code'));
  assert.equal((await chukwa(['run', 'brief'], { CHUKWA_PLUGIN_PATH: join(folder, 'plugins') })).code, 0);
});

test('serve over an embedded database leaves turns that were queued elsewhere, and says how they run', async (t) => {
  const { folder, chukwa, start } = await openDownload(t);
  const more = { CHUKWA_PLUGIN_PATH: join(folder, 'plugins') };
  const turnOf = async (): Promise<unknown> =>
    (JSON.parse((await chukwa(['world', 'show', 'brief', '--json'], more)).stdout) as { readonly turn: unknown }).turn;
  assert.equal((await chukwa(['run', 'brief', '--queue'], more)).code, 0);
  for (const [words, said, turn] of [
    [['serve', '--port', '0'], /one message waits, such as a queued turn: \S.* serve --work/, 0],
    [['serve', '--port', '0', '--work'], /brief: turn 1 committed/, 1],
  ] as const) {
    const running = start(words, more);
    await whileRunning(
      running,
      waitUntil(() => said.test(running.said())),
    );
    running.kill('SIGTERM');
    assert.equal((await running.ended).code, 0);
    assert.equal(await turnOf(), turn);
  }
});

test('serve over an embedded database runs the turns that an operator queues there', async (t) => {
  const { folder, chukwa, start } = await openDownload(t);
  const token = 'an-operator-of-worlds-with-32-characters';
  const more = { CHUKWA_PLUGIN_PATH: join(folder, 'plugins'), CHUKWA_OPERATOR_TOKEN: token };
  const running = start(['serve', '--port', '0'], more);
  const findUrl = (): string => /serving at (http:[^;]+);/.exec(running.said())?.[1] ?? '';
  await whileRunning(
    running,
    waitUntil(() => findUrl() !== ''),
  );
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ turns: 1, reason: 'to see the reading' });
  await fetch(`${findUrl()}/worlds/brief/turns`, { method: 'POST', headers, body });
  await whileRunning(
    running,
    waitUntil(() => /brief: turn 1 committed/.test(running.said())),
  );
  running.kill('SIGTERM');
  await running.ended;
  assert.match((await chukwa(['world', 'show', 'brief', '--json'], more)).stdout, /"turn": 1/);
});
