import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import type { Invoke } from '../../engine/core/protocol/command.js';
import { ask, jsonCall, openTestSources, storedText, summary } from '../sources/harness.js';
import { makeFolder } from '../support/folder.js';

const SECRET = 'not-for-you';

/** A folder with some files, beside one that holds what nobody may read. */
async function writeFolders(t: TestContext): Promise<{ readonly outside: string; readonly root: string }> {
  const outside = await makeFolder(t);
  const root = join(outside, 'data');
  await mkdir(join(root, 'stations', 'deep'), { recursive: true });
  await writeFile(join(outside, 'secret.json'), JSON.stringify(SECRET));
  await writeFile(join(outside, 'data.json'), JSON.stringify(SECRET));
  await writeFile(join(root, '.env.json'), JSON.stringify(SECRET));
  await writeFile(join(root, 'stations', 'kew.json'), '{"height_m":6}');
  await writeFile(join(root, 'stations', 'a ü 100%.json'), '"odd"');
  return { outside, root };
}

function fileCall(path: string, request: Json = null, settings: Readonly<Record<string, Json>> = {}): Invoke {
  const { call, ...rest } = jsonCall({ request });
  const named: JsonObject & { readonly name: string } = {
    name: 'file_json',
    folder_env: 'CHUKWA_TEST_DIR',
    path,
    ...settings,
  };
  const source = { ...call.source, hash: JSON.stringify(named), plugin: 'file_json', interface: named };
  return { ...rest, call: { ...call, source } };
}

async function openOn(t: TestContext, folder: string) {
  return openTestSources(t, { overlay: { CHUKWA_TEST_DIR: folder } });
}

const BY_ID = '/stations/{station_id}.json';

test('a JSON file below the folder is the answer, and its text is on record', async (t) => {
  const { root } = await writeFolders(t);
  const sources = await openOn(t, root);
  const outcome = await ask(sources, fileCall(BY_ID, { station_id: 'kew' }));
  assert.deepEqual(summary(outcome), { succeeded: { height_m: 6 } });
  assert.deepEqual(summary(await ask(sources, fileCall(BY_ID, { station_id: 'a ü 100%' }))), { succeeded: 'odd' });
});

