import assert from 'node:assert/strict';
import { mkdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ENGINE_VARIABLES } from '../../engine/contract/engine-variables.js';
import type { Json, JsonObject } from '../../engine/contract/json.js';
import { createCompileSchema } from '../../engine/schema/compile-schema.js';
import { describePlugins, findPlugin, findPlugins } from '../../engine/sources/registry.js';
import {
  ask,
  jsonCall,
  loadManifestCheck,
  openTestSources,
  serve,
  SHIPPED_PLUGINS,
  storedText,
  summary,
  writePlugin,
} from './harness.js';
import { makeFolder } from '../support/folder.js';

const GOOD = 'export default { open: () => ({ invoke: async () => ({ value: 1 }) }) };';

async function describeAll(
  folders: readonly string[],
): Promise<{ names: readonly string[]; problems: readonly string[]; messages: string }> {
  const found = await findPlugins({ folders }, await loadManifestCheck());
  const loaded = await describePlugins(found.plugins, createCompileSchema());
  const problems = [...found.problems, ...loaded.problems];
  return {
    names: loaded.plugins.map(({ name }) => name),
    problems: problems.map(({ code }) => code),
    messages: problems.map(({ message }) => message).join('\n'),
  };
}

test('the shipped plugins are described, and say what an interface lacks', async () => {
  const found = await findPlugins({ folders: [SHIPPED_PLUGINS] }, await loadManifestCheck());
  const { plugins } = await describePlugins(found.plugins, createCompileSchema());
  const httpJson = plugins.find(({ name }) => name === 'http_json');
  assert.equal(httpJson?.speaks, 'json');
  assert.match(httpJson?.version ?? '', /^1-[0-9a-f]{12}$/);
  assert.match(
    JSON.stringify(httpJson?.validateInterface({ name: 'http_json', method: 'POST', path: '/x' })),
    /url_env/,
  );
  assert.equal(plugins.find(({ name }) => name === 'llm_chat')?.speaks, 'chat');
});

test('finding and describing plugins runs none of their code', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'loud', 'globalThis.ranPluginCode = true; export default { open() {} };');
  assert.deepEqual((await describeAll([folder])).names, ['loud']);
  assert.equal('ranPluginCode' in globalThis, false);
});

test('a plugin whose files are broken is left out with its reason, and the others stay', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'good', GOOD);
  await writePlugin(folder, 'no_field', GOOD, { origin: { interface_field: 'url_env' } });
  await writePlugin(folder, 'no_entry', GOOD, { entry: './main.js' });
  await writePlugin(folder, 'outside', GOOD, { entry: './../good/index.js' });
  await writePlugin(folder, 'wrong_manifest', GOOD, { speaks: 'xml' });
  await mkdir(join(folder, 'not_json'));
  await writeFile(join(folder, 'not_json', 'plugin.json'), '{');
  await mkdir(join(folder, 'no_object'));
  await writeFile(join(folder, 'no_object', 'plugin.json'), '[]');
  await mkdir(join(folder, 'no_plugin'));
  const { names, problems, messages } = await describeAll([folder]);
  assert.deepEqual(names, ['good']);
  assert.deepEqual([...problems].sort(), [
    'PLUGIN_ENTRY_FAILED',
    'PLUGIN_ENTRY_FAILED',
    'PLUGIN_INTERFACE_SCHEMA_INVALID',
    'PLUGIN_MANIFEST_INVALID',
    'PLUGIN_MANIFEST_INVALID',
    'PLUGIN_MANIFEST_INVALID',
  ]);
  for (const reason of [/main\.js is not there(?!,)/, /url_env/, /outside/, /\(at \/speaks\)/, /\(at the top\)/])
    assert.match(messages, reason);
});

test('an interface schema that cannot be compiled is a problem of its plugin', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'odd', GOOD);
  await writeFile(join(folder, 'odd', 'interface.schema.json'), JSON.stringify({ type: 'nothing' }));
  const { names, problems } = await describeAll([folder]);
  assert.deepEqual(names, []);
  assert.deepEqual(problems, ['PLUGIN_INTERFACE_SCHEMA_INVALID']);
});

