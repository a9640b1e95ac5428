import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { WorldSnapshot } from '../../engine/ports/worlds.js';
import { startScriptedModel } from '../../fixtures/toys/scripted-model/index.js';
import { writePlugin } from '../sources/harness.js';
import { loadScript } from '../support/park-stage.js';
import { waitUntil } from '../support/wait-until.js';
import { askHere, type Ended, runHere, type RunningHere, startChukwa, startHere, whileRunning } from './command.js';
import { makeFolder } from '../support/folder.js';
import { writeOwnReading } from './readings.js';

/** A plugin that leaves a mark where its code runs. */
const MARKING = `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./mark', import.meta.url), '');
export default { open: () => ({ invoke: async () => ({ value: 1 }) }) };
`;

const OPERATOR_TOKEN = 'an-operator-of-worlds-with-32-characters';

/** A folder with a plugin, a world that uses it, and its database, as somebody may have packed it. */
async function openDownload(t: TestContext) {
  const [folder, user] = [await makeFolder(t), await makeFolder(t)];
  const place = join(folder, 'plugins', 'own_reading');
  await writePlugin(join(folder, 'plugins'), 'own_reading', MARKING);
  const model = await startScriptedModel(await loadScript('simple'));
  t.after(() => model.close());
  const variables = { XDG_CONFIG_HOME: user, CHUKWA_LLM_BASE_URL: model.url, CHUKWA_LLM_API_KEY: 'none-is-needed' };
  const chukwa = (words: readonly string[], more = {}): Promise<Ended> =>
    startChukwa(words, { ...variables, ...more }, folder).ended;
  // Within this process, which has another working folder, the operator names the plugins, and so confirms them.
  const here = {
    ...variables,
    CHUKWA_DATA_DIR: join(folder, '.chukwa'),
    CHUKWA_PLUGIN_PATH: join(folder, 'plugins'),
    CHUKWA_OPERATOR_TOKEN: OPERATOR_TOKEN,
  };
  const scenario = await writeOwnReading(folder);
  const created = await runHere(['world', 'create', 'brief', '--scenario', scenario, '--root', folder], here);
  assert.equal(created.code, 0, created.stderr);
  return { folder, place, chukwa, here, isMarked: () => existsSync(join(place, 'mark')) };
}

test('the code of a plugin of the working folder runs once a person has confirmed it, and after a change once more', async (t) => {
  const { folder, place, chukwa, here, isMarked } = await openDownload(t);
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
  assert.equal((await runHere(['plugin', 'trust', place], here)).code, 0);
  assert.equal((await chukwa(['run', 'brief'])).code, 0);
  assert.equal(isMarked(), true);
  await rm(join(place, 'mark'));
  await appendFile(join(place, 'index.js'), '// another\n');
  const changed = await chukwa(['run', 'brief']);
  assert.deepEqual([changed.code, isMarked()], [1, false]);
  assert.match(changed.stderr, /it has changed/);
  assert.equal((await runHere(['plugin', 'trust', place], here)).code, 0);
  // A module may be in a file of any name.
  await appendFile(join(place, 'code'), 'globalThis.more = 1;\n');
  assert.match((await chukwa(['run', 'brief'])).stderr, /it has changed/);
  await rm(join(place, 'code'));
  assert.equal((await runHere(['run', 'brief'], here)).code, 0);
});

test('serve over an embedded database leaves turns that were queued elsewhere, and says how they run', async (t) => {
  const { here } = await openDownload(t);
  const turnOf = async (): Promise<number> => (await askHere<WorldSnapshot>(['world', 'show', 'brief'], here)).turn;
  assert.equal((await runHere(['run', 'brief', '--queue'], here)).code, 0);
  for (const [words, said, turn] of [
    [['serve', '--port', '0'], /one message waits, such as a queued turn: \S.* serve --work/, 0],
    [['serve', '--port', '0', '--work'], /brief: turn 1 committed/, 1],
  ] as const) {
    const running = startHere(words, here);
    await untilSaid(running, said);
    running.interrupt();
    assert.equal((await running.ended).code, 0);
    assert.equal(await turnOf(), turn);
  }
});

test('serve over an embedded database runs the turns that an operator queues there', async (t) => {
  const { here } = await openDownload(t);
  const running = startHere(['serve', '--port', '0'], here);
  await untilSaid(running, /serving at/);
  const [, url] = /serving at (http:[^;]+);/.exec(running.said()) ?? [];
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ turns: 1, reason: 'to see the reading' });
  await fetch(`${url}/worlds/brief/turns`, { method: 'POST', headers, body });
  await untilSaid(running, /brief: turn 1 committed/);
  running.interrupt();
  await running.ended;
});

function untilSaid(running: RunningHere, said: RegExp): Promise<void> {
  return whileRunning(
    running,
    waitUntil(() => said.test(running.said())),
  );
}