test('nothing is read from the folder of the own data, from one that holds it, or from one in it', async (t) => {
  const { outside, root } = await writeFolders(t);
  await writeFile(join(root, 'tokens.json'), JSON.stringify(SECRET));
  const other = await makeFolder(t);
  await symlink(root, join(other, 'link'));
  await mkdir(join(outside, 'data-2'));
  await writeFile(join(outside, 'data-2', 'kew.json'), '7');
  for (const [folder, file, own_folder] of [
    [root, '/tokens.json', root],
    [join(other, 'link'), '/tokens.json', root],
    [root, '/tokens.json', join(other, 'link')],
    [outside, '/data/tokens.json', root],
    [join(root, 'stations'), '/kew.json', root],
    [outside, '/secret.json', join(outside, 'not-yet')],
  ] as const) {
    const sources = await openTestSources(t, {
      overlay: { CHUKWA_TEST_DIR: folder },
      own_folders: [join(other, 'tokens'), own_folder],
    });
    const outcome = await ask(sources, fileCall(file));
    assert.deepEqual(summary(outcome), { failed: 'unavailable', refused: false }, folder);
    assert.match(storedText(outcome), /CHUKWA_TEST_DIR names is a folder of the engine's own data/);
    assert.ok(!storedText(outcome).includes(SECRET));
  }
  const apart = await openTestSources(t, {
    overlay: { CHUKWA_TEST_DIR: join(outside, 'data-2') },
    own_folders: [root],
  });
  assert.deepEqual(summary(await ask(apart, fileCall('/kew.json'))), { succeeded: 7 });
});

test('a file is read anew for each call', async (t) => {
  const { root } = await writeFolders(t);
  const sources = await openOn(t, root);
  const call = fileCall('/stations/kew.json');
  await ask(sources, call);
  await writeFile(join(root, 'stations', 'kew.json'), '7');
  assert.deepEqual(summary(await ask(sources, call)), { succeeded: 7 });
});

test('the folder itself may be a link, and may be named by a relative path', async (t) => {
  const { outside, root } = await writeFolders(t);
  await symlink(root, join(outside, 'current'));
  const sources = await openOn(t, join(outside, 'current'));
  assert.deepEqual(summary(await ask(sources, fileCall('/stations/kew.json'))), { succeeded: { height_m: 6 } });
});

/** Ways out of the folder, by the request or by what stands in the folder. */
const WAYS_OUT: readonly (readonly [what: string, path: string, request: Json])[] = [
  ['a parent folder', '/stations/{a}/secret.json', { a: '..' }],
  ['parents in one value', '/{a}.json', { a: '../secret' }],
  ['an absolute path', '/{a}', { a: '/etc/passwd' }],
  ['a backslash', '/{a}.json', { a: '..\\secret' }],
  ['an escape', '/{a}.json', { a: '%2e%2e%2fsecret' }],
  ['a NUL', '/{a}.json', { a: 'stations/kew.json\u0000' }],
  ['a line break', '/{a}.json', { a: 'x\ny' }],
  ['a hidden file', '/{a}', { a: '.env.json' }],
  ['a name that a suffix completes', '/{a}.json', { a: '.env' }],
  ['an empty name', '/stations/{a}/kew.json', { a: '' }],
  ['a name beyond all measure', '/{a}', { a: 'x'.repeat(1000) }],
  ['an object', '/{a}', { a: {} }],
  ['a member that is not there', '/{a}', {}],
  ['a member that the path does not have', '/stations/kew.json', { a: 'x' }],
  ['a list', '/stations/kew.json', ['x']],
];

for (const [what, path, request] of WAYS_OUT) {
  test(`a path with ${what} is refused`, async (t) => {
    const { root } = await writeFolders(t);
    const outcome = await ask(await openOn(t, root), fileCall(path, request));
    assert.equal(outcome.status === 'failed' && outcome.failure_class, 'schema_invalid');
    assert.match(outcome.status === 'failed' ? outcome.failure_message : '', /^the request cannot be sent: /);
    assert.ok(!storedText(outcome).includes(SECRET));
  });
}

const LINKS: readonly (readonly [what: string, plant: (root: string, outside: string) => Promise<unknown>])[] = [
  ['a link to a file outside', (root, outside) => symlink(join(outside, 'secret.json'), join(root, 'x.json'))],
  [
    'a link to a file outside, by way of a link inside',
    (root, outside) =>
      symlink(outside, join(root, 'up')).then(() => symlink(join('up', 'secret.json'), join(root, 'x.json'))),
  ],
  ['a link to a hidden file', (root) => symlink('.env.json', join(root, 'x.json'))],
  ['a folder', (root) => mkdir(join(root, 'x.json'))],
  ['a pipe', (root) => promisify(execFile)('mkfifo', [join(root, 'x.json')])],
  ['a link to a device', (root) => symlink('/dev/zero', join(root, 'x.json'))],
];

for (const [what, plant] of LINKS) {
  test(`${what} in the place of the file is refused, and not waited for`, async (t) => {
    const { outside, root } = await writeFolders(t);
    await plant(root, outside);
    const outcome = await ask(await openOn(t, root), fileCall('/x.json'));
    assert.deepEqual(summary(outcome), { failed: 'schema_invalid', refused: false });
    assert.ok(!storedText(outcome).includes(SECRET));
  });
}

test('the files of a volume of Kubernetes are read, also while it exchanges them', async (t) => {
  const root = await makeFolder(t);
  const fill = async (version: number): Promise<void> => {
    const folder = `..2026_${version}`;
    await mkdir(join(root, folder));
    await writeFile(join(root, folder, 'kew.json'), JSON.stringify({ version }));
    await symlink(folder, join(root, '..new'));
    await rename(join(root, '..new'), join(root, '..data'));
    await rm(join(root, `..2026_${version - 1}`), { recursive: true, force: true });
  };
  await fill(1);
  await symlink('..data/kew.json', join(root, 'kew.json'));
  const sources = await openOn(t, root);
  const outcomes: string[] = [];
  const over = new AbortController();
  const reading = (async () => {
    while (!over.signal.aborted) outcomes.push((await ask(sources, fileCall('/kew.json'))).status);
  })();
  for (let version = 2; version <= 40; version += 1) await fill(version);
  over.abort();
  await reading;
  assert.deepEqual([...new Set(outcomes)], ['succeeded']);
  assert.deepEqual(summary(await ask(sources, fileCall('/kew.json'))), { succeeded: { version: 40 } });
});

test('a folder on the way that is a link is refused where it leads out', async (t) => {
  const { outside, root } = await writeFolders(t);
  const sources = await openOn(t, root);
  await symlink(outside, join(root, 'up'));
  assert.deepEqual(summary(await ask(sources, fileCall('/up/secret.json'))), {
    failed: 'schema_invalid',
    refused: false,
  });
  await rename(join(root, 'stations'), join(root, 'moved'));
  await symlink(join(root, 'moved'), join(root, 'stations'));
  assert.deepEqual(summary(await ask(sources, fileCall('/stations/kew.json'))), { succeeded: { height_m: 6 } });
  await rename(join(root, 'moved'), join(outside, 'moved'));
  await rm(join(root, 'stations'));
  await symlink(join(outside, 'moved'), join(root, 'stations'));
  assert.deepEqual(summary(await ask(sources, fileCall('/stations/kew.json'))), {
    failed: 'schema_invalid',
    refused: false,
  });
});

test('a file of more bytes than the call may take is too large, also one that says it has none', async (t) => {
  const { root } = await writeFolders(t);
  await writeFile(join(root, 'full.json'), JSON.stringify('x'.repeat(32_766)));
  await writeFile(join(root, 'large.json'), JSON.stringify('x'.repeat(32_767)));
  const sources = await openOn(t, root);
  assert.equal((await ask(sources, fileCall('/full.json'))).status, 'succeeded');
  assert.deepEqual(summary(await ask(sources, fileCall('/large.json'))), {
    failed: 'result_too_large',
    refused: false,
  });
  const kernel = await openTestSources(t, { overlay: { CHUKWA_TEST_DIR: '/proc' } });
  assert.deepEqual(summary(await ask(kernel, fileCall('/kallsyms'))), { failed: 'result_too_large', refused: false });
});

for (const [what, bytes] of [
  ['is no JSON', '<p>'],
  ['is empty', ''],
  ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['names a member twice', '{"a":1,"a":2}'],
  ['has a number that no double holds', '12345678901234567890'],
] as const) {
  test(`a file that ${what} is non_json, and is on record`, async (t) => {
    const { root } = await writeFolders(t);
    await writeFile(join(root, 'x.json'), bytes);
    const outcome = await ask(await openOn(t, root), fileCall('/x.json'));
    assert.deepEqual(summary(outcome), { failed: 'non_json', refused: false });
    assert.equal(Buffer.from(outcome.response_body ?? []).length, Buffer.from(bytes).length);
  });
}

test('a file that is not there is an error, a folder or a variable is unavailable, and no message names a path', async (t) => {
  const { outside, root } = await writeFolders(t);
  await link(join(root, 'stations', 'kew.json'), join(root, 'linked.json'));
  for (const [folder, path, failed, says] of [
    [root, '/nothing.json', 'tool_error', /^there is no such file in the folder/],
    [root, '/linked.json/x', 'tool_error', /^there is no such file in the folder/],
    [root, `/${'x'.repeat(300)}.json`, 'tool_error', /^a name is too long for the folder/],
    [join(outside, 'nowhere'), '/x.json', 'unavailable', /^the folder that \w+ names cannot be read: ENOENT$/],
    [join(outside, 'secret.json'), '/x.json', 'tool_error', /^there is no such file in the folder/],
  ] as const) {
    const outcome = await ask(await openOn(t, folder), fileCall(path));
    assert.deepEqual(summary(outcome), { failed, refused: false }, path);
    const message = outcome.status === 'failed' ? outcome.failure_message : '';
    assert.match(message, /CHUKWA_TEST_DIR/);
    assert.match(message, says);
    assert.ok(!message.includes(outside), message);
  }
  const unset = await ask(await openTestSources(t), fileCall('/x.json'));
  assert.match(unset.status === 'failed' ? unset.failure_message : '', /CHUKWA_TEST_DIR is not set/);
});