test('of two plugins with one name neither is used, and both are named', async (t) => {
  const [one, other] = [await makeFolder(t), await makeFolder(t)];
  await writePlugin(one, 'twin', GOOD);
  await writePlugin(other, 'twin', GOOD);
  await writePlugin(other, 'single', GOOD);
  const { names, problems, messages } = await describeAll([one, other]);
  assert.deepEqual(names, ['single']);
  assert.deepEqual(problems, ['PLUGIN_NAME_TAKEN']);
  for (const folder of [one, other]) assert.ok(messages.includes(join(folder, 'twin')));
});

test('a folder without a manifest is no plugin, and the repair says how one is made', async (t) => {
  const found = await findPlugin(await makeFolder(t), await loadManifestCheck());
  assert.ok(!found.ok);
  const [problem] = found.problems;
  assert.match(problem?.message ?? '', /plugin\.json: there is no such file$/);
  assert.match(problem?.repair ?? '', /^Name the folder of a plugin/);
});

test('a folder that is not there is a problem', async (t) => {
  const folder = await makeFolder(t);
  assert.deepEqual((await describeAll([join(folder, 'nowhere')])).problems, ['PLUGIN_FOLDER_UNREADABLE']);
});

test('files of a plugin that are no regular ones, or too large, are problems and are not read', async (t) => {
  const folder = await makeFolder(t);
  for (const [name, file] of [
    ['zero_manifest', 'plugin.json'],
    ['zero_schema', 'interface.schema.json'],
    ['zero_entry', 'index.js'],
  ] as const) {
    await writePlugin(folder, name, GOOD);
    await rm(join(folder, name, file));
    await symlink('/dev/zero', join(folder, name, file));
  }
  await writePlugin(folder, 'large', GOOD);
  await writeFile(join(folder, 'large', 'plugin.json'), ' '.repeat(1_048_577));
  await writePlugin(folder, 'zero_module', GOOD);
  await symlink('/dev/zero', join(folder, 'zero_module', 'more.js'));
  await writePlugin(folder, 'linking', GOOD);
  await symlink(tmpdir(), join(folder, 'linking', 'lib'));
  await writePlugin(folder, 'vast', GOOD);
  await writeFile(join(folder, 'vast', 'more.js'), '');
  await truncate(join(folder, 'vast', 'more.js'), 6 * 2 ** 30);
  await writePlugin(folder, 'loop', GOOD);
  await rm(join(folder, 'loop', 'interface.schema.json'));
  await symlink('interface.schema.json', join(folder, 'loop', 'interface.schema.json'));
  const { names, messages } = await describeAll([folder]);
  assert.deepEqual(names, []);
  assert.match(messages, /interface\.schema\.json: ELOOP/);
  assert.equal(messages.match(/not a regular file/g)?.length, 4);
  assert.match(messages, /lib is a link to a folder/);
  assert.match(messages, /more than 67108864 bytes, by more\.js/);
  assert.match(messages, /larger than 1048576 bytes/);
});

test('files of a plugin may have exactly as many bytes as they may', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'full', GOOD);
  const manifest = join(folder, 'full', 'plugin.json');
  await writeFile(manifest, (await readFile(manifest, 'utf8')).padEnd(1_048_576));
  const modules = Buffer.byteLength(await readFile(join(folder, 'full', 'index.js')));
  const others = (await stat(manifest)).size + (await stat(join(folder, 'full', 'interface.schema.json'))).size;
  const rest = 67_108_864 - modules - others - (await stat(join(folder, 'full', 'package.json'))).size;
  await writeFile(join(folder, 'full', 'more.js'), '');
  await truncate(join(folder, 'full', 'more.js'), rest);
  assert.deepEqual((await describeAll([folder])).names, ['full']);
  await truncate(join(folder, 'full', 'more.js'), rest + 1);
  assert.match((await describeAll([folder])).messages, /more than 67108864 bytes/);
});

