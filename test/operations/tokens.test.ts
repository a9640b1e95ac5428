import assert from 'node:assert/strict';
import { chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { Variables } from '../../engine/configuration.js';
import { compose } from '../../engine/main.js';
import { callbackToken, loadTokens } from '../../engine/operations/serving/tokens.js';
import { makeFolder } from '../support/folder.js';

const LONG = 'x'.repeat(32);

async function makeFile(t: TestContext): Promise<string> {
  const folder = await makeFolder(t);
  return join(folder, 'tokens.json');
}

const load = (file: string, token?: string, operator_token?: string) => loadTokens({ file, token, operator_token });

const loadFor = async (variables: Variables) => (await compose(variables)).loadTokens();

async function codeOf(loading: ReturnType<typeof load>): Promise<string> {
  const loaded = await loading;
  return loaded.ok ? 'loaded' : (loaded.problems[0]?.code ?? '');
}

describe('tokens', () => {
  test('tokens with fewer than 32 characters are refused, by the name of their variable', async (t) => {
    const file = await makeFile(t);
    for (const short of ['a', 'x'.repeat(31)]) {
      const refused = await load(file, LONG, short);
      assert.ok(!refused.ok);
      const [{ code, message, repair } = assert.fail()] = refused.problems;
      assert.equal(code, 'TOKEN_TOO_SHORT');
      assert.match(message, /CHUKWA_OPERATOR_TOKEN/);
      assert.match(repair ?? '', /openssl rand/);
      assert.ok(!JSON.stringify(refused).includes(short.repeat(2)));
    }
    assert.equal(await codeOf(load(file, 'short')), 'TOKEN_TOO_SHORT');
    assert.equal(await codeOf(load(file, ' '.repeat(40))), 'TOKEN_TOO_SHORT');
    assert.equal(await codeOf(load(file, LONG, LONG)), 'TOKENS_EQUAL');
    assert.equal(await codeOf(load(file, LONG, `${LONG}y`)), 'loaded');
    await writeFile(file, JSON.stringify({ token: 'a', operator_token: 'b' }), { mode: 0o600 });
    assert.equal(await codeOf(load(file)), 'TOKENS_UNUSABLE');
  });

  test('keep every command from starting that would use short ones', async (t) => {
    const data_dir = await makeFile(t);
    const composition = await compose({
      CHUKWA_DATABASE_URL: 'memory:',
      CHUKWA_DATA_DIR: data_dir,
      XDG_CONFIG_HOME: data_dir,
      CHUKWA_PUBLIC_URL: 'https://chukwa.example.org',
      CHUKWA_TOKEN: 'weak',
    });
    const opened = await composition.openEngine();
    assert.equal(opened.ok ? '' : opened.problems[0]?.code, 'TOKEN_TOO_SHORT');
  });

  test('tokens that others could read are refused, with the command that mends it', async (t) => {
    const file = await makeFile(t);
    assert.equal(await codeOf(load(file)), 'loaded');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    for (const mode of [0o644, 0o640, 0o602]) {
      await chmod(file, mode);
      const refused = await load(file);
      assert.ok(!refused.ok);
      assert.equal(refused.problems[0]?.code, 'TOKENS_EXPOSED');
      assert.ok(refused.problems[0].repair?.includes(`chmod 600 ${file}`));
    }
    await chmod(file, 0o600);
    assert.equal(await codeOf(load(file)), 'loaded');
  });

  test('tokens are read through no link', async (t) => {
    const file = await makeFile(t);
    await load(`${file}.real`);
    await symlink(`${file}.real`, file);
    assert.equal(await codeOf(load(file)), 'TOKENS_EXPOSED');
  });

  test('tokens that a data folder brings along are not taken, and without a folder of the user there are none', async (t) => {
    const data_dir = dirname(await makeFile(t));
    await writeFile(join(data_dir, 'tokens.json'), JSON.stringify({ token: LONG, operator_token: `${LONG}y` }), {
      mode: 0o600,
    });
    const variables = { CHUKWA_DATA_DIR: data_dir, XDG_CONFIG_HOME: join(data_dir, 'user') };
    const [first, again] = [await loadFor(variables), await loadFor(variables)];
    assert.ok(first.ok && again.ok);
    assert.notEqual(first.value.operator_token, `${LONG}y`);
    assert.deepEqual([first.value.is_new, again.value], [true, { ...first.value, is_new: false }]);
    const other = await loadFor({ ...variables, CHUKWA_DATA_DIR: join(data_dir, 'other') });
    assert.ok(other.ok && other.value.operator_token !== first.value.operator_token);
    for (const XDG_CONFIG_HOME of [undefined, 'user', ''])
      assert.equal(await codeOf(loadFor({ CHUKWA_DATA_DIR: data_dir, XDG_CONFIG_HOME })), 'TOKENS_UNUSABLE');
  });

  test('differ from what follows from them', async (t) => {
    const file = await makeFile(t);
    const loaded = await load(file);
    assert.ok(loaded.ok);
    const keys = ['a', 'b'].map((id) => callbackToken(loaded.value, id));
    const all = [loaded.value.token, loaded.value.operator_token, ...keys];
    assert.equal(new Set(all).size, 4);
    assert.ok(keys.every((key) => key.length === 43));
    assert.ok((await readFile(file, 'utf8')).includes(loaded.value.token));
  });
});