test('the version of a plugin differs where its manifest, its schema or a module differs, and by no other file', async (t) => {
  const folder = await makeFolder(t);
  await writePlugin(folder, 'tides', GOOD);
  const versionWith = async (file: string, text: string): Promise<string | undefined> => {
    const path = join(folder, 'tides', file);
    const before = await readFile(path, 'utf8').catch(() => undefined);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    const found = await findPlugins({ folders: [folder] }, await loadManifestCheck());
    const { plugins } = await describePlugins(found.plugins, createCompileSchema());
    await (before === undefined ? rm(path) : writeFile(path, before));
    return plugins[0]?.version;
  };
  const manifest = await readFile(join(folder, 'tides', 'plugin.json'), 'utf8');
  const plain = await versionWith('plugin.json', manifest);
  for (const [file, text, isSame] of [
    ['plugin.json', manifest.replace('Made by', 'Changed by'), false],
    ['interface.schema.json', '{"type":"object","properties":{}}', false],
    ['index.js', `${GOOD}\n`, false],
    ['more.mjs', '', false],
    ['deep/more.js', '', false],
    ['deep/more', '', false],
    ['README.md', 'words', true],
    ['node_modules/other/index.js', '', true],
  ] as const)
    assert.equal((await versionWith(file, text)) === plain, isSame, file);
});

test('of an interface that is none, each problem is named once, and nothing is read of what is no object', async (t) => {
  const folder = await makeFolder(t);
  const secret_variable_fields = ['headers'];
  const schema = { type: 'object', properties: { url_env: { type: 'string', maxLength: 12 }, headers: {} } };
  await writePlugin(folder, 'tides', GOOD, { origin: { interface_field: 'url_env' }, secret_variable_fields });
  await writeFile(join(folder, 'tides', 'interface.schema.json'), JSON.stringify(schema));
  const found = await findPlugins({ folders: [folder] }, await loadManifestCheck());
  const { plugins } = await describePlugins(found.plugins, createCompileSchema());
  const problemsOf = (definition: Json): readonly string[] =>
    (plugins[0]?.validateInterface(definition) ?? []).map(({ code, pointer }) => `${code} ${pointer}`);
  assert.deepEqual(problemsOf({ url_env: 'HOME', headers: { a: 'PATH', b: 'CHUKWA_B' } }), [
    'VARIABLE_NAME_FOREIGN /url_env',
    'VARIABLE_NAME_FOREIGN /headers/a',
  ]);
  assert.equal(problemsOf({ url_env: 'HOME_IS_FAR_AWAY' }).length, 1);
  assert.deepEqual(problemsOf({ headers: null }), []);
  assert.equal(problemsOf(['HOME']).length, 1);
  assert.deepEqual(plugins[0]?.listVariables({ url_env: 'CHUKWA_A', headers: { b: 'CHUKWA_B' } }), ['CHUKWA_B']);
});

/** An interface of each shipped plugin for each of its members that name a variable. */
const NAMING: readonly (readonly [member: string, named: (variable: string) => JsonObject])[] = [
  ['url_env', (url_env) => ({ name: 'http_json', method: 'GET', url_env, path: '/a' })],
  ['secret_headers', (key) => ({ ...HTTP, secret_headers: { 'X-Key': key } })],
  ['folder_env', (folder_env) => ({ name: 'file_json', folder_env, path: '/a.json' })],
  ['server_env', (server_env) => ({ name: 'mcp_tool', server_env, tool_name: 'a' })],
  ['base_url_env', (base_url_env) => ({ ...CHAT, model: 'tiny', base_url_env })],
  ['model_env', (model_env) => ({ ...CHAT, model_env })],
  ['api_key_env', (api_key_env) => ({ ...CHAT, model: 'tiny', api_key_env })],
];
/** What the schemas ask of names, and a good one. */
const SHAPES: Readonly<Record<string, readonly [RegExp, string]>> = {
  server_env: [/^CHUKWA_MCP_/, 'CHUKWA_MCP_HARBOUR'],
  base_url_env: [/URL$/, 'CHUKWA_HARBOUR_URL'],
  model_env: [/MODEL$/, 'CHUKWA_HARBOUR_MODEL'],
  api_key_env: [/KEY$/, 'CHUKWA_HARBOUR_KEY'],
};
const HTTP = { name: 'http_json', method: 'GET', url_env: 'CHUKWA_A_URL', path: '/a' };
const CHAT = { name: 'llm_chat', schema_delivery: 'prompt', tool_calling: 'json_control' };

for (const [member, named] of NAMING)
  test(`no variable that the engine or another plugin reads for itself may be named in ${member}`, async () => {
    const found = await findPlugins({ folders: [SHIPPED_PLUGINS] }, await loadManifestCheck());
    const { plugins } = await describePlugins(found.plugins, createCompileSchema());
    const own = { base_url_env: 'CHUKWA_LLM_BASE_URL', api_key_env: 'CHUKWA_LLM_API_KEY' }[member];
    const foreign = ['CHUKWA_LLM_BASE_URL', 'CHUKWA_LLM_API_KEY'].filter((name) => name !== own);
    const refusals = (variable: string): readonly string[] => {
      const definition = named(variable);
      const plugin = plugins.find(({ name }) => name === definition['name']);
      return (plugin?.validateInterface(definition) ?? [{ code: 'PLUGIN_UNKNOWN' }]).map(({ code }) => code);
    };
    const [shape, good] = SHAPES[member] ?? [/^/, 'CHUKWA_HARBOUR'];
    const own_names = Object.keys(ENGINE_VARIABLES).filter((name) => name.startsWith('CHUKWA_'));
    for (const variable of [...own_names, 'CHUKWA_CONNECTION_MAIL', 'CHUKWA_CONNECTION_URL', ...foreign])
      assert.deepEqual(refusals(variable), [shape.test(variable) ? 'VARIABLE_NAME_RESERVED' : 'BAD_VALUE'], variable);
    assert.deepEqual(refusals(own ?? good), []);
    const elsewhere = { ...named('CHUKWA_LLM_API_KEY'), base_url_env: 'CHUKWA_HARBOUR_URL' };
    const problems = plugins.find(({ name }) => name === 'llm_chat')?.validateInterface(elsewhere) ?? [];
    if (member === 'api_key_env')
      assert.deepEqual(
        problems.map(({ pointer }) => pointer),
        ['/api_key_env'],
      );
  });

test('a stored source that names the operator token as a header is refused before anything is asked', async (t) => {
  const asked: string[] = [];
  const url = await serve(t, (request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  const variables: Readonly<Record<string, string>> = {
    CHUKWA_TEST_URL: url,
    CHUKWA_OPERATOR_TOKEN: 'operator-token-0123456789-abcdefghij',
  };
  const sources = await openTestSources(t, { lookUp: (name) => variables[name] });
  const outcome = await ask(sources, jsonCall({}, { secret_headers: { 'X-Key': 'CHUKWA_OPERATOR_TOKEN' } }));
  assert.deepEqual(summary(outcome), { failed: 'unavailable', refused: true });
  assert.match(storedText(outcome), /CHUKWA_OPERATOR_TOKEN may not be named by a document/);
  assert.deepEqual(asked, []);
});

test('a source that names a variable of another program is refused before anything is asked', async (t) => {
  const asked: string[] = [];
  const url = await serve(t, (request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  const variables: Readonly<Record<string, string>> = { HTTPS_PROXY: url };
  const sources = await openTestSources(t, { lookUp: (name) => variables[name] });
  const outcome = await ask(sources, jsonCall({}, { url_env: 'HTTPS_PROXY' }));
  assert.ok(outcome.status === 'failed');
  assert.deepEqual([outcome.failure_class, outcome.refused], ['unavailable', true]);
  assert.match(outcome.failure_message, /"HTTPS_PROXY" may not be named by a document/);
  assert.deepEqual(asked, []);
});
